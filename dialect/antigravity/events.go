package antigravity

import (
	"strings"

	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

var (
	workspace = vocab.Field{Canonical: "cwd", Dialect: "workspacePaths", In: foreign.First, Out: foreign.Only}

	// steps is how text gets to the model: as messages that are put before its next call.
	steps = foreign.Member{Path: "injectSteps", Means: foreign.AddsContext, In: textOf, Out: stepOf}
)

// every is a matcher for all tools.
const every = "*"

func events() []foreign.Event {
	call := foreign.Fields("tool_name>toolCall.name", "tool_input>toolCall.args", ">stepIdx")
	invocation := foreign.Fields(">initialNumSteps")
	stop := foreign.Fields(">executionNum", ">fullyIdle")
	failed := func(p hook.JSON) bool { return p.String("error") != "" }
	first := func(p hook.JSON) bool { n, _ := p.Int("invocationNum"); return n == 0 } // 0 may be left out
	later := func(p hook.JSON) bool { return !first(p) }
	deny, allow := foreign.Word{Text: "deny", Decision: hook.DecisionDeny}, foreign.Word{Text: "allow", Decision: hook.DecisionAllow}
	return []foreign.Event{
		{Name: "SessionStart", Event: hook.EventSessionStart, Answer: []foreign.Member{steps}},
		{
			Name: "PreInvocation", Event: hook.EventUserPromptSubmit, When: first, Marks: []string{"initialNumSteps"},
			Fields: append(invocation, always("invocationNum", 0)), Answer: []foreign.Member{steps},
		},
		{
			Name: "PreInvocation", Event: hook.EventPostToolBatch, When: later, Marks: []string{"invocationNum"},
			Fields: append(invocation, always("invocationNum", 1)), Answer: []foreign.Member{steps},
		},
		{Name: "PostToolUse", Event: hook.EventPostToolUseFailure, When: failed, Marks: []string{"stepIdx", "error"}, Fields: append(call, foreign.Fields("error")...), Matcher: every},
		{Name: "PostToolUse", Event: hook.EventPostToolUse, Fields: append(call, foreign.Fields(">error")...), Matcher: every},
		{
			Name: "PreToolUse", Event: hook.EventPreToolUse, Marks: []string{"toolCall"}, Fields: call, Matcher: every,
			Answer: []foreign.Member{
				{Path: "decision", Means: foreign.Decides, ReadOnly: true, Words: []foreign.Word{
					deny, allow,
					{Text: "ask", Decision: hook.DecisionAsk},
					{Text: "force_ask", Decision: hook.DecisionAsk},
				}},
				{Path: "decision", Means: foreign.Decides, Words: []foreign.Word{deny, allow}},
				{Path: "reason", Means: foreign.Reason},
				{Path: "permissionOverrides"},
			},
		},
		{Name: "Stop", Event: hook.EventStopFailure, When: failed, Marks: []string{"terminationReason"}, Fields: append(stop, foreign.Fields("error", ">terminationReason")...)},
		{
			Name: "Stop", Event: hook.EventStop, Marks: []string{"terminationReason"},
			Fields: append(stop, always("terminationReason", "NO_TOOL_CALL"), vocab.Field{Dialect: "error"}),
			Answer: []foreign.Member{
				{Path: "decision", Means: foreign.Decides, Words: []foreign.Word{{Text: "continue", Decision: hook.DecisionDeny}, {Text: ""}}},
				{Path: "reason", Means: foreign.Reason},
			},
		},
	}
}

// always is a member that is the same in all payloads of ours, and means nothing in theirs.
func always(name string, v any) vocab.Field {
	return vocab.Field{
		Canonical: "hook_event_name", Dialect: name,
		Out: func(hook.JSON) hook.JSON { return hook.MustJSON(v) },
		In:  func(hook.JSON) hook.JSON { return hook.JSON{} },
	}
}

// stepOf is text as a message of the person, which stays in the conversation.
func stepOf(text any) any { return []map[string]any{{"userMessage": text}} }

// textOf is the text of messages; a step that is none is not read.
func textOf(v hook.JSON) hook.JSON {
	var list []hook.JSON
	if err := v.Decode(&list); err != nil {
		return v
	}
	var lines []string
	for _, step := range list {
		for _, key := range []string{"userMessage", "ephemeralMessage"} {
			if text := step.String(key); text != "" {
				lines = append(lines, text)
			}
		}
	}
	return hook.MustJSON(strings.Join(lines, "\n"))
}
