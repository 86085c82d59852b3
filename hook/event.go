package hook

import (
	"fmt"
	"strings"
)

// Event names a moment of an agent's life at which hooks run. The zero Event is
// no event. Its text form, used in JSON, files and logs, is the canonical name
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
	EventTurnStart
	EventTurnEnd
	EventContext
	EventProviderRequest
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
	EventElicitation
	EventElicitationResult

	eventCount
)

// String returns the canonical name, or "Event(n)" for a value that is no event.
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
		panic(fmt.Sprintf("hook: %v is no event", e))
	}
	return &table[e]
}

// MarshalText returns the canonical name.
func (e Event) MarshalText() ([]byte, error) {
	if !e.Valid() {
		return nil, fmt.Errorf("hook: %v is no event", e)
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

// UnknownEventError reports a name that is no event.
type UnknownEventError struct{ Name string }

func (e *UnknownEventError) Error() string {
	msg := fmt.Sprintf("unknown event %q", e.Name)
	if s := e.Suggestion(); s != "" {
		msg += fmt.Sprintf(" (did you mean %s?)", s)
	}
	return msg
}

// Suggestion returns the canonical name closest in spelling, or "".
func (e *UnknownEventError) Suggestion() string {
	best, bestDistance := "", 1+len(e.Name)/3
	for ev := Event(1); ev < eventCount; ev++ {
		d := editDistance(strings.ToLower(e.Name), strings.ToLower(table[ev].Name))
		if d < bestDistance {
			best, bestDistance = table[ev].Name, d
		}
	}
	return best
}

// Events returns every event in table order.
func Events() []Event {
	out := make([]Event, 0, eventCount-1)
	for e := Event(1); e < eventCount; e++ {
		out = append(out, e)
	}
	return out
}

// editDistance is the Levenshtein distance of two short strings; long ones are
// cut, since a suggestion for a page of text helps nobody.
func editDistance(a, b string) int {
	a, b = a[:min(len(a), 40)], b[:min(len(b), 40)]
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		cur := make([]int, len(b)+1)
		cur[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
		}
		prev = cur
	}
	return prev[len(b)]
}
