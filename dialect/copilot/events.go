package copilot

import (
	"slices"

	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

var (
	deny  = foreign.Word{Text: "deny", Decision: hook.DecisionDeny}
	allow = foreign.Word{Text: "allow", Decision: hook.DecisionAllow}
	ask   = foreign.Word{Text: "ask", Decision: hook.DecisionAsk}
	block = []foreign.Word{{Text: "block", Decision: hook.DecisionDeny}, {Text: "allow"}}

	context = foreign.Member{Path: "additionalContext", Means: foreign.AddsContext}
	blocks  = []foreign.Member{{Path: "decision", Means: foreign.Decides, Words: block}, {Path: "reason", Means: foreign.Reason}}
	// verdict is the decision on a tool, in both places that there are.
	verdict = []foreign.Member{
		{Path: "permissionDecision", Means: foreign.Decides, Words: []foreign.Word{deny, allow, ask}},
		{Path: "permissionDecisionReason", Means: foreign.Reason},
	}
	permission = []foreign.Member{
		{Path: "behavior", Means: foreign.Decides, Words: []foreign.Word{deny, allow}},
		{Path: "message", Means: foreign.Reason},
		{Path: "interrupt", Means: foreign.Interrupts},
	}
	replaced = foreign.Member{Path: "modifiedResult", Means: foreign.NewOutput}

	started = renamed("source", "source", "startup", "new")
	// packed is a tool's input, which older versions pack into a string.
	packed = vocab.Field{Canonical: "tool_input", Dialect: "toolArgs", In: foreign.Unpacked}
	// asked is the input of a permission request, in which a file keeps Claude Code's name.
	asked = vocab.Field{Canonical: "tool_input", Dialect: "toolInput", Out: func(v hook.JSON) hook.JSON {
		if !v.Has("file_path") {
			v.Rename("path", "file_path")
		}
		return v
	}}
)

// with makes one list of several.
func with(list []foreign.Member, more ...foreign.Member) []foreign.Member {
	return append(slices.Clone(list), more...)
}

// nativeEvents are in the order of the host's documents, which is that of what marks their
// payloads too.
func nativeEvents() []foreign.Event {
	tool := append(foreign.Fields("tool_name>toolName"), packed)
	request := append(foreign.Fields(">hookName", "tool_name>toolName", ">permissionSuggestions"), asked)
	notice := foreign.Fields("hook_event_name", "message", "title", "notification_type")
	twice := "permissionRequest and notification are the same under other names"
	return []foreign.Event{
		{
			Name: "agentStop", Event: hook.EventStop, Answer: blocks, Marks: []string{"stopReason", "stop_hook_active"},
			Fields: foreign.Fields("transcript_path>transcriptPath", ">stopReason", "stop_hook_active"),
		},
		{
			Name: "errorOccurred", Event: hook.EventStopFailure, Marks: []string{"errorContext"},
			Fields: append(foreign.Fields(">errorContext", ">recoverable"), vocab.Field{Canonical: "error", Dialect: "error", In: errorIn, Out: errorOut}),
		},
		{Name: "notification", Event: hook.EventNotification, Fields: notice, Answer: []foreign.Member{context}, Marks: []string{"notification_type"}},
		{Name: "permissionRequest", Event: hook.EventPermissionRequest, Fields: request, Answer: permission, Marks: []string{"toolInput"}},
		{
			Name: "postToolUse", Event: hook.EventPostToolUse, Fields: append(tool, foreign.Fields("tool_response>toolResult")...),
			Answer: []foreign.Member{replaced, context}, Marks: []string{"toolName", "toolResult"},
		},
		{
			Name: "postToolUseFailure", Event: hook.EventPostToolUseFailure, Fields: append(tool, foreign.Fields("error")...),
			Answer: []foreign.Member{context}, Marks: []string{"toolName", "error"},
		},
		{
			Name: "preCompact", Event: hook.EventPreCompact, Marks: []string{"trigger"},
			Fields: foreign.Fields("transcript_path>transcriptPath", "trigger", "custom_instructions>customInstructions"),
		},
		{
			Name: "preToolUse", Event: hook.EventPreToolUse, Fields: tool, Marks: []string{"toolName", "toolArgs"},
			Answer: with(verdict, foreign.Member{Path: "modifiedArgs", Means: foreign.NewInput}, context),
		},
		{Name: "sessionEnd", Event: hook.EventSessionEnd, Fields: foreign.Fields("reason"), Marks: []string{"reason"}},
		{
			Name: "sessionStart", Event: hook.EventSessionStart, Answer: []foreign.Member{context}, Marks: []string{"source"},
			Fields: append(foreign.Fields(">initialPrompt"), started),
		},
		{
			Name: "subagentStart", Event: hook.EventSubagentStart, Answer: []foreign.Member{context},
			Fields: foreign.Fields("transcript_path>transcriptPath", "agent_type>agentName", ">agentDisplayName", ">agentDescription"),
		},
		{
			Name: "subagentStop", Event: hook.EventSubagentStop, Answer: with(blocks, foreign.Member{Path: "modifiedResponse"}), Marks: []string{"agentId"},
			Fields: foreign.Fields("transcript_path>transcriptPath", "agent_id>agentId", "agent_type>agentType", "agent_type>agentName", ">agentDisplayName", "last_assistant_message>response", ">stopReason"),
		},
		{Name: "userPromptSubmitted", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt"), Answer: with(blocks, context), Marks: []string{"prompt"}},
		{Name: "PermissionRequest", Event: hook.EventPermissionRequest, Fields: request, Answer: permission, OnRequest: twice},
		{Name: "Notification", Event: hook.EventNotification, Fields: notice, Answer: []foreign.Member{context}, OnRequest: twice},
	}
}

// The members of answers in the form of Claude Code.
var (
	nested = []foreign.Member{
		{Path: "hookSpecificOutput.hookEventName", Means: foreign.NamesEvent},
		{Path: "hookSpecificOutput.permissionDecision", Means: foreign.Decides, Words: []foreign.Word{deny, allow, ask}},
		{Path: "hookSpecificOutput.permissionDecisionReason", Means: foreign.Reason},
		{Path: "hookSpecificOutput.updatedInput", Means: foreign.NewInput},
		{Path: "hookSpecificOutput.additionalContext", Means: foreign.AddsContext},
	}
	within = []foreign.Member{nested[0], nested[4]}
	// said is what VS Code reads on every event.
	said = []foreign.Member{
		{Path: "continue", Means: foreign.Halts},
		{Path: "stopReason", Means: foreign.HaltReason},
		{Path: "systemMessage", Means: foreign.Notice},
	}
)

// sharedEvents are those of the CLI by Claude Code's names.
func sharedEvents() []foreign.Event {
	tool := foreign.Fields("tool_name", "tool_input")
	flat := foreign.ReadOnly(verdict)
	lost := with(within)
	lost[1].ReadOnly = true
	agent := foreign.Fields("agent_id", "agent_type", ">agent_name", ">agent_display_name")
	return when(func(p hook.JSON) bool { return !ofEditor(p) }, []foreign.Event{
		{Name: "SessionStart", Event: hook.EventSessionStart, Answer: with(lost, context), Fields: append(foreign.Fields(">initial_prompt"), started)},
		{Name: "SessionEnd", Event: hook.EventSessionEnd, Fields: foreign.Fields("reason")},
		{Name: "UserPromptSubmit", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt"), Answer: with(blocks, append(lost, context)...)},
		{Name: "PreToolUse", Event: hook.EventPreToolUse, Fields: tool, Answer: with(nested, flat...)},
		{
			Name: "PostToolUse", Event: hook.EventPostToolUse, Fields: append(tool, foreign.Fields("tool_response>tool_result")...),
			Answer: with(lost, replaced, context),
		},
		{Name: "PostToolUseFailure", Event: hook.EventPostToolUseFailure, Fields: append(tool, foreign.Fields("error")...), Answer: with(lost, context)},
		{Name: "SubagentStart", Event: hook.EventSubagentStart, Answer: with(lost, context), Fields: agent},
		{Name: "SubagentStop", Event: hook.EventSubagentStop, Answer: blocks, Fields: append(agent, foreign.Fields("last_assistant_message", ">stop_reason", "stop_hook_active")...)},
		{Name: "Stop", Event: hook.EventStop, Answer: with(blocks, foreign.ReadOnly(nestedBlock, foreign.Decides, foreign.Reason)...), Fields: foreign.Fields(">stop_reason", "stop_hook_active")},
		{
			Name: "ErrorOccurred", Event: hook.EventStopFailure,
			Fields: append(foreign.Fields(">error_context", ">recoverable"), vocab.Field{Canonical: "error", Dialect: "error", In: errorIn, Out: errorOut}),
		},
		{Name: "PreCompact", Event: hook.EventPreCompact, Fields: foreign.Fields("trigger", "custom_instructions")},
	}, "SessionEnd", "PostToolUseFailure", "ErrorOccurred") // which VS Code does not have
}

// when has events decode payloads for which something holds, but those of some names.
func when(holds func(payload hook.JSON) bool, events []foreign.Event, but ...string) []foreign.Event {
	for i := range events {
		if !slices.Contains(but, events[i].Name) {
			events[i].When = holds
		}
	}
	return events
}

// nestedBlock is how VS Code is kept going.
var nestedBlock = []foreign.Member{
	nested[0],
	{Path: "hookSpecificOutput.decision", Means: foreign.Decides, Words: block},
	{Path: "hookSpecificOutput.reason", Means: foreign.Reason},
}
