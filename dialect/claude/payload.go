package claude

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// commonOrder are the members that stand before those of the event, in this order.
var commonOrder = list(
	"session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "agent_id", "agent_type", "effort", "scratchpad_dir", "hook_event_name",
)

// unknownMembers are members of the engine's inputs that hooks of this dialect do not
// get: they are other dialects' or a Go hook's.
var unknownMembers = map[string]func(hook.Event) bool{
	"invoked_by":       func(hook.Event) bool { return true },
	"recipe_name":      func(hook.Event) bool { return true },
	"system_prompt":    func(ev hook.Event) bool { return ev == hook.EventUserPromptSubmit },
	"messages":         func(ev hook.Event) bool { return ev == hook.EventStop || ev == hook.EventSubagentStop },
	"tool_response":    func(ev hook.Event) bool { return ev == hook.EventPostToolUseFailure },
	"previous_session": func(ev hook.Event) bool { return ev == hook.EventSessionStart },
	"target_session":   func(ev hook.Event) bool { return ev == hook.EventSessionEnd },
	"permission_mode":  func(ev hook.Event) bool { return slices.Contains(withoutMode, ev) },
	"preparation":      func(ev hook.Event) bool { return ev == hook.EventPreCompact },
	"branch_entries":   func(ev hook.Event) bool { return ev == hook.EventPreCompact },
	"compaction_entry": func(ev hook.Event) bool { return ev == hook.EventPostCompact },
	"from_hook":        func(ev hook.Event) bool { return ev == hook.EventPostCompact },
}

// withoutMode are the events that do not say the permission mode.
var withoutMode = []hook.Event{
	hook.EventSessionStart, hook.EventSessionEnd, hook.EventSetup, hook.EventMessageDisplay, hook.EventSubagentStart, hook.EventStopFailure, hook.EventCwdChanged, hook.EventFileChanged, hook.EventInstructionsLoaded,
	hook.EventPreCompact, hook.EventPostCompact, hook.EventPreModelSwitch, hook.EventTaskCreated, hook.EventTaskCompleted,
	hook.EventWorktreeCreate, hook.EventWorktreeRemove, hook.EventPostModelSwitch, hook.EventDirectoryAdded, hook.EventNotification,
	hook.EventElicitation, hook.EventElicitationResult,
}

// alwaysThere are members that are given although they are empty.
func alwaysThere(ev hook.Event) []member {
	none := hook.RawJSON("[]")
	switch ev {
	case hook.EventStop:
		return []member{{"background_tasks", none}, {"session_crons", none}}
	case hook.EventSubagentStop:
		return []member{{"background_tasks", none}, {"session_crons", none}, {"agent_type", hook.RawJSON(`""`)}}
	case hook.EventPostToolUseFailure:
		return []member{{"is_interrupt", hook.RawJSON("false")}}
	}
	return nil
}

// payload makes of an input's canonical form what hooks of this dialect read. Events
// that the dialect does not have keep all that they carry.
func payload(ev hook.Event, canonical []byte) ([]byte, error) {
	if !known(ev) {
		return canonical, nil
	}
	members, err := readMembers(jsontext.NewDecoder(bytes.NewReader(canonical), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)))
	if err != nil {
		return nil, fmt.Errorf("arranging the input: %w", err)
	}
	members = slices.DeleteFunc(members, func(m member) bool {
		drop := unknownMembers[m.key]
		return drop != nil && drop(ev)
	})
	if i := slices.IndexFunc(members, func(m member) bool { return m.key == "custom_instructions" && m.value.Raw() == `""` }); i >= 0 {
		members[i].value = hook.RawJSON("null") // the person gave none
	}
	for _, m := range alwaysThere(ev) {
		if !slices.ContainsFunc(members, func(have member) bool { return have.key == m.key }) {
			members = append(members, m)
		}
	}
	members = arrangeResumed(ev, members)
	arrangeServerResult(members)
	if err := errors.Join(arrangeToolInput(members), arrangeCalls(members)); err != nil {
		return nil, fmt.Errorf("arranging the input: %w", err)
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(rank(a.key), rank(b.key)) })
	out, err := writeMembers(make([]byte, 0, len(canonical)+64), members)
	if err != nil {
		return nil, fmt.Errorf("arranging the input: %w", err)
	}
	return out, nil
}

// ofResumed are the members that say how a session was left, in their order, with what
// they are when there is nothing to say.
var ofResumed = []member{
	{"seconds_since_last_response", hook.RawJSON("0")},
	{"context_tokens", hook.RawJSON("0")},
	{"prompt_cache_likely_expired", hook.RawJSON("false")},
	{"estimated_cache_write_usd", hook.RawJSON("0")},
}

// arrangeResumed says all of how a resumed session was left when some of it is known.
func arrangeResumed(ev hook.Event, members []member) []member {
	at := slices.IndexFunc(members, func(m member) bool {
		return slices.ContainsFunc(ofResumed, func(of member) bool { return of.key == m.key })
	})
	if ev != hook.EventSessionStart || at < 0 {
		return members
	}
	all := slices.Clone(ofResumed)
	members = slices.DeleteFunc(members, func(m member) bool {
		i := slices.IndexFunc(all, func(of member) bool { return of.key == m.key })
		if i >= 0 {
			all[i].value = m.value
		}
		return i >= 0
	})
	return slices.Insert(members, at, all...)
}

// writeMembers appends an object.
func writeMembers(out []byte, members []member) ([]byte, error) {
	var err error
	out = append(out, '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = jsontext.AppendQuote(out, m.key); err != nil {
			return nil, err
		}
		out = append(append(out, ':'), m.value.Raw()...)
	}
	return append(out, '}'), nil
}

// arrangeServerResult gives the result of a tool of an MCP server as its content alone, or,
// where it is structured, as the text of that.
func arrangeServerResult(members []member) {
	byKey := func(key string) *member {
		i := slices.IndexFunc(members, func(m member) bool { return m.key == key })
		if i < 0 {
			return &member{}
		}
		return &members[i]
	}
	name, _ := byKey("tool_name").value.AsString()
	response := byKey("tool_response")
	content, ok := response.value.Get("content")
	if !ok || !strings.HasPrefix(name, "mcp__") || !strings.HasPrefix(content.Raw(), "[") {
		return
	}
	if structured, ok := response.value.Get("structuredContent"); ok {
		content = hook.MustJSON(structured.Raw())
	}
	response.value = content
}

// arrangeToolInput puts the members of a built-in tool's input into the order of the tool
// table, and says replace_all of Edit when the model did not.
func arrangeToolInput(members []member) error { return arrangeBy(toolOrder(), members) }

func arrangeBy(orders map[string][]string, members []member) error {
	tool, at := "", -1
	for i, m := range members {
		switch m.key {
		case "tool_name":
			tool, _ = m.value.AsString()
		case "tool_input":
			at = i
		}
	}
	order := orders[tool]
	if at < 0 || order == nil || !strings.HasPrefix(members[at].value.Raw(), "{") {
		return nil
	}
	input, err := readMembers(jsontext.NewDecoder(strings.NewReader(members[at].value.Raw()), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)))
	if err != nil {
		return nil // what the model wrote is not JSON: hooks get it as it is
	}
	given := len(input)
	if all := "replace_all"; tool == "Edit" && !slices.ContainsFunc(input, func(m member) bool { return m.key == all }) {
		input = append(input, member{all, hook.RawJSON("false")})
	}
	place := func(m member) int {
		if i := slices.Index(order, m.key); i >= 0 {
			return i
		}
		return len(order)
	}
	byPlace := func(a, b member) int { return cmp.Compare(place(a), place(b)) }
	if given == len(input) && slices.IsSortedFunc(input, byPlace) {
		return nil
	}
	slices.SortStableFunc(input, byPlace)
	out, err := writeMembers(nil, input)
	members[at].value = hook.RawJSON(out)
	return err
}

// batchOrder is the order of the members of those inputs that a batch does not give as the
// model wrote them.
var batchOrder = map[string][]string{"Write": list("file_path", "content"), "Edit": list("replace_all", "file_path", "old_string", "new_string")}

// arrangeCalls is arrangeToolInput for each call of a batch.
func arrangeCalls(members []member) error {
	at := slices.IndexFunc(members, func(m member) bool { return m.key == "tool_calls" })
	if at < 0 {
		return nil
	}
	var all []hook.JSON
	if members[at].value.Decode(&all) != nil {
		return nil // hooks get it as it is
	}
	var calls []string
	for _, call := range all {
		one, err := readMembers(jsontext.NewDecoder(strings.NewReader(call.Raw()), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)))
		if err != nil {
			return nil // hooks get it as it is
		}
		if err := arrangeBy(batchOrder, one); err != nil {
			return err
		}
		text, err := writeMembers(nil, one)
		if err != nil {
			return err
		}
		calls = append(calls, string(text))
	}
	members[at].value = hook.RawJSON("[" + strings.Join(calls, ",") + "]")
	return nil
}

// ToolInput is the input of a call with its members in the order in which hooks get them.
func ToolInput(tool string, input hook.JSON) hook.JSON {
	members := []member{{"tool_name", hook.MustJSON(tool)}, {"tool_input", input}}
	if tool == "Edit" || arrangeToolInput(members) != nil {
		return input // what the model wrote has no replace_all
	}
	return members[1].value
}

// toolOrder is the order of the members of each built-in tool's input.
var toolOrder = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for _, t := range Tools() {
		for _, f := range t.Fields {
			out[t.Name] = append(out[t.Name], f.Name)
		}
	}
	return out
})

// rank is the place of a member: the common ones first, the event's own as they come,
// save two that a failed call has between others.
func rank(name string) int {
	if i := slices.Index(commonOrder, name); i >= 0 {
		return i - len(commonOrder)
	}
	return slices.Index(lateOrder, name) + 1
}

// lateOrder are the members that follow an event's others.
var lateOrder = list("last_assistant_message", "background_tasks", "session_crons", "is_interrupt", "duration_ms", "original_tool_input", "mcp_server")

// known reports whether an event is one of the dialect.
func known(ev hook.Event) bool {
	return slices.ContainsFunc(eventTable, func(r eventRow) bool { return r.event == ev })
}
