package hook

import "fmt"

// Event names a moment of an agent's life at which hooks run. The zero Event
// means no event. Its text form, used in JSON, files and logs, is the canonical name
// such as "PreToolUse".
type Event uint8

// The events. Each has one input type of the same name and one row in the event
// table, which Spec describes.
const (
	_ Event = iota
	EventSessionStart
	EventSessionEnd
	EventSetup
	EventUserInput
	EventUserPromptSubmit
	EventUserPromptExpansion
	EventUserBash
	EventAgentStart
	EventAgentEnd
	EventAgentSettled
	EventTurnStart
	EventTurnEnd
	EventContext
	EventProviderRequest
	EventProviderResponse
	EventMessageStart
	EventMessageUpdate
	EventMessageEnd
	EventMessageDisplay
	EventPreToolUse
	EventPermissionRequest
	EventPermissionDenied
	EventToolExecutionStart
	EventToolExecutionUpdate
	EventToolExecutionEnd
	EventPostToolUse
	EventPostToolUseFailure
	EventPostToolBatch
	EventNotification
	EventDialogStart
	EventDialogEnd
	EventStop
	EventStopFailure
	EventSubagentStart
	EventSubagentStop
	EventTeammateIdle
	EventTaskCreated
	EventTaskCompleted
	EventPreCompact
	EventCompacting
	EventPostCompact
	EventCompactFailed
	EventAutoCompactionStart
	EventAutoCompactionEnd
	EventAutoRetryStart
	EventAutoRetryEnd
	EventRuleTriggered
	EventTodoReminder
	EventSessionBeforeSwitch
	EventSessionSwitch
	EventSessionBeforeBranch
	EventSessionBranch
	EventSessionBeforeTree
	EventSessionTree
	EventSessionRenamed
	EventPreModelSwitch
	EventPostModelSwitch
	EventInstructionsLoaded
	EventResourcesDiscover
	EventConfigChange
	EventCwdChanged
	EventDirectoryAdded
	EventFileChanged
	EventWorktreeCreate
	EventWorktreeRemove
	EventToolOffered
	EventElicitation
	EventElicitationResult

	eventCount
)

// String returns the canonical name, or "Event(n)" for a value that is not an event.
func (e Event) String() string {
	if e == 0 || e >= eventCount {
		return fmt.Sprintf("Event(%d)", uint8(e))
	}
	return table[e].Name
}

// Valid reports whether e is a known event.
func (e Event) Valid() bool { return e > 0 && e < eventCount }

// Spec returns the event's row of the table. It panics for an invalid Event.
func (e Event) Spec() Spec { return *e.spec() }

func (e Event) spec() *Spec {
	if !e.Valid() {
		panic(fmt.Sprintf("hook: %v is not an event", e))
	}
	return &table[e]
}

// MarshalText returns the canonical name.
func (e Event) MarshalText() ([]byte, error) {
	if !e.Valid() {
		return nil, fmt.Errorf("hook: %v is not an event", e)
	}
	return []byte(table[e].Name), nil
}

// UnmarshalText accepts exactly a canonical name.
func (e *Event) UnmarshalText(b []byte) error {
	ev, ok := ParseEvent(string(b))
	if !ok {
		return &UnknownEventError{Name: string(b)}
	}
	*e = ev
	return nil
}

// ParseEvent finds the event with exactly this canonical name.
func ParseEvent(name string) (Event, bool) {
	for e := Event(1); e < eventCount; e++ {
		if table[e].Name == name {
			return e, true
		}
	}
	return 0, false
}

// UnknownEventError reports a name that is not an event.
type UnknownEventError struct {
	Name string
	// Suggestion is the name that was probably meant, "" when nobody looked for one.
	Suggestion string
}

func (e *UnknownEventError) Error() string {
	msg := fmt.Sprintf("unknown event %q", e.Name)
	if e.Suggestion != "" {
		msg += fmt.Sprintf(" (did you mean %s?)", e.Suggestion)
	}
	return msg
}

// Events returns every event in table order.
func Events() []Event {
	out := make([]Event, 0, eventCount-1)
	for e := Event(1); e < eventCount; e++ {
		out = append(out, e)
	}
	return out
}
