package shim

import (
	_ "embed"
	"slices"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

//go:embed pi.js
var piModule string

// What is written once, here, and never changed.
var (
	piRow = &dialect.Host{
		Name: "pi", Title: "pi", Program: "pi",
		Files: modules(".pi", "extensions"),
		Unit:  time.Second, Default: 10 * time.Minute, Exits: thrown, Late: opencodeRow.Late, Matcher: opencodeRow.Matcher,
		Needs: []string{"a project's extensions load once the project is trusted"},
		Traps: piTraps,
		Facts: dialect.HostFacts{Version: "1.6.0", Date: "2026-11-29", Source: "https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/extensions.md", Proof: "run"},
	}

	ompRow = &dialect.Host{
		Name: "omp", Title: "oh-my-pi", Program: "omp",
		Files: append(modules(".omp", "extensions"), modules(".omp", "hooks")[2:]...),
		Unit:  time.Second, Default: 10 * time.Minute, Exits: thrown, Late: opencodeRow.Late, Matcher: opencodeRow.Matcher,
		Traps: append([]string{"-p fires no event for a prompt: one that is refused reaches the model with the reason, and gets no tools"}, piTraps...),
		Facts: dialect.HostFacts{Version: "17.3.5", Date: "2026-11-29", Source: "https://github.com/can1357/oh-my-pi/tree/main/packages/coding-agent", Proof: "run"},
	}

	thrown  = []dialect.HostExit{{Code: "any", Means: "our module alone sees it: a code other than 0 refuses a tool call and a prompt"}}
	piTraps = []string{
		"-p ends when the agent rests: a hook can keep it going in the terminal and over RPC only",
		"a module cannot have a person asked with an outcome that binds: a question is a deny",
		"changed output takes the place of images too",
	}

	piTable = table(vocab.Vocabulary{
		{Canonical: "Bash", Dialect: "bash"},
		{Canonical: "Read", Dialect: "read", Fields: piFile},
		{Canonical: "Write", Dialect: "write", Fields: piFile},
		{Canonical: "Edit", Dialect: "edit", Fields: append([]vocab.Field{{Canonical: "old_string", Dialect: "oldText"}, {Canonical: "new_string", Dialect: "newText"}}, piFile...)},
		{Canonical: "Glob", Dialect: "find"},
		{Canonical: "Grep", Dialect: "grep"},
		{Canonical: "LS", Dialect: "ls"},
		{Canonical: "Agent", Dialect: "task"},
	}, piEvents)

	piFile = []vocab.Field{{Canonical: "file_path", Dialect: "path"}}
)

// modules are the places of a program's modules below its own directory. The first two are ours.
func modules(dir, kind string) []dialect.HostFile {
	user, project := dir+"/agent/"+kind, dir+"/"+kind
	return []dialect.HostFile{
		{Level: "user", Base: dialect.HomeBase, Dir: user, Name: "hookline.js", Format: dialect.FormatModule, Module: piModule, Write: true},
		{Level: "project", Base: dialect.ProjectBase, Dir: project, Name: "hookline.js", Format: dialect.FormatModule, Module: piModule, Write: true},
		{Level: "user", Base: dialect.HomeBase, Dir: user, Format: dialect.FormatModule},
		{Level: "project", Base: dialect.ProjectBase, Dir: project, Format: dialect.FormatModule},
	}
}

func piEvents() []foreign.Event {
	failed := func(p hook.JSON) bool { return p.Has("error") }
	return []foreign.Event{
		{Name: "session_start", Event: hook.EventSessionStart},
		{Name: "input", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt"), Answer: []foreign.Member{deny, context}},
		{Name: "tool_call", Event: hook.EventPreToolUse, Fields: call, Answer: before},
		{Name: "tool_result", Event: hook.EventPostToolUseFailure, When: failed, Fields: append(slices.Clone(call), foreign.Fields("error")...), Answer: after},
		{Name: "tool_result", Event: hook.EventPostToolUse, Fields: append(slices.Clone(call), foreign.Fields("tool_response>output")...), Answer: after},
		{Name: "agent_end", Event: hook.EventStop, Fields: whetherOn, Answer: goesOn},
		{Name: "session_before_compact", Event: hook.EventPreCompact, Answer: []foreign.Member{deny}},
		{Name: "session_compact", Event: hook.EventPostCompact},
		{Name: "session_shutdown", Event: hook.EventSessionEnd},
	}
}
