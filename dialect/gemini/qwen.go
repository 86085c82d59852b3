package gemini

import (
	"slices"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// qwenName is the name of Qwen Code's dialect.
const qwenName = "qwen"

// Qwen returns the dialect of Qwen Code.
func Qwen() dialect.Dialect { return foreign.New(qwenSpec) }

// What is written once, here, and never changed.
var (
	qwenSpec = &foreign.Spec{
		Title: "Qwen Code", Summary: "Qwen Code's own entries in .qwen/settings.json, when asked for", Rank: 530,
		Tables: []*foreign.Table{qwenTable}, Files: qwenFiles(), Vocabulary: qwenNames,
		Hosts:  []foreign.Host{{Row: qwenRow, Tables: []*foreign.Table{qwenTable}}},
		Places: dialect.Places{Layouts: []plugin.Layout{{Name: qwenName, Dir: ".qwen", Kinds: []string{}}}},
	}

	qwenRow = &dialect.Host{
		Name: qwenName, Title: "Qwen Code", Program: "qwen",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".qwen", Name: "settings.json", Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".qwen", Name: "settings.json", Write: true},
		},
		Unit: time.Second, Default: time.Minute,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "the JSON on stdout counts; plain text is seen by nobody"},
			{Code: "2", Means: "a deny with stderr as the reason, whatever stdout says"},
			{Code: "other", Means: "JSON on stdout counts all the same; without it a warning, and the call goes on"},
		},
		Late: "no decision: the call goes on", Unknown: dialect.UnknownIgnored,
		Matcher: "empty, * or .* for all, names with | between them, otherwise an unanchored regular expression on the tool's own name",
		Traps: []string{
			"0.15 applies no changed input and adds nothing to the context before a tool, and a hook cannot end the run",
			"a block of PostToolUse has no effect: the result reaches the model",
			"a question (ask) is a deny in a headless run, and is sent as one",
			"a prompt that is refused ends a headless run without a word",
			"UserPromptSubmit fires again, with an empty prompt, after every round of tools",
			"stop_hook_active is true at the first stop already, so that hooks always read false: one that keeps the agent going has to count itself",
			"a timeout of 1000 and more counts milliseconds; older versions count them always",
			"SessionStart and SessionEnd fire in an interactive session and over ACP, not with -p",
		},
		Facts: dialect.HostFacts{Version: "0.15.10", Date: "2026-11-29", Source: "https://github.com/QwenLM/qwen-code/tree/main/packages/core/src/hooks", Proof: "run"},
	}

	qwenTable = &foreign.Table{
		Name: qwenName, EventKey: "hook_event_name", Own: func(p hook.JSON) bool { return p.Has("hook_event_name") && p.Has("timestamp") && !own(p) },
		Common: append(foreign.Fields("session_id", "transcript_path", "cwd"),
			vocab.Field{Canonical: "permission_mode", Dialect: "permission_mode", In: translated(modes[0], modes[1]), Out: translated(modes[1], modes[0])}),
		StampKey: "timestamp", Stamp: stamp,
		Tools: tools{qwenNames}, ToolOf: server, Result: results,
		Exit:   func(_ *foreign.Event, code int) foreign.Exit { return foreign.Exit{JSON: code != 2, Denies: code == 2} },
		Events: qwenEvents,
	}

	qwenNames = append(shared("edit", "replace_all", "path"), vocab.Tool{Canonical: "Agent", Dialect: "task"})
)

// modes are permission modes in the host's words and in ours.
var modes = [2][]string{{"yolo", "auto-edit"}, {"bypassPermissions", "acceptEdits"}}

// translated turns words into others, and leaves all else.
func translated(from, to []string) func(hook.JSON) hook.JSON {
	return func(v hook.JSON) hook.JSON {
		s, _ := v.AsString()
		if i := slices.Index(from, s); i >= 0 {
			return hook.MustJSON(to[i])
		}
		return v
	}
}

// qwenFiles are settings in which a timeout counts seconds, and milliseconds from 1000 on.
func qwenFiles() *foreign.Files {
	f := files(".qwen", "qwen-code", func(d dialect.Dirs, _ hook.Input) []string {
		return []string{"QWEN_PROJECT_DIR=" + d.Project, "GEMINI_PROJECT_DIR=" + d.Project, "CLAUDE_PROJECT_DIR=" + d.Project}
	})
	f.Default, f.Unit = 600*time.Second, time.Second
	f.Time = func(n float64) time.Duration {
		if n >= 1000 {
			return foreign.Duration(n, time.Millisecond)
		}
		return foreign.Duration(n, time.Second)
	}
	f.Others = []string{"PostToolBatch", "TodoCreated", "TodoCompleted", "MessageDisplay", "SessionDelete", "PermissionDenied"}
	return f
}

func qwenEvents() []foreign.Event {
	call := foreign.Fields("tool_name", "tool_input", "tool_use_id")
	stop := foreign.Fields(">stop_hook_active", "last_assistant_message")
	all := func(more ...foreign.Member) []foreign.Member {
		return append([]foreign.Member{
			{Path: "continue", Means: foreign.Halts, ReadOnly: true},
			{Path: "stopReason", Means: foreign.HaltReason, ReadOnly: true},
			{Path: "systemMessage", Means: foreign.Notice},
			{Path: "suppressOutput", Means: foreign.Suppress},
			{Path: "hookSpecificOutput.hookEventName", Means: foreign.NamesEvent},
		}, more...)
	}
	block := []foreign.Member{
		{Path: "decision", Means: foreign.Decides, Words: []foreign.Word{
			{Text: "block", Decision: hook.DecisionDeny}, {Text: "deny", Decision: hook.DecisionDeny}, {Text: "allow"}, {Text: "approve"},
		}},
		{Path: "reason", Means: foreign.Reason},
	}
	lostBlock := foreign.ReadOnly(block)
	verdict := func(words ...foreign.Word) foreign.Member {
		return foreign.Member{Path: "hookSpecificOutput.permissionDecision", Means: foreign.Decides, Words: words}
	}
	deny, allow := foreign.Word{Text: "deny", Decision: hook.DecisionDeny}, foreign.Word{Text: "allow", Decision: hook.DecisionAllow}
	context := foreign.Member{Path: "hookSpecificOutput.additionalContext", Means: foreign.AddsContext}
	lost := context
	lost.ReadOnly = true
	asks := verdict(deny, allow, foreign.Word{Text: "ask", Decision: hook.DecisionAsk})
	asks.ReadOnly = true
	return []foreign.Event{
		{Name: "SessionStart", Event: hook.EventSessionStart, Fields: foreign.Fields("source", "model"), Answer: all(context)},
		{Name: "SessionEnd", Event: hook.EventSessionEnd, Fields: foreign.Fields("reason"), Answer: all()},
		{Name: "UserPromptSubmit", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt"), Answer: all(append(block, context)...)},
		{
			Name: "PreToolUse", Event: hook.EventPreToolUse, Fields: call,
			Answer: all(append(lostBlock,
				asks, verdict(deny, allow),
				foreign.Member{Path: "hookSpecificOutput.permissionDecisionReason", Means: foreign.Reason},
				foreign.Member{Path: "hookSpecificOutput.updatedInput", Means: foreign.NewInput, ReadOnly: true}, lost)...),
		},
		{
			Name: "PermissionRequest", Event: hook.EventPermissionRequest, Fields: foreign.Fields("tool_name", "tool_input", ">permission_suggestions"),
			Answer: all(
				foreign.Member{Path: "hookSpecificOutput.decision.behavior", Means: foreign.Decides, Words: []foreign.Word{deny, allow}},
				foreign.Member{Path: "hookSpecificOutput.decision.message", Means: foreign.Reason},
				foreign.Member{Path: "hookSpecificOutput.decision.interrupt", Means: foreign.Interrupts, ReadOnly: true},
				foreign.Member{Path: "hookSpecificOutput.decision.updatedInput", Means: foreign.NewInput, ReadOnly: true}),
		},
		{Name: "PostToolUse", Event: hook.EventPostToolUse, Fields: append(call, foreign.Fields("tool_response")...), Answer: all(append(lostBlock, context)...)},
		{Name: "PostToolUseFailure", Event: hook.EventPostToolUseFailure, Fields: append(call, foreign.Fields("error", "is_interrupt")...), Answer: all(append(lostBlock, context)...)},
		{Name: "PreCompact", Event: hook.EventPreCompact, Fields: foreign.Fields("trigger", "custom_instructions"), Answer: all()},
		{Name: "PostCompact", Event: hook.EventPostCompact, Fields: foreign.Fields("trigger", "compact_summary"), Answer: all()},
		{Name: "SubagentStart", Event: hook.EventSubagentStart, Fields: foreign.Fields("agent_id", "agent_type"), Answer: all(context)},
		{Name: "SubagentStop", Event: hook.EventSubagentStop, Fields: append(stop, foreign.Fields("agent_id", "agent_type")...), Answer: all(block...)},
		{Name: "Stop", Event: hook.EventStop, Fields: stop, Answer: all(block...)},
		{Name: "StopFailure", Event: hook.EventStopFailure, Fields: foreign.Fields("error", "error_details"), Answer: all()},
		{Name: "Notification", Event: hook.EventNotification, Fields: foreign.Fields("message", "title", "notification_type"), Answer: all()},
	}
}
