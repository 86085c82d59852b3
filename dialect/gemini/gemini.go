package gemini

import (
	"path/filepath"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/internal/jspattern"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/plugin"
)

// name is the name of Gemini CLI's dialect.
const name = "gemini"

// Dialect returns the dialect of Gemini CLI.
func Dialect() dialect.Dialect { return foreign.New(spec) }

// What is written once, here, and never changed.
var (
	spec = &foreign.Spec{
		Title: "Gemini CLI", Summary: "Gemini CLI's own entries in .gemini/settings.json, when asked for", Rank: 520,
		Tables: []*foreign.Table{table}, Files: files(".gemini", "gemini-cli", env), Vocabulary: names,
		Hosts:  []foreign.Host{{Row: row, Tables: []*foreign.Table{table}}},
		Places: dialect.Places{Layouts: []plugin.Layout{{Name: name, Dir: ".gemini", Kinds: []string{}}}},
	}

	row = &dialect.Host{
		Name: name, Title: "Gemini CLI", Program: "gemini",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".gemini", Name: "settings.json", Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".gemini", Name: "settings.json", Write: true},
			{Level: "managed", Base: dialect.SystemBase, Dir: "etc/gemini-cli", Name: "settings.json"},
		},
		Unit: time.Millisecond, Default: time.Minute,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "the JSON on stdout counts; plain text is shown to the person"},
			{Code: "1", Means: "JSON on stdout counts all the same; without it a warning, and the call goes on"},
			{Code: "2 and more", Means: "JSON on stdout counts all the same; without it a deny with stderr as the reason"},
		},
		Late: "no decision: the call goes on", Unknown: dialect.UnknownIgnored,
		Matcher: "an unanchored regular expression for tools, an exact word for the rest; empty for all",
		Needs:   []string{"a project's hooks run only in a folder that is trusted, and once their text was seen", "hooksConfig.enabled must not be false"},
		Traps: []string{
			"BeforeTool and AfterTool do not fire when an editor drives it over ACP: nothing can be denied there",
			"a question (ask) ends a headless run in silence, so that it is sent as a deny",
			"what BeforeTool adds to the context is lost",
			"PreCompress fires before every model call, though nothing is compressed",
		},
		ACP: &dialect.HostACP{
			Agent: name, Asks: "commands and changes of files, in its mode default",
			Seen: "what reads and searches, and everything in its mode yolo", AsksIn: []string{"default"},
		},
		Facts: dialect.HostFacts{Version: "0.61.0", Date: "2026-11-29", Source: "https://github.com/google-gemini/gemini-cli/tree/main/docs/hooks", Proof: "run"},
	}

	table = &foreign.Table{
		Name: name, EventKey: "hook_event_name", Own: own,
		Common:   foreign.Fields("session_id", "transcript_path", "cwd"),
		StampKey: "timestamp", Stamp: stamp,
		Tools: tools{names}, ToolOf: server, Result: results,
		Exit:   func(_ *foreign.Event, code int) foreign.Exit { return foreign.Exit{JSON: true, Denies: code >= 2} },
		Events: events,
	}

	// names are the tools that both programs have.
	names = append(shared("replace", "allow_multiple", "dir_path"),
		vocab.Tool{Canonical: "Agent", Dialect: "invoke_agent"}, vocab.Tool{Canonical: "AskUserQuestion", Dialect: "ask_user"},
		vocab.Tool{Canonical: "Skill", Dialect: "activate_skill", Fields: []vocab.Field{{Canonical: "skill", Dialect: "name"}}})

	results = foreign.Results{Out: resultOut, In: resultIn}
)

// shared are the tools of both programs, which differ in a few names.
func shared(edit, all, dir string) vocab.Vocabulary {
	path := vocab.Field{Canonical: "path", Dialect: dir}
	return vocab.Vocabulary{
		{Canonical: "Bash", Dialect: "run_shell_command", Fields: []vocab.Field{{Canonical: "run_in_background", Dialect: "is_background"}}},
		{Canonical: "Read", Dialect: "read_file"},
		{Canonical: "Write", Dialect: "write_file"},
		{Canonical: "Edit", Dialect: edit, Fields: []vocab.Field{{Canonical: "replace_all", Dialect: all}}},
		{Canonical: "Glob", Dialect: "glob", Fields: []vocab.Field{path}},
		{Canonical: "Grep", Dialect: "grep_search", Fields: []vocab.Field{path, {Canonical: "glob", Dialect: "include_pattern"}}},
		{Canonical: "LS", Dialect: "list_directory", Fields: []vocab.Field{path}},
		{Canonical: "WebFetch", Dialect: "web_fetch"},
		{Canonical: "WebSearch", Dialect: "google_web_search"},
		{Canonical: "TodoWrite", Dialect: "write_todos"},
		{Canonical: "ExitPlanMode", Dialect: "exit_plan_mode"},
	}
}

// own looks for the host's own events, and for what Claude Code does not send.
func own(p hook.JSON) bool {
	switch p.String("hook_event_name") {
	case "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "PreCompress":
		return true
	case "SessionStart", "SessionEnd", "Notification":
		return p.Has("timestamp") && !p.Has("permission_mode")
	}
	return false
}

// stamp writes a time as payloads have it.
func stamp(t time.Time) any { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func events() []foreign.Event {
	call := foreign.Fields("tool_name", "tool_input", ">mcp_context", ">original_request_name")
	decision := []foreign.Member{
		{Path: "decision", Means: foreign.Decides, ReadOnly: true, Words: []foreign.Word{
			{Text: "deny", Decision: hook.DecisionDeny},
			{Text: "block", Decision: hook.DecisionDeny},
			{Text: "ask", Decision: hook.DecisionAsk},
			{Text: "allow", Decision: hook.DecisionAllow},
			{Text: "approve", Decision: hook.DecisionAllow},
		}},
		{Path: "reason", Means: foreign.Reason},
	}
	says := func(words ...foreign.Word) foreign.Member {
		return foreign.Member{Path: "decision", Means: foreign.Decides, Words: words}
	}
	deny, allow := foreign.Word{Text: "deny", Decision: hook.DecisionDeny}, foreign.Word{Text: "allow", Decision: hook.DecisionAllow}
	context := foreign.Member{Path: "hookSpecificOutput.additionalContext", Means: foreign.AddsContext}
	lost := context
	lost.ReadOnly = true
	all := func(more ...foreign.Member) []foreign.Member {
		return append([]foreign.Member{
			{Path: "continue", Means: foreign.Halts},
			{Path: "stopReason", Means: foreign.HaltReason},
			{Path: "systemMessage", Means: foreign.Notice},
			{Path: "suppressOutput", Means: foreign.Suppress},
			{Path: "hookSpecificOutput.hookEventName", Means: foreign.NamesEvent},
		}, append(decision, more...)...)
	}
	failed := func(p hook.JSON) bool {
		r, _ := p.Get("tool_response")
		e, ok := r.Get("error")
		return ok && e.Raw() != "null"
	}
	after := all(says(deny), context, foreign.Member{Path: "hookSpecificOutput.tailToolCallRequest"})
	return []foreign.Event{
		{Name: "SessionStart", Event: hook.EventSessionStart, Fields: foreign.Fields("source"), Answer: all(context)},
		{Name: "SessionEnd", Event: hook.EventSessionEnd, Fields: foreign.Fields("reason"), Answer: all()},
		{Name: "BeforeAgent", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt"), Answer: all(says(deny), context)},
		{Name: "AfterAgent", Event: hook.EventStop, Fields: foreign.Fields(">prompt", "last_assistant_message>prompt_response", "stop_hook_active"), Answer: all(says(deny), foreign.Member{Path: "hookSpecificOutput.clearContext"})},
		{
			Name: "BeforeTool", Event: hook.EventPreToolUse, Fields: call,
			Answer: all(says(deny, allow), foreign.Member{Path: "hookSpecificOutput.tool_input", Means: foreign.NewInput}, lost),
		},
		{
			Name: "AfterTool", Event: hook.EventPostToolUseFailure, When: failed, Answer: after,
			Fields: append(call, vocab.Field{Canonical: "error", Dialect: "tool_response", In: errorIn, Out: errorOut}),
		},
		{Name: "AfterTool", Event: hook.EventPostToolUse, Fields: append(call, foreign.Fields("tool_response")...), Answer: after, RefusalReplaces: true},
		{Name: "PreCompress", Event: hook.EventPreCompact, Fields: foreign.Fields("trigger"), Answer: all(), OnRequest: "it fires before every model call"},
		{Name: "Notification", Event: hook.EventNotification, Fields: foreign.Fields("message", "notification_type", ">details"), Answer: all()},
	}
}

// files are where a program of the family has its settings, and how hooks stand there.
func files(dir, managed string, env func(dialect.Dirs, hook.Input) []string) *foreign.Files {
	return &foreign.Files{
		List: func(d dialect.Dirs) []foreign.Place {
			return []foreign.Place{
				{Path: dialect.Join(d.ManagedPrograms, managed, "settings.json"), Level: dialect.ManagedLevel},
				{Path: dialect.Join(d.Home, dir, "settings.json"), Level: "user"},
				{Path: dialect.Join(d.Project, dir, "settings.json"), Level: "project"},
			}
		},
		Nested: true, Timeouts: []string{"timeout"}, Unit: time.Millisecond, Default: time.Minute, Commands: []string{"command"},
		Known:  []string{"sequential", "statusMessage", "async", "shell"},
		Others: []string{"BeforeModel", "AfterModel", "BeforeToolSelection", "enabled", "disabled"},
		Pattern: func(e *foreign.Event, text string) (hook.Matcher, error) {
			switch e.Event {
			case hook.EventPreToolUse, hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventPermissionRequest:
				return jspattern.Parse(text)
			}
			return hook.MatchExact(text), nil
		},
		Env: env,
		Off: func(root *jsonx.Node) bool {
			c := root.Get("hooksConfig")
			return c != nil && c.Get("enabled") != nil && c.Get("enabled").Kind == jsonx.Bool && !c.Get("enabled").Bool()
		},
		Disabled: func(root *jsonx.Node) (out []string) {
			for _, section := range []string{"hooksConfig", "hooks"} { // older versions have it among the events
				if c := root.Get(section); c != nil && c.Get("disabled") != nil {
					names, _ := c.Get("disabled").Strings() // what is not a list of names disables nothing
					out = append(out, names...)
				}
			}
			return out
		},
	}
}

// env are the variables of Gemini's hooks.
func env(d dialect.Dirs, in hook.Input) []string {
	return []string{
		"GEMINI_PROJECT_DIR=" + d.Project, "CLAUDE_PROJECT_DIR=" + d.Project, "GEMINI_CWD=" + filepath.Clean(in.Base().CWD), "GEMINI_SESSION_ID=" + in.Base().SessionID,
	}
}
