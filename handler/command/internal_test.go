package command

import (
	"strings"
	"testing"
)

func TestPowerShellLine(t *testing.T) {
	vars := map[string]string{"ROOT": "/r", "UNUSED": "", "user.key": "x"}
	got := powerShellLine("& ${ROOT}/x.ps1 # comment", vars)
	if !strings.HasPrefix(got, "${ROOT} = $env:ROOT\n& ${ROOT}/x.ps1 # comment\n") || strings.Contains(got, "UNUSED") {
		t.Errorf("line %q", got)
	}
	if !strings.HasSuffix(got, "exit $LASTEXITCODE } else { exit 1 }") {
		t.Errorf("line %q loses the exit code", got)
	}
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"", "${A}", "${A", "$${A}}", "${${A}}", "${B}x${}", "${A.b-c}", "\xff${A}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var unknown []string
		if got := Expand(s, nil, &unknown); got != s {
			t.Errorf("without values %q became %q", s, got)
		}
		got := Expand(s, map[string]string{"A": "${A}"}, &unknown)
		if got != s {
			t.Errorf("a value that is its own placeholder: %q became %q", s, got)
		}
		for _, name := range unknown {
			if !isName(name) {
				t.Errorf("%q is not a name", name)
			}
		}
	})
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a b", "it's", "'", `\'`, "\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := quote(s)
		back := strings.ReplaceAll(got[1:len(got)-1], `'\''`, "'")
		if back != s || got[0] != '\'' || got[len(got)-1] != '\'' {
			t.Errorf("quote(%q) = %s", s, got)
		}
	})
}
