package agent

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// EventKind says what an Event reports.
type EventKind string

// The kinds of event.
const (
	// KindSession: a session was opened; Session and Text, the source.
	KindSession EventKind = "session"
	// KindText and KindThinking: the model's stream goes on; Text. KindDiscard: what
	// the stream brought so far doesn't count, the call is made again.
	KindText     EventKind = "text"
	KindThinking EventKind = "thinking"
	KindDiscard  EventKind = "discard"
	// KindMessage: a message was recorded; Message, EntryID, and for an answer Usage,
	// MessageID, Model, StopReason and Took.
	KindMessage EventKind = "message"
	// KindCustom: a hook's message was recorded; Text, CustomType, Display and Details.
	KindCustom EventKind = "custom"
	// KindToolStart, KindToolProgress and KindToolEnd: a tool runs; Call, and Text, or
	// ToolResult and Response.
	KindToolStart    EventKind = "tool_start"
	KindToolProgress EventKind = "tool_progress"
	KindToolEnd      EventKind = "tool_end"
	// KindStream: the model's answer as it arrives, whole and in order; Stream.
	KindStream EventKind = "stream"
	// KindRetry: a failed model call is made again; Retry.
	KindRetry EventKind = "retry"
	// KindDenied: a call was refused by rules, by the mode, or because nobody is there to
	// ask; Call, Text is what the model is told, Source what decided.
	KindDenied EventKind = "denied"
	// KindTask: a subagent begins on a task, or, when it has a Status, has ended; Task.
	KindTask EventKind = "task"
	// KindNotice: something for the person; Text and Level.
	KindNotice EventKind = "notice"
	// KindHookOutput: what a hook printed, unless it was suppressed; Text and
	// Source.
	KindHookOutput EventKind = "hook_output"
	// KindCompacted: the conversation was compacted; Text is the summary, Source the trigger,
	// Tokens how many there were before.
	KindCompacted EventKind = "compacted"
	// KindIdle: a prompt is over; Result says how.
	KindIdle EventKind = "idle"
)

// Event is something that happens in an agent, for showing it. Kind says which
// fields count.
type Event struct {
	Kind EventKind
	// AgentID and AgentType name the subagent it happens in, "" for the main agent.
	AgentID, AgentType string
	// ParentCall is the id of the tool call that started the subagent.
	ParentCall string
	Session    string
	Text       string
	Level      ui.Level
	Source     string
	CustomType string
	Display    bool
	Details    jsontext.Value // nil for none
	Message    *model.Message
	// Stored is the JSON of Message in the session, where more than Message may stand.
	Stored     jsontext.Value
	Usage      *model.Usage
	Call       *model.Block
	ToolResult *model.Block
	// Response is the tool's own form of its result, as hooks left it.
	Response hook.JSON
	// EntryID is the id of the message in the session, MessageID that of the provider's.
	EntryID, MessageID string
	Model, StopReason  string
	Took               time.Duration
	Tokens             int64
	Stream             *model.Event
	Retry              *RetryEvent
	Task               *Task
	Result             *Result
}

// RetryEvent is a model call that failed and is made again.
type RetryEvent struct {
	Attempt, Max int // of the further attempts
	Delay        time.Duration
	Err          error
}

// emit tells the embedding program.
func (a *Agent) emit(ev Event) {
	if a.cfg.OnEvent == nil {
		return
	}
	ev.AgentID, ev.AgentType, ev.ParentCall, ev.Session = a.id, a.kind, a.call, a.SessionID()
	a.family.eventLock.Lock()
	defer a.family.eventLock.Unlock()
	a.cfg.OnEvent(ev)
}

// notify shows something to the person.
func (a *Agent) notify(text string, level ui.Level) {
	if text == "" {
		return
	}
	a.cfg.UI.Notify(text, level)
	a.emit(Event{Kind: KindNotice, Text: text, Level: level})
}
