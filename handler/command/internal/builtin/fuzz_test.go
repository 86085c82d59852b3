package builtin

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

// FuzzParse reads whatever it is given without a crash: it is a program or an error.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"echo hi", "f() { g; }; g() { f; }", "x=a\\ b\\", "cat <<X\n$y\nX", "${x:-\"a\"}", "trap 'x' EXIT", "{1..9}", "a|b|(c)", "[ -t 0 ]", "set -euo pipefail", "unset", "read -r", "x= y", "$x/y", "for x; do :; done"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, bash bool) {
		lang := Sh
		if bash {
			lang = Bash
		}
		p, err := Parse(text, lang)
		if (p == nil) == (err == nil) {
			t.Errorf("%v, %v", p, err)
		}
	})
}

// FuzzArguments runs a command with arguments as they come from events: whatever they
// are, they stay words.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{"", "(", "!", "-f", "it's", "a\nb", "\\", "$x", "%s%d", "-n", "é\u2028"} {
		f.Add(s)
	}
	p, err := Parse(`read -r x; [ "$x" = "$x" ] && printf '%s|' "$x"; y=$x; printf '%s|' "$y"; printf '%s\n' "$x" | { IFS= read -r z; printf '%s' "$z"; }; w=$(printf '%s' "$x"); case $w in "$x") printf '|%s' "${w#never}" ;; esac`, Bash)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "?")
		line, _, _ := strings.Cut(s, "\n")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		exit, err := p.Run(ctx, process.Spec{Stdin: []byte(s + "\n"), Env: []string{}})
		if err != nil || exit.Code != 0 {
			t.Fatalf("%v, %v, %s", exit, err, exit.Stderr)
		}
		trimmed := strings.Trim(line, " \t")
		if want := trimmed + "|" + trimmed + "|" + trimmed + "|" + trimmed; string(exit.Stdout) != want {
			t.Errorf("%q, want %q", exit.Stdout, want)
		}
	})
}
