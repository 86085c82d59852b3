package builtinsh

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

// FuzzParse reads whatever it is given without a crash, and what it takes has no
// recursion and no jobs that would outlive a run.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"echo hi", "f() { g; }; g() { f; }", "x=a\\ b\\", "cat <<X\n$y\nX", "${x:-\"a\"}", "trap 'x' EXIT", "{1..9}", "a|b|(c)", "[ -t 0 ]", "set -euo pipefail"} {
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
	for _, s := range []string{"", "(", "!", "-f", "it's", "a\nb", "\\", "$x", "%s%d", "-n", "\x00", "\xff"} {
		f.Add(s)
	}
	p, err := Parse(`read -r x; [ "$x" = "$x" ] && printf '%s|' "$x"; y=$x; printf '%s|' "$y"; echo "$x" | { IFS= read -r z; printf '%s' "$z"; }; w=$(printf '%s' "$x"); case $w in "$x") printf '|%s' "${w#never}" ;; esac`, Bash)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, _, _ := strings.Cut(strings.ReplaceAll(s, "\x00", ""), "\n")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		exit, err := p.Run(ctx, process.Spec{Stdin: []byte(s + "\n"), Env: []string{}})
		if err != nil || exit.Code != 0 {
			t.Fatalf("%v, %v, %s", exit, err, exit.Stderr)
		}
		trimmed := strings.Trim(line, " \t")
		if want := trimmed + "|" + trimmed + "|" + trimmed + "|" + trimmed; string(exit.Stdout) != want && !strings.HasPrefix(trimmed, "-") {
			t.Errorf("%q, want %q", exit.Stdout, want)
		}
	})
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{`a\|b`, `[]a]`, `[^]]x`, `a{2,3}`, `\(x\)*`, `^*a`, `x\{1\}`, `[[:digit:]]+`, `\b`, `a$b`, `[a-`, `\1`} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, pattern string, extended bool) {
		if out, ok := translatePattern(pattern, extended); ok {
			if re, err := regexp.Compile(out); err == nil {
				re.MatchString("some text")
			}
		}
	})
}

func FuzzPrintf(f *testing.F) {
	f.Add("%5.2s|%-4d|%b\\n", "x", "12")
	f.Add("%*d %q %", "3", "'a")
	f.Fuzz(func(t *testing.T, template, a, b string) {
		if out, _ := format(Bash, template, []string{a, b}); len(out) > 8*(maxWidth+len(template)+len(a)+len(b))*(1+strings.Count(template, "%")) {
			t.Errorf("%d bytes", len(out))
		}
	})
}

// FuzzReadLine compares lines read in pieces with lines read byte by byte.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte("a\\\nb\nc"), false)
	f.Add([]byte("x\\\\\ny"), true)
	f.Fuzz(func(t *testing.T, text []byte, raw bool) {
		file, err := tempInput(text)
		if err != nil {
			t.Fatal(err)
		}
		defer closeInput(file)
		slow := bufio.NewReader(bytes.NewReader(text))
		for range 50 {
			got, errGot := readLine(file, raw)
			want, errWant := scanLine(slow, raw)
			if !bytes.Equal(got, want) || (errGot == nil) != (errWant == nil) {
				t.Fatalf("%q %v, want %q %v", got, errGot, want, errWant)
			}
			if errGot == io.EOF {
				break
			}
		}
		rest, _ := io.ReadAll(file)
		left, _ := io.ReadAll(slow)
		if !bytes.Equal(rest, left) {
			t.Errorf("left over: %q, want %q", rest, left)
		}
	})
}
