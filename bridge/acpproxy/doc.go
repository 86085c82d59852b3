// Package acpproxy stands between a client of the Agent Client Protocol, which is an editor,
// and any agent that speaks it, so that hooks guard the agent without either knowing.
//
// A prompt fires UserInput and UserPromptSubmit, what the agent asks permission for fires
// PreToolUse and PermissionRequest, and what it does through the editor (files, terminals)
// fires PreToolUse and PostToolUse, with changes both ways. What it does by itself is only
// seen: ToolExecutionStart and what follows. When the agent wants to stop, Stop may send it
// on. All other messages pass as they are, byte by byte, in both directions and in their
// order.
//
// A session has the hooks of its own directory. One whose hooks cannot be loaded is refused,
// and so is every call about which they cannot be asked.
package acpproxy
