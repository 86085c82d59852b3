// Package mcpproxy stands between an MCP client, which is an agent or an editor, and one
// MCP server, so that hooks guard agents that have no hooks of their own.
//
// A call of a tool fires PreToolUse and PostToolUse under the name mcp__server__tool,
// reading a resource does under the name Read, and a prompt of the server fires
// UserPromptExpansion. What the server asks the person fires Elicitation and
// ElicitationResult. All other messages pass through as they are, byte by byte, in both
// directions and in their order.
//
// A question of a hook goes to the person through the client, where the client can put
// questions to a person; else the call is refused. So is every call about which the hooks
// could not be asked.
package mcpproxy
