package hook_test

import (
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

func TestMatchers(t *testing.T) {
	tests := []struct {
		pattern, subject string
		want             hook.Matched
	}{
		{"", "Bash", hook.MatchYes},
		{"*", "Bash", hook.MatchYes},
		{"Bash", "Bash", hook.MatchYes},
		{"Bash", "BashOutput", hook.MatchNo},
		{"bash", "Bash", hook.MatchNo},
		{"Read|Write|Edit", "Write", hook.MatchYes},
		{"Read|Write", "ReadWrite", hook.MatchNo},
		{"mcp__*", "mcp__gh__issue/list", hook.MatchYes},
		{"mcp__*__list", "mcp__gh__a__list", hook.MatchYes},
		{"mcp__*__list", "mcp__gh__listing", hook.MatchNo},
		{"?ash", "Bash", hook.MatchYes},
		{"?ash", "ash", hook.MatchNo},
		{"mcp__*|Bash", "Bash", hook.MatchYes},
		{"Notebook.*", "NotebookEdit", hook.MatchYes},
		{"^(Edit|Write)$", "Write", hook.MatchYes},
		{"^(Edit|Write)$", "MultiEdit", hook.MatchNo},
		{"rit.", "Write", hook.MatchYes},
		{"*", "", hook.MatchYes},
		{"?", "é", hook.MatchYes},
	}
	for _, tt := range tests {
		m, err := hook.ParseMatcher(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Match(tt.subject); got != tt.want {
			t.Errorf("%q on %q: %v", tt.pattern, tt.subject, got)
		}
	}
	if _, err := hook.ParseMatcher("[a"); err == nil {
		t.Error("[a compiled")
	}
}

// FuzzGlob checks the glob matcher against a slow reference.
func FuzzGlob(f *testing.F) {
	f.Add("mcp__*__x", "mcp__a__x")
	f.Add("**a?", "bab")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 12 || len(text) > 12 {
			return
		}
		got := hook.MatchGlob(pattern).Match(text) == hook.MatchYes
		if want := slowGlob([]rune(pattern), []rune(text)); got != want {
			t.Fatalf("%q on %q: %v, want %v", pattern, text, got, want)
		}
	})
}

func slowGlob(p, s []rune) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '*':
		return slowGlob(p[1:], s) || len(s) > 0 && slowGlob(p, s[1:])
	case len(s) > 0 && (p[0] == '?' || p[0] == s[0]):
		return slowGlob(p[1:], s[1:])
	}
	return false
}
