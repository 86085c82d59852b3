package kodelet

import (
	"slices"

	"github.com/hookline-dev/hookline/hook"
)

// Name is the dialect's name.
const Name = "kodelet"

// The hook types.
const (
	BeforeToolCall  = "before_tool_call"
	AfterToolCall   = "after_tool_call"
	UserMessageSend = "user_message_send"
	AgentStop       = "agent_stop"
	TurnEnd         = "turn_end"
)

// types pairs each hook type with the canonical events that it covers.
var types = []struct {
	name   string
	events []hook.Event
}{
	{BeforeToolCall, []hook.Event{hook.EventPreToolUse}},
	{AfterToolCall, []hook.Event{hook.EventPostToolUse, hook.EventPostToolUseFailure}},
	{UserMessageSend, []hook.Event{hook.EventUserPromptSubmit}},
	{AgentStop, []hook.Event{hook.EventStop, hook.EventSubagentStop}},
	{TurnEnd, []hook.Event{hook.EventTurnEnd}},
}

// Types returns the hook types in their order.
func Types() []string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = t.name
	}
	return out
}

// Events returns the canonical events of a hook type, nil for an unknown one. The
// first is the one that the type is named after.
func Events(typ string) []hook.Event {
	for _, t := range types {
		if t.name == typ {
			return slices.Clone(t.events)
		}
	}
	return nil
}

// TypeOf returns the hook type that covers an event, "" when none does.
func TypeOf(ev hook.Event) string {
	for _, t := range types {
		if slices.Contains(t.events, ev) {
			return t.name
		}
	}
	return ""
}

// condition is what hooks of an event wait for: kodelet (0.4.22) ends no turn in which the
// model said nothing, as when it only called tools.
func condition(ev hook.Event) hook.Condition {
	if ev != hook.EventTurnEnd {
		return nil
	}
	return func(in hook.Input) (hook.Matched, string) {
		if end, ok := in.(*hook.TurnEnd); ok && end.Response == "" {
			return hook.MatchNo, "the model said nothing in this turn"
		}
		return hook.MatchYes, ""
	}
}
