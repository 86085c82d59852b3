// Package acpagent serves the reference agent to a client of the Agent Client Protocol, which
// is an editor: sessions, prompts, streamed messages, calls of tools with what hooks said of
// them, permission questions, modes and slash commands.
package acpagent
