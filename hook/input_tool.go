package hook

// PreToolUse is the input of the event: a tool call is about to run, before permissions are checked.
type PreToolUse struct {
	Common
	ToolName  string    `json:"tool_name" doc:"name of the tool"`
	ToolInput ToolInput `json:"tool_input" doc:"arguments of the call"`
	ToolUseID string    `json:"tool_use_id,omitzero" doc:"id of the call"`
}

// Event returns EventPreToolUse.
func (in *PreToolUse) Event() Event { return EventPreToolUse }

// Subject returns the ToolName.
func (in *PreToolUse) Subject() string { return in.ToolName }

func (in *PreToolUse) cells() cells { return cells{input: &in.ToolInput} }

// PermissionRequest is the input of the event: a person is about to be asked for permission.
type PermissionRequest struct {
	Common
	ToolName              string    `json:"tool_name" doc:"name of the tool"`
	ToolInput             ToolInput `json:"tool_input" doc:"arguments of the call"`
	PermissionSuggestions []JSON    `json:"permission_suggestions,omitempty" doc:"rule changes that would allow the call"`
}

// Event returns EventPermissionRequest.
func (in *PermissionRequest) Event() Event { return EventPermissionRequest }

// Subject returns the ToolName.
func (in *PermissionRequest) Subject() string { return in.ToolName }

func (in *PermissionRequest) cells() cells { return cells{input: &in.ToolInput} }

// PermissionDenied is the input of the event: a tool call was refused.
type PermissionDenied struct {
	Common
	ToolName  string    `json:"tool_name" doc:"name of the tool"`
	ToolInput ToolInput `json:"tool_input" doc:"arguments of the call"`
	ToolUseID string    `json:"tool_use_id,omitzero" doc:"id of the call"`
	Reason    string    `json:"reason" doc:"why"`
	// Explicit says that a rule, a hook, a person or a program said no: not the agent by itself.
	Explicit bool `json:"-"`
}

// Event returns EventPermissionDenied.
func (in *PermissionDenied) Event() Event { return EventPermissionDenied }

// Subject returns the ToolName.
func (in *PermissionDenied) Subject() string { return in.ToolName }

// ToolExecutionStart is the input of the event: a tool starts to run.
type ToolExecutionStart struct {
	Common
	ToolName  string    `json:"tool_name" doc:"name of the tool"`
	ToolInput ToolInput `json:"tool_input" doc:"arguments of the call"`
	ToolUseID string    `json:"tool_use_id,omitzero" doc:"id of the call"`
}

// Event returns EventToolExecutionStart.
func (in *ToolExecutionStart) Event() Event { return EventToolExecutionStart }

// Subject returns the ToolName.
func (in *ToolExecutionStart) Subject() string { return in.ToolName }

// ToolExecutionUpdate is the input of the event: a running tool reports progress.
type ToolExecutionUpdate struct {
	Common
	ToolName      string    `json:"tool_name" doc:"name of the tool"`
	ToolInput     ToolInput `json:"tool_input" doc:"arguments of the call"`
	ToolUseID     string    `json:"tool_use_id,omitzero" doc:"id of the call"`
	PartialResult JSON      `json:"partial_result,omitzero" doc:"what there is so far"`
}

// Event returns EventToolExecutionUpdate.
func (in *ToolExecutionUpdate) Event() Event { return EventToolExecutionUpdate }

// Subject returns the ToolName.
func (in *ToolExecutionUpdate) Subject() string { return in.ToolName }

// ToolExecutionEnd is the input of the event: a tool ran, and hooks have seen its result.
type ToolExecutionEnd struct {
	Common
	ToolName   string    `json:"tool_name" doc:"name of the tool"`
	ToolInput  ToolInput `json:"tool_input" doc:"arguments of the call"`
	ToolUseID  string    `json:"tool_use_id,omitzero" doc:"id of the call"`
	Result     JSON      `json:"result,omitzero" doc:"its result"`
	IsError    bool      `json:"is_error,omitzero" doc:"whether it failed"`
	DurationMS float64   `json:"duration_ms,omitzero" doc:"how long it ran, in milliseconds"`
	// Content is what the model reads of Result, as content blocks; zero when nobody said.
	Content JSON `json:"-"`
}

// Event returns EventToolExecutionEnd.
func (in *ToolExecutionEnd) Event() Event { return EventToolExecutionEnd }

// Subject returns the ToolName.
func (in *ToolExecutionEnd) Subject() string { return in.ToolName }

// PostToolUse is the input of the event: a tool call succeeded.
type PostToolUse struct {
	Common
	ToolName          string    `json:"tool_name" doc:"name of the tool"`
	ToolInput         ToolInput `json:"tool_input" doc:"arguments of the call"`
	ToolResponse      JSON      `json:"tool_response" doc:"what the tool returned"`
	ToolUseID         string    `json:"tool_use_id,omitzero" doc:"id of the call"`
	DurationMS        float64   `json:"duration_ms,omitzero" doc:"how long the tool took, in milliseconds"`
	OriginalToolInput JSON      `json:"original_tool_input,omitzero" doc:"arguments as the model gave them, when a hook changed them"`
	// Content is what the model reads of ToolResponse, as content blocks. It is zero
	// when nobody said, and once a hook has changed ToolResponse.
	Content JSON `json:"-"`
}

// Event returns EventPostToolUse.
func (in *PostToolUse) Event() Event { return EventPostToolUse }

// Subject returns the ToolName.
func (in *PostToolUse) Subject() string { return in.ToolName }

func (in *PostToolUse) cells() cells {
	return cells{input: &in.ToolInput, output: &in.ToolResponse, content: &in.Content}
}

// PostToolUseFailure is the input of the event: a tool call ran and failed.
type PostToolUseFailure struct {
	Common
	ToolName          string    `json:"tool_name" doc:"name of the tool"`
	ToolInput         ToolInput `json:"tool_input" doc:"arguments of the call"`
	ToolUseID         string    `json:"tool_use_id,omitzero" doc:"id of the call"`
	Error             string    `json:"error" doc:"what went wrong"`
	IsInterrupt       bool      `json:"is_interrupt,omitzero" doc:"whether a person interrupted it"`
	ToolResponse      JSON      `json:"tool_response,omitzero" doc:"what the tool returned, if anything"`
	DurationMS        float64   `json:"duration_ms,omitzero" doc:"how long the tool took, in milliseconds"`
	OriginalToolInput JSON      `json:"original_tool_input,omitzero" doc:"arguments as the model gave them, when a hook changed them"`
	// Content is what the model reads of ToolResponse or Error; see PostToolUse.
	Content JSON `json:"-"`
}

// Event returns EventPostToolUseFailure.
func (in *PostToolUseFailure) Event() Event { return EventPostToolUseFailure }

// Subject returns the ToolName.
func (in *PostToolUseFailure) Subject() string { return in.ToolName }

func (in *PostToolUseFailure) cells() cells {
	return cells{input: &in.ToolInput, output: &in.ToolResponse, content: &in.Content}
}

// PostToolBatch is the input of the event: all tool calls of one turn are done.
type PostToolBatch struct {
	Common
	ToolCalls []JSON `json:"tool_calls" doc:"calls with their results"`
}

// Event returns EventPostToolBatch.
func (in *PostToolBatch) Event() Event { return EventPostToolBatch }
