package claude_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
)

func TestMatcherRule(t *testing.T) {
	for _, tt := range []struct {
		event      hook.Event
		pattern    string
		yes, no    string // names, separated by blanks
		yesExactly string // a name with a blank in it
	}{
		{pattern: "", yes: "Bash anything"},
		{pattern: "*", yes: "Bash anything"},
		{pattern: "Bash", yes: "Bash", no: "bash BashOutput Bas"},
		{pattern: "Edit|Write", yes: "Edit Write", no: "MultiEdit edit Edit|Write"},
		{pattern: "Edit,Write", yes: "Edit Write", no: "Edit,Write"},
		{pattern: " Edit , Write |Read ", yes: "Edit Write Read"},
		{pattern: "my-tool", yes: "my-tool", no: "my-tools my"},
		{pattern: "my tool", yesExactly: "my tool", no: "my tool2"},
		{pattern: "rit", no: "Write rite"},
		{pattern: "rit.", yes: "Write rite", no: "rit"},
		{pattern: "mcp__gh", no: "mcp__gh__issue"},
		{pattern: "mcp__gh__.*", yes: "mcp__gh__issue mcp__gh__", no: "mcp__gitlab__issue"},
		{pattern: "^Bash$", yes: "Bash", no: "BashOutput"},
		{pattern: "^plugin:agent$", yes: "plugin:agent", no: "plugin"},
		{pattern: "Bash(git commit*)", no: "Bash Write"},
		{pattern: "^(?!Bash).*$", yes: "Write", no: "Bash BashOutput"},
		{pattern: `(a)\1`, yes: "xaax", no: "ab"},
		{pattern: `^\w+\d$`, yes: "tool1", no: "tool"},
		{pattern: `[^]x`, yes: "ax", no: "x"},
		{pattern: `^\p{L}$`, yes: "p{L}", no: "a"},
		{pattern: `(?i:bash)`, yes: "BASH bash"},
		{pattern: `ä`, yes: "xäx", no: "a"},
		{pattern: "Task|Edit", yes: "Agent Task Edit", no: "Write"},
		{pattern: "^Task$", yes: "Agent Task", no: "TaskList"},
		{pattern: "^(?!Agent)", yes: "Agent Write"},
		{pattern: "Agent", yes: "Agent", no: "Task"},
		{event: hook.EventSubagentStart, pattern: "Task", yes: "Task", no: "Agent"},
		{event: hook.EventFileChanged, pattern: "go_mod|Makefile", yes: "go_mod Makefile", no: "xMakefile"},
		{event: hook.EventFileChanged, pattern: ".env|.envrc", yes: ".env .envrc", no: "env"},
		{event: hook.EventFileChanged, pattern: "a-b", yes: "a-b xa-bx"},
		{event: hook.EventFileChanged, pattern: "a,b", yes: "xa,bx", no: "a b"},
		{event: hook.EventStopFailure, pattern: "rate_limit|overloaded", yes: "rate_limit overloaded", no: "xrate_limit"},
	} {
		ev := tt.event
		if ev == 0 {
			ev = hook.EventPreToolUse
		}
		m, err := claude.ParseMatcher(ev, tt.pattern)
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		for name := range strings.FieldsSeq(tt.yes) {
			if m.Match(name) != hook.MatchYes {
				t.Errorf("%q does not match %q", tt.pattern, name)
			}
		}
		for name := range strings.FieldsSeq(tt.no) {
			if m.Match(name) != hook.MatchNo {
				t.Errorf("%q matches %q", tt.pattern, name)
			}
		}
		if tt.yesExactly != "" && m.Match(tt.yesExactly) != hook.MatchYes {
			t.Errorf("%q does not match %q", tt.pattern, tt.yesExactly)
		}
		if tt.pattern != "" && m.String() != tt.pattern {
			t.Errorf("%q became %q", tt.pattern, m.String())
		}
	}
}

func TestBadMatchersAreErrors(t *testing.T) {
	for _, pattern := range []string{"[", "(", "a{2,1}", `\`, "*abc", "(?i)bash", "(?<a", strings.Repeat("a.", 8000)} {
		if m, err := claude.ParseMatcher(hook.EventPreToolUse, pattern); err == nil {
			t.Errorf("%.20q was accepted as %T", pattern, m)
		}
	}
}

// TestMatcherCostBomb has a pattern that backtracks for ever.
func TestMatcherCostBomb(t *testing.T) {
	m, err := claude.ParseMatcher(hook.EventPreToolUse, `^(?:(?=a)(?:a|aa)+)+$`)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if got := m.Match(strings.Repeat("a", 60) + "!"); got != hook.MatchUncertain {
		t.Errorf("match = %v", got)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
	if got := m.Match(strings.Repeat("a", 5000)); got != hook.MatchUncertain {
		t.Errorf("a huge name: %v", got)
	}
}

func TestLints(t *testing.T) {
	for _, tt := range []struct {
		event         hook.Event
		pattern, want string
	}{
		{hook.EventPreToolUse, "Bash(git commit*)", "is a permission rule"},
		{hook.EventPreToolUse, "Bash(ls)", "is a permission rule"},
		{hook.EventPreToolUse, "mcp__gh", "write mcp__gh__.*"},
		{hook.EventPreToolUse, "mcp__gh__*", "write .*"},
		{hook.EventPreToolUse, "bash", "did you mean Bash?"},
		{hook.EventPreToolUse, "Write|edit", "did you mean Edit?"},
		{hook.EventPreToolUse, "Bsh", "did you mean Bash?"},
		{hook.EventPreToolUse, " , ", "names nothing"},
		{hook.EventStop, "Bash", "nothing that a matcher could be tested against"},
		{hook.EventSessionStart, "start", "use one of startup"},
		{hook.EventSessionStart, "Startup", "did you mean startup?"},
		{hook.EventPreToolUse, "Bash", ""},
		{hook.EventPreToolUse, "deploy-tool", ""},
		{hook.EventPreToolUse, "Edit(or|ion)?", ""},
		{hook.EventPreToolUse, "mcp__gh__.*|Bash", ""},
		{hook.EventPreToolUse, "mcp__gh__issue", ""},
		{hook.EventSessionStart, "startup|resume", ""},
		{hook.EventStop, "*", ""},
		{hook.EventSubagentStop, "reviewer", ""},
	} {
		lints := claude.LintMatcher(tt.event, tt.pattern)
		var all strings.Builder
		for _, l := range lints {
			all.WriteString(l.Message + "; " + l.Remedy + "\n")
		}
		if (tt.want == "") != (len(lints) == 0) || !strings.Contains(all.String(), tt.want) {
			t.Errorf("%v %q: %q, want %q", tt.event, tt.pattern, all.String(), tt.want)
		}
	}
}

func TestToolTable(t *testing.T) {
	for _, tool := range claude.Tools() {
		if !tool.Example.Valid() {
			t.Errorf("%s: the example is not valid", tool.Name)
		}
		fields := map[string]bool{}
		for _, f := range tool.Fields {
			fields[f.Name] = true
			if v, ok := tool.Example.Get(f.Name); f.Required && !ok {
				t.Errorf("%s: the example lacks %s", tool.Name, f.Name)
			} else if kinds := map[byte]string{'"': "string", '{': "object", '[': "array", 't': "boolean", 'f': "boolean"}; ok && kinds[v.Raw()[0]] != f.Type {
				t.Errorf("%s: %s is %s, not a %s", tool.Name, f.Name, v.Raw(), f.Type)
			}
		}
		for _, k := range tool.Example.Keys() {
			if !fields[k] {
				t.Errorf("%s: the example has %s", tool.Name, k)
			}
		}
	}
	at := slices.IndexFunc(claude.Tools(), func(t claude.Tool) bool { return t.Name == "Grep" })
	if at < 0 {
		t.Fatal("there is no Grep")
	}
	if grep := claude.Tools()[at]; len(grep.Fields) != 6 || grep.Fields[4] != (claude.ToolField{Name: "-i", Type: "boolean"}) {
		t.Errorf("%+v", grep)
	}
	if len(claude.ToolNames()) != len(claude.Tools()) {
		t.Error("names and tools differ")
	}
}
