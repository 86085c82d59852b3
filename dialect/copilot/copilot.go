package copilot

import (
	"cmp"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/internal/jspattern"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/plugin"
)

// name is the dialect's name.
const name = "copilot"

// Dialect returns the dialect.
func Dialect() dialect.Dialect { return foreign.New(spec) }

// What is written once, here, and never changed.
var (
	spec = &foreign.Spec{
		Title: "GitHub Copilot", Summary: "Copilot's own entries in .github/hooks and its settings, when asked for", Rank: 515,
		Tables: []*foreign.Table{native, sharedTable(name), editorTable(name, "hook_event_name"), editorTable(name, "hookEventName")}, Files: files, Vocabulary: names,
		Hosts: []foreign.Host{
			{Row: row, Tables: []*foreign.Table{native}},
			{Row: cloud, Tables: []*foreign.Table{native}, Without: []string{"permissionRequest", "notification", "PermissionRequest", "Notification"}, Lost: hook.FieldAsk},
		},
		Places: dialect.Places{Layouts: []plugin.Layout{{Name: name, Dir: ".copilot", Kinds: []string{}}}, Protected: []string{".github/hooks", ".github/copilot"}},
	}

	row = &dialect.Host{
		Name: name, Title: "GitHub Copilot", Program: "copilot",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".copilot/hooks", Name: "hookline.json", Shape: dialect.ShapeFlat, Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".github/hooks", Name: "hookline.json", Shape: dialect.ShapeFlat, Write: true},
			{Level: "user", Base: dialect.HomeBase, Dir: ".copilot/hooks", Shape: dialect.ShapeFlat},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".github/hooks", Shape: dialect.ShapeFlat},
			{Level: "user", Base: dialect.HomeBase, Dir: ".copilot", Name: "settings.json", Shape: dialect.ShapeFlat},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".github/copilot", Name: "settings.json", Shape: dialect.ShapeFlat},
			{Level: "local", Base: dialect.ProjectBase, Dir: ".github/copilot", Name: "settings.local.json", Shape: dialect.ShapeFlat},
			{Level: "managed", Base: dialect.SystemBase, Dir: "etc/github-copilot/policy.d", Shape: dialect.ShapeFlat},
		},
		Reads: []dialect.HostRead{{Host: "claude", Levels: []string{"project", "local"}}},
		Unit:  time.Second, Default: 30 * time.Second,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "the JSON on stdout counts"},
			{Code: "2", Means: "a deny of preToolUse, without a reason, and of permissionRequest; elsewhere a warning"},
			{Code: "other", Means: "a deny of preToolUse; elsewhere the hook has failed and the run goes on"},
		},
		Late: "the call goes on", Unknown: dialect.UnknownIgnored,
		Matcher: "a regular expression for the whole name of the tool, the trigger, or the kind of a notification or a subagent",
		Needs:   []string{"files of a project, its .claude/settings.json among them, count once the folder is trusted (--trust-folder)"},
		Traps: []string{
			"a file without a version is void; answers in Claude Code's form mean nothing to preToolUse, only to PreToolUse",
			"stderr of exit code 2 is lost, so that a deny without JSON has no reason",
			"a question (ask) is a deny where nobody can be asked: with -p, in editors without a form for it",
			"a guard that takes longer than its time lets the call go on",
			"the project's file is run by the cloud agent too, where every tool is refused unless hookline is there, and both files by VS Code",
		},
		Twice: []string{"files of all levels add up"},
		ACP: &dialect.HostACP{
			Agent: name, Asks: "commands and changes of files, unless it is started with --allow-all-tools",
			Seen: "what reads and searches",
		},
		Facts: dialect.HostFacts{Version: "1.0.102", Date: "2026-11-29", Source: "https://docs.github.com/en/copilot/reference/hooks-configuration", Proof: "run"},
	}

	cloud = &dialect.Host{
		Name: "copilot-cloud", Title: "GitHub Copilot cloud agent",
		Files: []dialect.HostFile{
			{Level: "project", Base: dialect.ProjectBase, Dir: ".github/hooks", Name: "hookline.json", Shape: dialect.ShapeFlat, Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".github/hooks", Shape: dialect.ShapeFlat},
		},
		Unit: row.Unit, Default: row.Default, Exits: row.Exits, Late: row.Late, Unknown: row.Unknown, Matcher: row.Matcher,
		Needs: []string{
			"the file must be committed, and copilot-setup-steps.yml must install hookline at the path that the file names: without it every tool is refused",
			"hooks of a person, and approvals, are not there unless that workflow makes them",
		},
		Traps: []string{
			"it runs the project's .github/hooks only, on Linux",
			"a question (ask) is a deny: nobody is there",
			"a guard that takes longer than its time lets the call go on",
			"Copilot's command line and VS Code run the same file",
		},
		Facts: dialect.HostFacts{Version: "documents of 2026-08", Date: "2026-11-29", Source: "https://docs.github.com/en/copilot/reference/hooks-configuration", Proof: "documents"},
	}

	files = &foreign.Files{
		List: func(d dialect.Dirs) []foreign.Place {
			return []foreign.Place{
				{Path: dialect.Join(d.ManagedPrograms, "github-copilot", "policy.d"), Level: dialect.ManagedLevel, Dir: true},
				{Path: dialect.Join(d.Home, ".copilot", "hooks"), Level: "user", Dir: true},
				{Path: dialect.Join(d.Home, ".copilot", "settings.json"), Level: "user"},
				{Path: dialect.Join(d.Project, ".github", "hooks"), Level: "project", Dir: true},
				{Path: dialect.Join(d.Project, ".github", "copilot", "settings.json"), Level: "project"},
				{Path: dialect.Join(d.Project, ".github", "copilot", "settings.local.json"), Level: "project"},
			}
		},
		Version: true, Timeouts: []string{"timeoutSec", "timeout"}, Unit: time.Second, Default: 30 * time.Second,
		Commands: []string{"bash", "command", "exec"},
		OS:       map[string]string{"windows": "powershell", "linux": "linux", "darwin": "osx"},
		Known:    []string{"powershell", "windows", "url", "prompt", "headers", "allowedEnvVars"},
		Others:   []string{"userPromptTransformed", "preMcpToolCall"},
		Pattern:  pattern,
		WorkDir:  func(d dialect.Dirs, _ foreign.Place) string { return d.Project },
		Env: func(d dialect.Dirs, _ hook.Input) []string {
			return []string{"COPILOT_PROJECT_DIR=" + d.Project, "CLAUDE_PROJECT_DIR=" + d.Project, "COPILOT_CLI=1"}
		},
		Off: func(root *jsonx.Node) bool {
			off := root.Get("disableAllHooks")
			return off != nil && off.Bool()
		},
	}

	// native is the form of events whose names begin with a small letter.
	native = &foreign.Table{
		Name: name, Own: func(p hook.JSON) bool { return p.Has("sessionId") && p.Has("timestamp") && !p.Has("hookEventName") },
		Common: foreign.Fields("session_id>sessionId", "cwd"), StampKey: "timestamp", Stamp: func(t time.Time) any { return t.UnixMilli() },
		Tools: names, Result: foreign.Results{Out: resultOut("resultType", "textResultForLlm"), In: resultIn("textResultForLlm")},
		Exit: exit, Answer: withoutProgress, Events: nativeEvents,
		Aliases: map[string][]string{"bash": {"powershell"}, "edit": {"str_replace_editor", "apply_patch"}, "grep": {"rg"}},
	}
)

// sharedTable is the form of Claude Code's names of events and tools; the tools' own fields
// are Copilot's all the same.
func sharedTable(name string) *foreign.Table {
	return &foreign.Table{
		Name: name, EventKey: "hook_event_name", Own: ownShared,
		Common:   foreign.Fields("session_id", "cwd", "transcript_path"),
		StampKey: "timestamp", Stamp: iso,
		Tools: claudeNames(), Result: foreign.Results{Out: resultOut("result_type", "text_result_for_llm"), In: resultIn("text_result_for_llm")},
		Exit: exit, Answer: withoutProgress, Events: sharedEvents,
		Aliases: map[string][]string{
			"Bash": {"bash", "powershell"}, "Read": {"view"}, "Write": {"create"}, "Edit": {"edit", "str_replace_editor", "apply_patch"}, "Grep": {"grep", "rg"},
			"Glob": {"glob"}, "WebFetch": {"web_fetch"}, "WebSearch": {"web_search"}, "AskUserQuestion": {"ask_user"}, "TodoWrite": {"update_todo"}, "Agent": {"task", "Task"},
		},
	}
}

func iso(t time.Time) any { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// ownShared looks for what others that have such events do not send.
func ownShared(p hook.JSON) bool {
	return p.Has("timestamp") && !p.Has("permission_mode") && (!p.Has("transcript_path") || p.Has("stop_reason"))
}

// exit is what an exit code means: before a tool, every one refuses.
func exit(e *foreign.Event, code int) foreign.Exit {
	return foreign.Exit{Denies: e.Event == hook.EventPreToolUse || e.Event == hook.EventPermissionRequest && code == 2}
}

// progress is a line that the host shows and does not read as an answer.
var progress = lazyregexp.New(`(?m)^[ \t]*\{[^\n]*"type"\s*:\s*"progress"[^\n]*\}[ \t]*\r?$`)

func withoutProgress(stdout string) string {
	return progress.Get().ReplaceAllStringFunc(stdout, func(line string) string {
		if v := hook.RawJSON(strings.TrimSpace(line)); v.Valid() && v.String("type") == "progress" {
			return ""
		}
		return line
	})
}

// pattern reads a matcher: of events with Claude Code's names, names with | between them are
// exact; everything else is an expression for the whole.
func pattern(_ *foreign.Event, text string) (hook.Matcher, error) {
	if text == "**" {
		text = ".*"
	}
	return jspattern.Parse("^(?:" + text + ")$")
}

// resultOut writes what a tool returned as what the model reads of it.
func resultOut(kind, text string) func(string, hook.JSON) hook.JSON {
	return func(tool string, response hook.JSON) hook.JSON {
		if response.Has(text) {
			return response
		}
		out := hook.RawJSON("{}")
		_ = out.Set(kind, "success") // an object of our own
		_ = out.Set(text, foreign.Text(tool, response))
		return out
	}
}

// resultIn reads it.
func resultIn(text string) func(string, hook.JSON) hook.JSON {
	return func(tool string, response hook.JSON) hook.JSON {
		if v, ok := response.Get(text); ok {
			return foreign.Printed(tool, v)
		}
		return response
	}
}

// renamed translates single words of a member, each pair the canonical and the host's.
func renamed(canonical, host string, words ...string) vocab.Field {
	swap := func(from, to int) func(hook.JSON) hook.JSON {
		return func(v hook.JSON) hook.JSON {
			for i := 0; i+1 < len(words); i += 2 {
				if s, _ := v.AsString(); s == words[i+from] {
					return hook.MustJSON(words[i+to])
				}
			}
			return v
		}
	}
	return vocab.Field{Canonical: canonical, Dialect: host, Out: swap(0, 1), In: swap(1, 0)}
}

// errorIn is the message of an error, and errorOut an error with one.
func errorIn(v hook.JSON) hook.JSON {
	m := cmp.Or(v.String("message"), v.String("name"))
	if s, ok := v.AsString(); ok {
		m = s
	}
	return hook.MustJSON(m)
}

func errorOut(v hook.JSON) hook.JSON {
	out := hook.RawJSON(`{"name":"Error"}`)
	_ = out.Set("message", v) // an object of our own
	return out
}
