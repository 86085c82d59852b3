// Package copilot is the dialect of GitHub Copilot: of its CLI, its cloud agent and the agent
// of VS Code, which read the same files. The case of an event's name in a file chooses the
// form: preToolUse has one of its own, in which payloads name no event, and PreToolUse that
// of VS Code, with Claude Code's names of events and tools.
package copilot
