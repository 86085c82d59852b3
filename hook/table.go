package hook

import "reflect"

// Spec is one row of the event table: everything about an event that the engine,
// the documentation, the command line and the JSON Schema need to know.
type Spec struct {
	Event Event
	// Name is the canonical name.
	Name string
	// Fires says when the event happens.
	Fires string
	// Subject names what a matcher is tested against, "" for an event on which
	// matchers have no say.
	Subject string
	// Honours is the set of parts of an answer that have an effect, beside those that
	// have one everywhere.
	Honours Fields
	// Effect says what a deny does here, "" when the event cannot be denied.
	Effect string
	// OnFailure is what the failure of a hook counts as when its registration
	// does not say: open for nearly every event.
	OnFailure FailurePolicy

	keepsGoing bool // see KeepsGoing
	input      inputKind
}

// New returns an empty input of the event.
func (s Spec) New() Input { return s.input.empty() }

// Type returns the struct type of the event's input.
func (s Spec) Type() reflect.Type { return s.input.typ() }

// CanBlock reports whether a deny has an effect.
func (s Spec) CanBlock() bool { return s.Honours&FieldDeny != 0 }

// KeepsGoing reports whether a deny makes the agent go on rather than stop.
func (s Spec) KeepsGoing() bool { return s.keepsGoing }

// CanFailClosed reports whether a failure may count as a deny: where there is one, and
// it does not keep the agent going, which a broken hook would do for ever.
func (s Spec) CanFailClosed() bool { return s.CanBlock() && !s.keepsGoing }

// cancels reports whether a deny and a cancel are the same thing here.
func (s *Spec) cancels() bool { return s.Honours&FieldCancel != 0 }

// inputOf is the constraint of a type whose pointer is an Input.
type inputOf[T any] interface {
	*T
	Input
}

// inputKind is what an event's input struct is needed for.
type inputKind interface {
	empty() Input
	clone(in Input) Input
	typ() reflect.Type
}

type kindOf[T any, P inputOf[T]] struct{}

func (kindOf[T, P]) empty() Input { return P(new(T)) }

func (kindOf[T, P]) clone(in Input) Input {
	c := *in.(P)
	out := P(&c)
	if m := out.cells().messages; m != nil {
		*m = append([]Message(nil), *m...)
	}
	return out
}

func (kindOf[T, P]) typ() reflect.Type { return reflect.TypeFor[T]() }

// row ties an input struct to its event's description.
func row[T any, P inputOf[T]](s Spec) Spec {
	s.input = kindOf[T, P]{}
	s.Event = P(nil).Event()
	s.Name = s.Type().Name()
	return s
}

const (
	fieldStop   = FieldDeny | FieldContinue | FieldFollowUps | FieldContext
	fieldBefore = FieldDeny | FieldCancel
)

// table has one row an event. It is written once, here, and never changed.
var table = [eventCount]Spec{
	EventSessionStart: row[SessionStart](Spec{
		Fires: "a session begins, is resumed, cleared, compacted or forked", Subject: "source",
		Honours: FieldContext | FieldInitialUserMessage | FieldSessionTitle | FieldWatchPaths | FieldReloadSkills,
	}),
	EventSessionEnd: row[SessionEnd](Spec{Fires: "a session ends", Subject: "reason"}),
	EventSetup:      row[Setup](Spec{Fires: "the project is set up (--init) or maintained (--maintenance)", Subject: "trigger"}),

	EventUserInput: row[UserInput](Spec{
		Fires:   "the user typed something, before commands are looked for",
		Honours: FieldUpdatedPrompt | FieldHandled | FieldDeny, Effect: "the input is dropped",
	}),
	EventUserPromptSubmit: row[UserPromptSubmit](Spec{
		Fires:   "a prompt is submitted, before the model sees it",
		Honours: FieldDeny | FieldContext | FieldUpdatedPrompt | FieldInject | FieldSessionTitle | FieldSuppressOriginalPrompt | FieldSystemPrompt,
		Effect:  "the prompt is refused and not stored",
	}),
	EventUserPromptExpansion: row[UserPromptExpansion](Spec{
		Fires: "a slash command or MCP prompt is expanded", Subject: "command_name",
		Honours: FieldDeny | FieldContext, Effect: "the expansion is refused",
	}),
	EventUserBash: row[UserBash](Spec{
		Fires:   "the user runs a shell command",
		Honours: FieldDeny | FieldHandled | FieldUpdatedOutput, Effect: "the command does not run",
	}),

	EventAgentStart:   row[AgentStart](Spec{Fires: "the agent starts on a prompt"}),
	EventAgentEnd:     row[AgentEnd](Spec{Fires: "the agent is done with a prompt"}),
	EventAgentSettled: row[AgentSettled](Spec{Fires: "the agent is done with a prompt and with what hooks made of its end"}),
	EventTurnStart:    row[TurnStart](Spec{Fires: "a turn begins"}),
	EventTurnEnd:      row[TurnEnd](Spec{Fires: "a turn is over"}),
	EventContext:      row[Context](Spec{Fires: "the model is about to be called", Honours: FieldMessages | FieldSystemPrompt}),
	EventProviderRequest: row[ProviderRequest](Spec{
		Fires:   "the provider's request is about to be sent",
		Honours: FieldUpdatedInput,
	}),

	EventProviderResponse: row[ProviderResponse](Spec{Fires: "the provider has begun to answer"}),

	EventMessageStart:   row[MessageStart](Spec{Fires: "a message begins"}),
	EventMessageUpdate:  row[MessageUpdate](Spec{Fires: "a message grows"}),
	EventMessageEnd:     row[MessageEnd](Spec{Fires: "a message is complete", Honours: FieldMessage}),
	EventMessageDisplay: row[MessageDisplay](Spec{Fires: "text of the assistant is about to be shown", Honours: FieldDisplayContent}),

	EventPreToolUse: row[PreToolUse](Spec{
		Fires: "a tool call is about to run, before permissions are checked", Subject: "tool_name",
		Honours: fieldDecisions | FieldUpdatedInput | FieldContext, Effect: "the tool does not run; the model is told the reason",
	}),
	EventPermissionRequest: row[PermissionRequest](Spec{
		Fires: "a person is about to be asked for permission", Subject: "tool_name",
		Honours: FieldAllow | FieldDeny | FieldUpdatedInput | FieldPermissionUpdates | FieldInterrupt, Effect: "the call is refused",
	}),
	EventPermissionDenied:    row[PermissionDenied](Spec{Fires: "a tool call was refused", Subject: "tool_name", Honours: FieldRetry}),
	EventToolExecutionStart:  row[ToolExecutionStart](Spec{Fires: "a tool starts to run", Subject: "tool_name"}),
	EventToolExecutionUpdate: row[ToolExecutionUpdate](Spec{Fires: "a running tool reports progress", Subject: "tool_name"}),
	EventToolExecutionEnd:    row[ToolExecutionEnd](Spec{Fires: "a tool ran, and hooks have seen its result", Subject: "tool_name"}),
	EventPostToolUse: row[PostToolUse](Spec{
		Fires: "a tool call succeeded", Subject: "tool_name",
		Honours: FieldDeny | FieldContext | FieldUpdatedOutput | FieldIsError | FieldClassifierContext,
		Effect:  "the model is told the reason; the tool has run already",
	}),
	EventPostToolUseFailure: row[PostToolUseFailure](Spec{
		Fires: "a tool call ran and failed", Subject: "tool_name",
		Honours: FieldDeny | FieldContext | FieldUpdatedOutput | FieldIsError, Effect: "the model is told the reason",
	}),
	EventPostToolBatch: row[PostToolBatch](Spec{
		Fires:   "all tool calls of one turn are done",
		Honours: FieldDeny | FieldContext, Effect: "the loop stops before the next model call",
	}),

	EventNotification: row[Notification](Spec{Fires: "the host notifies the person", Subject: "notification_type", Honours: FieldContext}),
	EventDialogStart:  row[DialogStart](Spec{Fires: "a hook begins to wait for an answer of the person"}),
	EventDialogEnd:    row[DialogEnd](Spec{Fires: "that wait is over"}),
	EventStop: row[Stop](Spec{
		Fires:   "the agent is about to stop",
		Honours: fieldStop, keepsGoing: true, Effect: "the agent goes on, with the reason as its instruction",
	}),
	EventStopFailure:   row[StopFailure](Spec{Fires: "a turn ended with an API error", Subject: "error"}),
	EventSubagentStart: row[SubagentStart](Spec{Fires: "a subagent starts", Subject: "agent_type", Honours: FieldContext}),
	EventSubagentStop: row[SubagentStop](Spec{
		Fires: "a subagent is about to stop", Subject: "agent_type",
		Honours: fieldStop, keepsGoing: true, Effect: "the subagent goes on, with the reason as its instruction",
	}),
	EventTeammateIdle: row[TeammateIdle](Spec{
		Fires:   "a teammate is about to be idle",
		Honours: FieldDeny, keepsGoing: true, Effect: "the teammate goes on, with the reason as its instruction",
	}),
	EventTaskCreated:   row[TaskCreated](Spec{Fires: "a task is being created", Honours: FieldDeny, Effect: "the task is not created"}),
	EventTaskCompleted: row[TaskCompleted](Spec{Fires: "a task is being marked done", Honours: FieldDeny, Effect: "the task stays open"}),

	EventPreCompact: row[PreCompact](Spec{
		Fires: "the conversation is about to be compacted", Subject: "trigger",
		Honours: fieldBefore | FieldCompaction | FieldCompacting, Effect: "there is no compaction",
	}),
	EventCompacting:          row[Compacting](Spec{Fires: "the summary is about to be asked for", Honours: FieldCompacting}),
	EventPostCompact:         row[PostCompact](Spec{Fires: "the conversation was compacted", Subject: "trigger"}),
	EventCompactFailed:       row[CompactFailed](Spec{Fires: "a compaction came to nothing", Subject: "trigger"}),
	EventAutoCompactionStart: row[AutoCompactionStart](Spec{Fires: "the host starts a compaction by itself"}),
	EventAutoCompactionEnd:   row[AutoCompactionEnd](Spec{Fires: "that compaction is over"}),
	EventAutoRetryStart:      row[AutoRetryStart](Spec{Fires: "a failed model call is about to be tried again"}),
	EventAutoRetryEnd:        row[AutoRetryEnd](Spec{Fires: "retrying is over"}),
	EventRuleTriggered:       row[RuleTriggered](Spec{Fires: "rules interrupted the model's stream"}),
	EventTodoReminder:        row[TodoReminder](Spec{Fires: "the agent wants to stop with open todos"}),

	EventSessionBeforeSwitch: row[SessionBeforeSwitch](Spec{
		Fires: "another session is about to be opened", Subject: "reason",
		Honours: fieldBefore, Effect: "the session stays as it is",
	}),
	EventSessionSwitch: row[SessionSwitch](Spec{Fires: "another session was opened", Subject: "reason"}),
	EventSessionBeforeBranch: row[SessionBeforeBranch](Spec{
		Fires:   "a branch is about to be made",
		Honours: fieldBefore | FieldSkipRestore, Effect: "there is no branch",
	}),
	EventSessionBranch: row[SessionBranch](Spec{Fires: "a branch was made"}),
	EventSessionBeforeTree: row[SessionBeforeTree](Spec{
		Fires:   "the leaf of the session is about to move",
		Honours: fieldBefore | FieldSummary, Effect: "the leaf stays where it is",
	}),
	EventSessionTree:    row[SessionTree](Spec{Fires: "the leaf of the session moved"}),
	EventSessionRenamed: row[SessionRenamed](Spec{Fires: "the session has another title"}),
	EventPreModelSwitch: row[PreModelSwitch](Spec{
		Fires: "the model is about to change", Subject: "to_model",
		Honours: FieldAllow | FieldAsk | FieldDeny, Effect: "the model stays", OnFailure: FailClosed,
	}),
	EventPostModelSwitch: row[PostModelSwitch](Spec{Fires: "the model changed", Subject: "to_model", Honours: FieldContext}),

	EventInstructionsLoaded: row[InstructionsLoaded](Spec{Fires: "an instructions file was loaded", Subject: "load_reason"}),
	EventResourcesDiscover:  row[ResourcesDiscover](Spec{Fires: "the host looks for skills, prompts and themes", Subject: "reason", Honours: FieldResourcePaths}),
	EventConfigChange: row[ConfigChange](Spec{
		Fires: "a settings or skills file changed during the session", Subject: "source",
		Honours: FieldDeny, Effect: "the change does not take effect",
	}),
	EventCwdChanged:     row[CwdChanged](Spec{Fires: "the working directory changed", Honours: FieldWatchPaths}),
	EventDirectoryAdded: row[DirectoryAdded](Spec{Fires: "a directory was added to the session", Subject: "source"}),
	EventFileChanged:    row[FileChanged](Spec{Fires: "a watched file changed on disk", Subject: "base name of file_path", Honours: FieldWatchPaths}),
	EventWorktreeCreate: row[WorktreeCreate](Spec{
		Fires:   "a worktree is asked for",
		Honours: FieldDeny | FieldWorktreePath, Effect: "there is no worktree", OnFailure: FailClosed,
	}),
	EventWorktreeRemove: row[WorktreeRemove](Spec{Fires: "a worktree is removed"}),
	EventToolOffered: row[ToolOffered](Spec{
		Fires: "an MCP server offers a tool, before a model learns of it", Subject: "tool_name",
		Honours: FieldDeny | FieldUpdatedInput, Effect: "the tool is left out, and calls of it are refused", OnFailure: FailClosed,
	}),
	EventElicitation: row[Elicitation](Spec{
		Fires: "an MCP server asks the user for input", Subject: "mcp_server_name",
		Honours: FieldDeny | FieldElicitation, Effect: "the question is declined",
	}),
	EventElicitationResult: row[ElicitationResult](Spec{
		Fires: "the user answered an MCP server", Subject: "mcp_server_name",
		Honours: FieldDeny | FieldElicitation, Effect: "the answer becomes a decline",
	}),
}
