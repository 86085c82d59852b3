package ui

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Permission is a question about a tool call: whether it may run. Its texts come from a
// model and from hooks.
type Permission struct {
	// ToolUseID is the id of the call, AgentID the subagent's that makes it.
	ToolUseID string `json:"tool_use_id"`
	AgentID   string `json:"agent_id,omitzero"`
	Tool      string `json:"tool"`
	// Input is what would run, and Diff what it would change in a file, "" where that
	// is not known.
	Input jsontext.Value `json:"input"`
	Diff  string         `json:"diff,omitzero"`
	// Reason says why it is asked about, and Basis what wants that: rule, hook, mode,
	// protected, read-only or default.
	Reason string `json:"reason"`
	Basis  string `json:"basis,omitzero"`
	// HookReason is what the hook says that wants the question, and HookScope where it comes
	// from, such as user or plugin. Both are "" where none does.
	HookReason string `json:"hook_reason,omitzero"`
	HookScope  string `json:"hook_scope,omitzero"`
	// Path is the file outside of the working directories that it is asked about, if it is.
	Path string `json:"path,omitzero"`
	// Suggestions are the permission updates that would allow the call and its like from
	// now on.
	Suggestions []jsontext.Value `json:"suggestions,omitzero"`
}

// PermissionAnswer is what became of the question. The zero value refuses.
type PermissionAnswer struct {
	Allow bool
	// Input, when not nil, is what is to run in place of what was asked about.
	Input jsontext.Value
	// Updates are permission updates that take effect.
	Updates []jsontext.Value
	// Message says why it is refused, and Interrupt ends the turn too.
	Message   string
	Interrupt bool
}

// Permitter is a UI that answers questions about tool calls as such. Others are asked by
// Select, with the question in the Dialog.
type Permitter interface {
	// Permit waits for the answer. An error refuses the call.
	Permit(ctx context.Context, p Permission) (PermissionAnswer, error)
}
