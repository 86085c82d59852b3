package codex

import (
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/internal/jspattern"
	"github.com/hookline-dev/hookline/dialect/internal/patch"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// name is the dialect's name.
const name = "codex"

// Dialect returns the dialect.
func Dialect() dialect.Dialect { return host{foreign.New(spec)} }

// host is the dialect with the sessions that Codex keeps.
type host struct{ *foreign.Dialect }

// What is written once, here, and never changed.
var (
	spec = &foreign.Spec{
		Title: "Codex", Summary: "Codex's own entries in .codex/hooks.json, when asked for", Rank: 510,
		Tables: []*foreign.Table{table}, Files: files, Vocabulary: names, Patch: "command",
		Hosts: []foreign.Host{{Row: row, Tables: []*foreign.Table{table}}},
		Places: dialect.Places{
			Layouts: []plugin.Layout{{Name: name, Dir: ".codex", Kinds: []string{}}},
		},
	}

	row = &dialect.Host{
		Name: name, Title: "Codex", Program: "codex",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".codex", Name: "hooks.json", Env: "CODEX_HOME", Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".codex", Name: "hooks.json", Write: true},
			settingsFile,
			{Level: "project", Base: dialect.ProjectBase, Dir: ".codex", Name: configFile, Format: dialect.FormatTOML},
		},
		Unit: time.Second, Default: 600 * time.Second,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "the JSON on stdout counts; plain text is context on SessionStart, UserPromptSubmit and SubagentStart, and a fault on Stop and SubagentStop"},
			{Code: "2", Means: "a deny with stderr as the reason; without stderr the hook has failed and the call goes on"},
			{Code: "other", Means: "the hook has failed and the call goes on"},
		},
		Late: "the hook has failed and the call goes on", Unknown: dialect.UnknownVoids,
		Tools:      []string{"Bash"},
		Matcher:    "an unanchored regular expression, empty or * for all; Edit and Write stand for apply_patch",
		Unapproved: unapproved,
		Needs:      []string{"each hook is approved in Codex with /hooks, and again when its text changes; --dangerously-bypass-hook-trust does without", "a project's file counts when the project is trusted"},
		Traps: []string{
			"a member of an answer that it does not know voids the whole: a deny becomes an allow",
			"it has no word for a question to a person",
			"web search and commands of a unified exec session are not hooked; files are read by the shell",
			"a deny of apply_patch does not hold on Windows",
		},
		Facts: dialect.HostFacts{Version: "0.171.0", Date: "2026-11-29", Source: "https://developers.openai.com/codex/hooks", Proof: "run"},
	}

	settingsFile = dialect.HostFile{Level: "user", Base: dialect.HomeBase, Dir: ".codex", Name: configFile, Env: "CODEX_HOME", Format: dialect.FormatTOML}

	files = &foreign.Files{
		List: func(d dialect.Dirs) []foreign.Place {
			return []foreign.Place{
				{Path: dialect.Join(d.Home, ".codex", "hooks.json"), Level: "user"},
				{Path: dialect.Join(d.Home, ".codex", configFile), Level: "user"},
				{Path: dialect.Join(d.Project, ".codex", "hooks.json"), Level: "project"},
				{Path: dialect.Join(d.Project, ".codex", configFile), Level: "project"},
			}
		},
		JSON:   fromTOML,
		Nested: true, Timeouts: []string{"timeout"}, Unit: time.Second, Default: 600 * time.Second,
		Commands: []string{"command"}, OS: map[string]string{"windows": "commandWindows"},
		Known:   []string{"commandWindows", "statusMessage", "additionalContextLimit", "async"},
		Others:  []string{"Interrupt"},
		Skips:   []string{"prompt", "agent"},
		Pattern: func(_ *foreign.Event, text string) (hook.Matcher, error) { return jspattern.Parse(text) },
		Env:     func(dialect.Dirs, hook.Input) []string { return nil },
	}

	table = &foreign.Table{
		Name: name, EventKey: "hook_event_name", Own: own,
		Common: append(foreign.Fields("session_id", "transcript_path", "cwd"),
			append(foreign.Fields("permission_mode", "prompt_id>turn_id", "agent_id", "agent_type"), vocab.Field{Dialect: "model"})...),
		Tools: tools{}, Rewritten: rewritten, Aliases: map[string][]string{patch.Tool: {"Edit", "Write"}},
		Result: foreign.Results{Out: foreign.Text, In: foreign.Printed},
		Exit:   foreign.ClaudeExits, Strict: true,
		Events: events,
	}
)

// own looks for what other hosts of the same payloads do not send.
func own(p hook.JSON) bool {
	path, has := p.Get("transcript_path")
	return p.Has("hook_event_name") && (p.Has("turn_id") || has && path.Raw() == "null" && p.Has("model"))
}

// whole are the members that every answer may have; of no event what it may have besides.
func whole(more ...foreign.Member) []foreign.Member {
	out := []foreign.Member{
		{Path: "continue", Means: foreign.Halts},
		{Path: "stopReason", Means: foreign.HaltReason},
		{Path: "suppressOutput", Means: foreign.Suppress},
		{Path: "systemMessage", Means: foreign.Notice},
	}
	return append(out, more...)
}

// block is the decision at the top of an answer.
var block = []foreign.Member{
	{Path: "decision", Means: foreign.Decides, Words: []foreign.Word{{Text: "block", Decision: hook.DecisionDeny}}},
	{Path: "reason", Means: foreign.Reason},
}

// specific are members of hookSpecificOutput.
func specific(more ...foreign.Member) []foreign.Member {
	return append([]foreign.Member{{Path: "hookSpecificOutput.hookEventName", Means: foreign.NamesEvent}}, more...)
}

var context = foreign.Member{Path: "hookSpecificOutput.additionalContext", Means: foreign.AddsContext}

// verdicts are the words of a decision that the host takes. It has none for a question.
var verdicts = []foreign.Word{{Text: "allow", Decision: hook.DecisionAllow}, {Text: "deny", Decision: hook.DecisionDeny}}

func events() []foreign.Event {
	call := foreign.Fields("tool_name", "tool_use_id", "tool_input")
	stop := foreign.Fields("stop_hook_active", "last_assistant_message")
	return []foreign.Event{
		{Name: "SessionStart", Event: hook.EventSessionStart, Text: true, Fields: foreign.Fields("source", "model"), Answer: whole(specific(context)...)},
		{Name: "SessionEnd", Event: hook.EventSessionEnd, Fields: foreign.Fields("reason"), Answer: whole()},
		{Name: "UserPromptSubmit", Event: hook.EventUserPromptSubmit, Text: true, Fields: foreign.Fields("prompt"), Answer: whole(append(block, specific(context)...)...)},
		{
			Name: "PreToolUse", Event: hook.EventPreToolUse, Fields: call, RewriteAllows: true,
			Answer: foreign.ReadOnly(whole(append(foreign.ReadOnly(block), specific(
				foreign.Member{Path: "hookSpecificOutput.permissionDecision", Means: foreign.Decides, Words: verdicts},
				foreign.Member{Path: "hookSpecificOutput.permissionDecisionReason", Means: foreign.Reason},
				foreign.Member{Path: "hookSpecificOutput.updatedInput", Means: foreign.NewInput}, context,
			)...)...), foreign.Halts, foreign.HaltReason, foreign.Suppress),
		},
		{
			Name: "PermissionRequest", Event: hook.EventPermissionRequest, Fields: foreign.Fields("tool_name", "tool_input"),
			Answer: whole(specific(
				foreign.Member{Path: "hookSpecificOutput.decision.behavior", Means: foreign.Decides, Words: verdicts},
				foreign.Member{Path: "hookSpecificOutput.decision.message", Means: foreign.Reason},
				foreign.Member{Path: "hookSpecificOutput.decision.interrupt", Means: foreign.Interrupts, ReadOnly: true},
			)...),
		},
		{
			Name: "PostToolUse", Event: hook.EventPostToolUse, Fields: append(call, foreign.Fields("tool_response")...),
			Answer: foreign.ReadOnly(whole(append(block, specific(context)...)...), foreign.Suppress), RefusalReplaces: true,
		},
		{Name: "PreCompact", Event: hook.EventPreCompact, Fields: foreign.Fields("trigger"), Answer: whole()},
		{Name: "PostCompact", Event: hook.EventPostCompact, Fields: foreign.Fields("trigger"), Answer: whole()},
		{Name: "SubagentStart", Event: hook.EventSubagentStart, Text: true, Answer: whole(specific(context)...)},
		{Name: "SubagentStop", Event: hook.EventSubagentStop, Fields: append(stop, foreign.Fields("agent_transcript_path")...), Answer: whole(block...)},
		{Name: "Stop", Event: hook.EventStop, Fields: stop, Answer: whole(block...)},
		{Name: "StopFailure", Event: hook.EventStopFailure, Fields: foreign.Fields("error", "error_details", "last_assistant_message"), Answer: whole()},
	}
}
