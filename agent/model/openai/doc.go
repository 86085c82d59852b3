// Package openai calls models through the chat completions API: OpenAI's own
// and every server that speaks the same, such as Ollama, vLLM, LiteLLM,
// OpenRouter or Google's compatible endpoint.
//
// Such servers differ in small things, and the package copes with those seen
// in practice: tool calls without an id or all with index 0, "stop" as the
// reason although tools were called, reasoning text in extra fields, no usage,
// no final "[DONE]".
package openai
