package crush

import (
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// name is the dialect's name.
const name = "crush"

// Dialect returns the dialect.
func Dialect() dialect.Dialect { return foreign.New(spec) }

// What is written once, here, and never changed.
var (
	spec = &foreign.Spec{
		Title: "crush", Summary: "crush's own entries in crush.json, when asked for", Rank: 560,
		Tables: []*foreign.Table{table}, Files: files, Vocabulary: names,
		Hosts:  []foreign.Host{{Row: row, Tables: []*foreign.Table{table}}},
		Places: dialect.Places{Layouts: []plugin.Layout{{Name: name, Dir: ".crush", Kinds: []string{}}}, Protected: []string{"crush.json", ".crush.json", ".config/crush"}},
	}

	row = &dialect.Host{
		Name: name, Title: "crush", Program: "crush",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".config/crush", Name: "crush.json", Shape: dialect.ShapeList, Write: true},
			{Level: "project", Base: dialect.ProjectBase, Name: "crush.json", Shape: dialect.ShapeList, Write: true},
			{Level: "project", Base: dialect.ProjectBase, Name: ".crush.json", Shape: dialect.ShapeList},
		},
		Unit: time.Second, Default: 30 * time.Second,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "the JSON on stdout counts; anything else means no opinion"},
			{Code: "2", Means: "a deny with stderr as the reason"},
			{Code: "49", Means: "the end of the turn, with stderr as the reason"},
			{Code: "other", Means: "the call goes on"},
		},
		Late: "no opinion: the call goes on", Unknown: dialect.UnknownIgnored,
		Matcher: "an unanchored regular expression on the tool's name; empty for all",
		Traps: []string{
			"it has one event, before a tool: nothing can be taken out of a result, and no prompt can be refused",
			"tools of subagents fire nothing; the tool that starts one does",
			"an allow skips its own question to the person",
			"a question (ask) is not an opinion to it, and is sent as a deny",
			"a changed input is put over the one that was: what a hook took out is sent as null",
		},
		Facts: dialect.HostFacts{Version: "main of 2026-08-21", Date: "2026-11-29", Source: "https://github.com/charmbracelet/crush/blob/main/docs/hooks/README.md", Proof: "run"},
	}

	files = &foreign.Files{
		List: func(d dialect.Dirs) []foreign.Place {
			return []foreign.Place{
				{Path: dialect.Join(d.Home, ".config", "crush", "crush.json"), Level: "user"},
				{Path: dialect.Join(d.Project, "crush.json"), Level: "project"},
				{Path: dialect.Join(d.Project, ".crush.json"), Level: "project"},
			}
		},
		Timeouts: []string{"timeout"}, Unit: time.Second, Default: 30 * time.Second, Commands: []string{"command"},
		Pattern: func(_ *foreign.Event, text string) (hook.Matcher, error) { return hook.MatchRegexp(text) },
		Env: func(d dialect.Dirs, in hook.Input) []string {
			return []string{"CRUSH=1", "AGENT=crush", "AI_AGENT=crush", "CRUSH_PROJECT_DIR=" + d.Project, "CRUSH_CWD=" + in.Base().CWD, "CRUSH_SESSION_ID=" + in.Base().SessionID}
		},
	}

	table = &foreign.Table{
		Name: name, EventKey: "event", Own: func(p hook.JSON) bool {
			return p.Has("event") && p.Has("tool_name") && !p.Has("conv_id") && !p.Has("matcher_context")
		},
		Common: foreign.Fields("session_id", "cwd"), Tools: tools{names}, Merges: true,
		Exit:   func(_ *foreign.Event, code int) foreign.Exit { return foreign.Exit{Denies: code == 2 || code == 49} },
		Events: events,
	}

	names = vocab.Vocabulary{
		{Canonical: "Bash", Dialect: "bash"},
		{Canonical: "Read", Dialect: "view"},
		{Canonical: "Write", Dialect: "write"},
		{Canonical: "Edit", Dialect: "edit"},
		{Canonical: "MultiEdit", Dialect: "multiedit"},
		{Canonical: "Glob", Dialect: "glob"},
		{Canonical: "Grep", Dialect: "grep"},
		{Canonical: "LS", Dialect: "ls"},
		{Canonical: "WebFetch", Dialect: "fetch"},
		{Canonical: "Agent", Dialect: "agent"},
		{Canonical: "TodoWrite", Dialect: "todos"},
	}
)

func events() []foreign.Event {
	return []foreign.Event{{
		Name: "PreToolUse", Event: hook.EventPreToolUse, Fields: foreign.Fields("tool_name", "tool_input"),
		Answer: []foreign.Member{
			{Path: "version"},
			{Path: "decision", Means: foreign.Decides, Words: []foreign.Word{{Text: "deny", Decision: hook.DecisionDeny}, {Text: "allow", Decision: hook.DecisionAllow}}},
			{Path: "reason", Means: foreign.Reason},
			{Path: "halt", Means: foreign.Ends},
			{Path: "context", Means: foreign.AddsContext},
			{Path: "updated_input", Means: foreign.NewInput},
		},
	}}
}

// tools are a vocabulary, and the tools of MCP servers, of which the name does not say where
// the server's ends.
type tools struct{ vocab.Vocabulary }

// Out writes a tool's name and input as crush has them.
func (t tools) Out(name string, input hook.JSON) (string, hook.JSON) {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			return "mcp_" + server + "_" + tool, input
		}
	}
	return t.Vocabulary.Out(name, input)
}
