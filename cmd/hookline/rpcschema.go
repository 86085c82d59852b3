package main

import (
	"errors"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/schema"
	"github.com/hookline-dev/hookline/ui"
)

// rpcIdle is how long after a prompt the embedding program is told that the agent
// waits.
const rpcIdle = time.Minute

// requestTypes are the types of requests.
const requestTypes = "prompt, steer, follow_up, abort, compact, new_session, resume, branch, navigate, rewind_files, set_model, set_permission_mode, get_state, get_messages, shutdown"

// rpcRequest is a line from the embedding program, besides answers to questions,
// which are ui.RPCMessage.
type rpcRequest struct {
	Type string `json:"type" doc:"prompt, steer, follow_up, abort, compact, new_session, resume, branch, navigate, rewind_files, set_model, set_permission_mode, get_state, get_messages, shutdown"`
	ID   string `json:"id" doc:"comes back in the answer"`
	// What counts depends on the type.
	Text         string        `json:"text,omitzero" doc:"prompt, steer, follow_up: the text; compact: instructions"`
	Images       []model.Image `json:"images,omitempty" doc:"prompt: images: type base64 with media_type and data, or type url with url"`
	Session      string        `json:"session,omitzero" doc:"resume: id or file"`
	Entry        string        `json:"entry,omitzero" doc:"branch, navigate, rewind_files: id of the entry"`
	DryRun       bool          `json:"dry_run,omitzero" doc:"rewind_files: only say what would change"`
	Summarize    bool          `json:"summarize,omitzero" doc:"navigate: keep a summary of what is left"`
	Model        string        `json:"model,omitzero" doc:"set_model: the name"`
	Mode         string        `json:"mode,omitzero" doc:"set_permission_mode: the mode"`
	Instructions string        `json:"instructions,omitzero" doc:"compact, navigate: instructions for the summary"`
}

// rpcResponse answers a request; there is one for each.
type rpcResponse struct {
	Type    string         `json:"type" doc:"response"`
	ID      string         `json:"id" doc:"of the request"`
	Success bool           `json:"success"`
	Error   string         `json:"error,omitzero" doc:"why it failed"`
	Blocked bool           `json:"blocked,omitzero" doc:"a hook refused or cancelled it"`
	Data    jsontext.Value `json:"data,omitzero" doc:"what was asked for"`
}

// rpcEvent is something that happens in the agent.
type rpcEvent struct {
	Type       string       `json:"type" doc:"event"`
	Event      string       `json:"event" doc:"session, text, thinking, discard, message, custom, tool_start, tool_progress, tool_end, denied, retry, hook_output, compacted, idle"`
	SessionID  string       `json:"session_id"`
	AgentID    string       `json:"agent_id,omitzero" doc:"of the subagent it happens in"`
	AgentType  string       `json:"agent_type,omitzero"`
	ParentCall string       `json:"parent_tool_use_id,omitzero" doc:"the tool call that started the subagent"`
	Text       string       `json:"text,omitzero"`
	Source     string       `json:"source,omitzero" doc:"hook_output: name of the hook; denied: what decided"`
	CustomType string       `json:"custom_type,omitzero"`
	Display    bool         `json:"display,omitzero"`
	Message    any          `json:"message,omitzero" doc:"message: role and content blocks, in the shape of the Anthropic Messages API"`
	Usage      *model.Usage `json:"usage,omitzero"`
	Call       any          `json:"call,omitzero" doc:"the tool call, a content block"`
	ToolResult any          `json:"tool_result,omitzero" doc:"its result, a content block"`
	Retry      *rpcRetry    `json:"retry,omitzero" doc:"retry: a failed model call is made again; text says why"`
	Result     *rpcResult   `json:"result,omitzero" doc:"idle: how the prompt ended"`
}

// rpcRetry is a model call that is made again.
type rpcRetry struct {
	Attempt int   `json:"attempt" doc:"which further attempt it is"`
	Max     int   `json:"max_retries"`
	DelayMS int64 `json:"retry_delay_ms"`
	Status  *int  `json:"error_status" doc:"HTTP status, null when there was none"`
}

func retryOf(r *agent.RetryEvent) *rpcRetry {
	out := &rpcRetry{Attempt: r.Attempt, Max: r.Max, DelayMS: r.Delay.Milliseconds()}
	if api, ok := errors.AsType[*model.APIError](r.Err); ok && api.Status != 0 {
		out.Status = &api.Status
	}
	return out
}

// rpcResult is how a prompt ended.
type rpcResult struct {
	End    string      `json:"end" doc:"done, blocked, halted, deferred, interrupted, max_turns, budget or failed"`
	Reason string      `json:"reason,omitzero"`
	Text   string      `json:"text" doc:"the model's last text"`
	Turns  int         `json:"turns"`
	Usage  model.Usage `json:"usage"`
	Output string      `json:"output,omitzero" doc:"what a command has to say"`
}

// rpcState is what get_state answers.
type rpcState struct {
	SessionID      string   `json:"session_id"`
	SessionFile    string   `json:"session_file"`
	Leaf           string   `json:"leaf"`
	Title          string   `json:"title,omitzero"`
	Model          string   `json:"model"`
	PermissionMode string   `json:"permission_mode"`
	CWD            string   `json:"cwd"`
	Idle           bool     `json:"idle"`
	ContextTokens  int64    `json:"context_tokens"`
	Tools          []string `json:"tools"`
}

// rpcSchema is the JSON Schema of the lines of rpc.
func rpcSchema() ([]byte, error) {
	var lines []jsontext.Value
	for _, l := range []struct {
		t            reflect.Type
		title, about string
	}{
		{reflect.TypeFor[rpcRequest](), "Request", "To the agent: what the embedding program asks for."},
		{reflect.TypeFor[rpcResponse](), "Response", "From the agent: the answer to one request."},
		{reflect.TypeFor[rpcEvent](), "Event", "From the agent: something that happens."},
		{reflect.TypeFor[ui.RPCMessage](), "UserInterface", "Either way: questions for the person and their answers, notices, status texts."},
		{reflect.TypeFor[hook.Emission](), "Hook", "From the agent: a hook starts, prints or answers."},
		{reflect.TypeFor[rpcState](), "State", "The data that get_state and most other requests answer with."},
		{reflect.TypeFor[rpcResult](), "Result", "The data that prompt answers with."},
	} {
		b, err := schema.Of(l.t, l.title, l.about)
		if err != nil {
			return nil, err
		}
		lines = append(lines, b)
	}
	b, err := json.Marshal(map[string]any{
		"$schema": schema.Draft, "title": "hookline rpc", "description": "One line of hookline rpc, to the agent or from it.",
		"oneOf": lines[:5], "$defs": map[string]any{"State": lines[5], "Result": lines[6]},
	}, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	v := jsontext.Value(b)
	if err := v.Indent(); err != nil {
		return nil, err
	}
	return append(v, '\n'), nil
}
