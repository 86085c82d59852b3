package antigravity

import (
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/hook"
)

// name is the dialect's name.
const name = "antigravity"

// Dialect returns the dialect.
func Dialect() dialect.Dialect { return foreign.New(spec) }

// What is written once, here, and never changed.
var (
	spec = &foreign.Spec{
		Title: "Antigravity", Summary: "Antigravity's own entries in .agents/hooks.json, when asked for", Rank: 555,
		Tables: []*foreign.Table{table}, Files: files, Vocabulary: names,
		Hosts:  []foreign.Host{{Row: row, Tables: []*foreign.Table{table}}},
		Places: dialect.Places{Protected: []string{".agents/hooks.json", ".gemini/config"}},
	}

	row = &dialect.Host{
		Name: name, Title: "Antigravity", Program: "agy",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".gemini/config", Name: "hooks.json", Shape: dialect.ShapeNamed, Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".agents", Name: "hooks.json", Shape: dialect.ShapeNamed, Write: true},
		},
		Unit: time.Second, Default: 30 * time.Second,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "the JSON on stdout counts; nothing means no opinion (1.1.2 is said to refuse then), and {} before a tool is a deny"},
			{Code: "other", Means: "a deny of a tool"},
		},
		Late: "the tool is refused", Unknown: dialect.UnknownVoids,
		Matcher: "a regular expression on the tool's name; empty or * for all; other events have none",
		Traps: []string{
			"hooks are told neither prompts nor what tools returned: no prompt can be refused, and nothing taken out of a result",
			"a question (ask, force_ask) is not put where it is set to always proceed, so that it is sent as a deny",
			"PreInvocation comes before every model call: the first one for a prompt is UserPromptSubmit, each other one PostToolBatch",
			"a file that it cannot read is dropped whole, without a word",
			"its agent that is started with -p knows no project without --add-dir; hooks run where it started them then",
			"one version of it (1.1.11) is said to read hooks of its plugins only",
		},
		Facts: dialect.HostFacts{Version: "1.1.5 to 1.2.3", Date: "2026-11-29", Source: "https://antigravity.google/docs/hooks", Proof: "documents"},
	}

	files = &foreign.Files{
		List: func(d dialect.Dirs) []foreign.Place {
			return []foreign.Place{
				{Path: dialect.Join(d.Home, ".gemini", "config", "hooks.json"), Level: "user"},
				{Path: dialect.Join(d.Project, ".agents", "hooks.json"), Level: "project"},
			}
		},
		Nested: true, Named: true,
		Timeouts: []string{"timeout"}, Unit: time.Second, Default: 30 * time.Second, Commands: []string{"command"},
		Known:   []string{"prompt", "model"},
		Others:  []string{"PostInvocation"},
		Pattern: func(_ *foreign.Event, text string) (hook.Matcher, error) { return hook.MatchRegexp(text) },
		Env: func(_ dialect.Dirs, in hook.Input) []string {
			if in == nil {
				return nil
			}
			return []string{"ANTIGRAVITY_CONVERSATION_ID=" + in.Base().SessionID}
		},
	}

	table = &foreign.Table{
		Name: name, Own: func(p hook.JSON) bool { return p.Has("conversationId") && p.Has("workspacePaths") },
		Common: append(foreign.Fields("session_id>conversationId", "transcript_path>transcriptPath", ">artifactDirectoryPath", ">modelName"), workspace),
		Tools:  names, Silent: true, Strict: true, Events: events,
		Exit: func(e *foreign.Event, _ int) foreign.Exit {
			return foreign.Exit{Denies: e.Event == hook.EventPreToolUse}
		},
	}
)
