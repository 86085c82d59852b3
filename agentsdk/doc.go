// Package agentsdk drives the agent for programs that are written for the Claude Agent
// SDK: they start the command, write prompts and control requests to it and read
// messages, a JSON object a line each way.
//
// Stream tells what happens in an agent as the SDK's messages.
package agentsdk
