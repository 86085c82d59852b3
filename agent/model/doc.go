// Package model holds the agent's view of a language model: messages made of
// content blocks, a request, a stream of events and the errors a provider may
// answer with. It knows no vendor; the packages below it do:
//
//   - anthropic talks to the Anthropic Messages API,
//   - openai talks to every server that speaks OpenAI's chat completions,
//   - script replays turns from a YAML file, for tests and demonstrations,
//   - registry turns a name such as "openai/gpt-5" into a provider.
//
// A [Provider] has one method, Stream. [Accumulate] reads a whole stream into
// a [Response]; whoever wants to show text while it arrives passes it a
// function that sees each event.
//
// The input of a tool call is kept as the raw JSON the model wrote. When the
// model wrote something else, the input is that text as a JSON string and
// [Block.InputError] says what is wrong with it, so that nothing that looks
// at tool calls is ever skipped because a model made a mistake.
package model
