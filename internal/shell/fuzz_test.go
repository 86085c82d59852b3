package shell_test

import (
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/shell"
)

func FuzzAnalyze(f *testing.F) {
	for _, seed := range []string{
		"git status; rm -rf x", "env X=1 sudo ls", "echo $(rm x) `y`", "cat <<EOF\n$(rm)\nEOF",
		"find . -exec rm {} \\;", "bash -c 'eval \"a b\"'", "xargs -I% sh -c 'x %'", "a=(1 2) b[$(c)]=3",
		"[[ a -eq b && c ]]", "$'\\x41\\u00e9\\777'", "f() { g; }; ((x))", "{a,b}{1..9}", "~x/[ab", "\\",
		"env -S a", "trap 'x' 1", "sudo -", "timeout", "nice --", "su -c", "flock f -c", "<&3 >&x", "${a[$(b)]:=c}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := shell.Analyze(text)
		if s.Parsed == (s.Problem != "") {
			t.Fatalf("Parsed %v with problem %q", s.Parsed, s.Problem)
		}
		for i := range s.Commands {
			s.Commands[i].All(func(c *shell.Command) bool {
				if c.InnerAt < 0 || c.InnerAt > len(c.Args) {
					t.Fatalf("%q: InnerAt %d of %d words", c.Source, c.InnerAt, len(c.Args))
				}
				if c.Wrap != shell.NoWrap && len(c.Inner) == 0 && c.Uncertain == "" {
					t.Fatalf("%q: a wrapper without inner command or doubt", c.Source)
				}
				for _, w := range c.Args {
					check(t, w)
				}
				return true
			})
		}
	})
}

// check holds the invariant of a word: literal words have one known piece.
func check(t *testing.T, w shell.Word) {
	t.Helper()
	unknown := false
	for _, p := range w.Pieces() {
		unknown = unknown || p.Unknown
	}
	if w.Literal == unknown {
		t.Fatalf("word %q: literal %v, unknown pieces %v", w.Text, w.Literal, unknown)
	}
}

func TestAnalyzeIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("(", 10000),
		strings.Repeat("$(", 10000),
		strings.Repeat("a;", 10000),
		strings.Repeat("eval ", 5000) + "x",
		strings.Repeat("sudo ", 5000) + "x",
		strings.Repeat("a=$(b) ", 6000) + "x",
		"find . " + strings.Repeat("-exec a \\; ", 5000),
		strings.Repeat("x", shell.MaxText+1),
	} {
		s := shell.Analyze(text)
		certain := s.Parsed && len(s.Uncertain) == 0
		for i := range s.Commands {
			s.Commands[i].All(func(c *shell.Command) bool {
				certain = certain && c.Uncertain == ""
				return true
			})
		}
		if certain {
			t.Errorf("%.20q...: over the limits, but nothing is said to be uncertain", text)
		}
	}
}
