//go:build unix

package builtin_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer writes random scripts of the language that the built-in shell takes, and of
// what lies close to it.
type writer struct {
	r     *rand.Rand
	bash  bool
	out   strings.Builder
	funcs []string
	depth int
	loops int
	in    bool // in a function
	e     bool // under set -e
}

func script(seed uint64, bash bool) string {
	w := &writer{r: rand.New(rand.NewPCG(seed, 1)), bash: bash}
	if bash {
		w.out.WriteString("#!/bin/bash\n")
	}
	switch w.r.IntN(5) {
	case 0, 1:
		w.e = true
		w.line("set -e")
	case 2:
		if bash {
			w.line(w.pick("set -euo pipefail", "set -eu", "set -o pipefail", "set -u"))
		}
	}
	w.line("x=" + w.pick("q", "'a b'", `"$GREETING"`, "''", "'a*'", `'\n\\'`, "-n", "'!'") + " y=z")
	for range w.r.IntN(3) {
		w.function()
	}
	w.list(2 + w.r.IntN(5))
	if w.r.IntN(2) == 0 {
		w.line(`echo "end $? $x|$y"`)
	}
	return w.out.String()
}

func (w *writer) pick(of ...string) string { return of[w.r.IntN(len(of))] }
func (w *writer) line(s string)            { w.out.WriteString(strings.Repeat(" ", w.depth) + s + "\n") }

func (w *writer) function() {
	name := fmt.Sprintf("f%d", len(w.funcs))
	w.line(name + "() {")
	w.in = true
	w.depth++
	if w.r.IntN(2) == 0 {
		w.line("local v=" + w.word())
	}
	w.list(1 + w.r.IntN(3))
	w.depth--
	w.in = false
	w.line("}")
	w.funcs = append(w.funcs, name)
}

func (w *writer) list(n int) {
	for range n {
		w.statement()
	}
}

// block writes a list further in.
func (w *writer) block(before, after string) {
	w.line(before)
	w.depth++
	w.list(1 + w.r.IntN(2))
	if w.r.IntN(3) > 0 && w.loops == 0 {
		w.line(w.command()) // under set -e, the last is not a list
	}
	w.depth--
	w.line(after)
}

func (w *writer) statement() {
	n := w.r.IntN(14)
	if w.depth > 2 || w.e && w.in && n > 5 && n < 8 {
		w.line(w.command())
		return
	}
	switch n {
	case 0, 1:
		w.block("if "+w.condition()+"; then", "fi")
	case 2:
		w.line("if " + w.condition() + "; then")
		w.depth++
		w.list(1 + w.r.IntN(2))
		w.depth--
		w.block("else", "fi")
	case 3:
		w.loops++
		w.block("for i in "+w.word()+" "+w.word()+" c; do", "done")
		w.loops--
	case 4:
		w.block("case "+w.value()+" in\n"+w.patterns()+")", ";;\nesac")
	case 5:
		w.block("{", "}"+w.redirection())
	case 6:
		loops := w.loops
		w.loops = 0
		w.block("(", ")"+w.redirection())
		w.loops = loops
	case 7:
		loops := w.loops
		w.loops = 1
		w.block("printf 'a b\\nq\\n\\\\c  d\\n' | while read -r x y; do", w.pick("done", "done\n:", "done\n:"))
		w.loops = loops
	case 8:
		w.out.WriteString(w.pick("cat <<E\n$x ${y}'\" \\$ \\\\ \\n $(echo in)\nE\n", "cat <<'E'\n$x \\n\nE\n", "read -r y <<E\n \"${x#a}\" b\nE\n"))
	default:
		w.line(w.andOr())
	}
}

func (w *writer) andOr() string {
	s := w.pipeline()
	for range w.r.IntN(3) {
		s += w.pick(" && ", " || ") + w.pipeline()
	}
	return s
}

func (w *writer) condition() string {
	n := w.r.IntN(6)
	switch {
	case w.e && n < 3 && w.r.IntN(8) > 0:
		return w.command()
	case n == 0:
		return w.andOr()
	case n == 1:
		return w.pick("! grep -q q", "! false", "! [ -n "+w.word()+" ]")
	case n == 2:
		return "(" + w.simple() + "; " + w.simple() + ")"
	}
	return w.simple()
}

func (w *writer) pipeline() string {
	n := w.r.IntN(7)
	if w.e && n != 1 && w.r.IntN(8) > 0 {
		return w.command() + w.pick("", "", "", " | tr a-z A-Z", " | grep -q q", " | cat")
	}
	switch n {
	case 0:
		return w.simple() + " | " + w.pick("cat", "tr a-z A-Z", "grep -q q", "grep z", "{ cat; "+w.simple()+"; }", w.simple())
	case 1:
		return w.pick("! true", "! false", "! "+w.simple())
	case 2:
		return "{ " + w.simple() + "; " + w.simple() + "; }"
	case 3:
		return "(" + w.simple() + "; " + w.simple() + ")"
	}
	return w.simple()
}

func (w *writer) simple() string {
	s := w.command()
	if w.r.IntN(8) == 0 {
		s += w.redirection()
	}
	return s
}

func (w *writer) redirection() string {
	if w.bash {
		return w.pick("", " >/dev/null", " 2>/dev/null", " >&2", " > out", " >> out", " > no/where", " &> both", " </dev/null", ` <<< "$x"`, " < out")
	}
	return w.pick("", " >/dev/null", " 2>/dev/null", " >&2", " > /dev/stdout", " </dev/null")
}

func (w *writer) command() string {
	n := w.r.IntN(24)
	if w.bash && n == 0 {
		return "[[ " + w.value() + w.pick(" == ", " != ") + w.pattern() + w.pick(" ]]", " && -n $x ]]", " || ! -e out ]]")
	}
	switch n {
	case 0, 1, 2:
		return "[ " + w.word() + w.pick(" = ", " != ") + w.word() + " ]"
	case 3:
		return w.pick("[ -n ", "[ -z ", "[ -f ", "[ ! -e ", "[ ", "test ! ") + w.word() + w.pick(" ]", " ]", " ]", "")
	case 4:
		return "[ " + w.number() + w.pick(" -eq ", " -gt ", " -le ") + w.number() + " ]"
	case 5, 6:
		return "echo " + w.word() + " " + w.word()
	case 7:
		return w.pick("echo", "echo -n "+w.word(), "pwd >/dev/null", "echo "+w.pick("-e ", "-ne ", "-E ")+w.word())
	case 8, 9:
		return "printf " + w.pick(`'%s\n' `, `'[%s]%s\n' `, `'%%\t%s' `, `'x\\y\n' `) + w.pick("", w.word()) + " " + w.word()
	case 10, 11:
		return w.pick("x=", "y=", "z=") + w.value()
	case 12:
		return "true"
	case 13, 14:
		return "false"
	case 15:
		return w.pick("exit", "exit 3", "exit $?", "exit 0", `exit "$?"`)
	case 16:
		if w.in {
			return w.pick("return 1", "return 0", "return $?", "return 4")
		}
		return ":"
	case 17:
		if w.loops > 0 {
			return w.pick("break", "continue")
		}
		return "nonesuch-command 2>/dev/null"
	case 18, 19:
		if len(w.funcs) > 0 {
			return w.funcs[w.r.IntN(len(w.funcs))] + " " + w.word()
		}
		return "sh -c 'exit 5'"
	case 20:
		return w.pick("read -r x", "IFS= read -r x", "read -r x y", "cat", "head -n 1")
	case 21:
		return w.pick("unset x", "export x", "export x="+w.word(), "unset z")
	case 22:
		return "x=" + w.word() + " " + w.pick("sh -c 'echo \"<$x>\"'", "env | grep -c ^x=")
	}
	return w.pick("grep -q q", `echo "$#" "$*" "$@"`, "./nowhere")
}

func (w *writer) number() string { return w.pick("0", "1", "7", `"$x"`, "$#", "'3'") }

// word writes an argument: quoted where it is computed.
func (w *writer) word() string {
	return w.pick("q", "z", "'a b'", `"$x"`, `"$y"`, `"${x}s"`, `"${x:-d}"`, `"${z-none}"`, `"${x:+is}"`, `"${x#a}"`, `"${x%%*b}"`, `"$(echo "$x")"`,
		`"$(`+w.pick("false", "exit 3", "printf 'a\\n\\n'", "true; echo 2")+`)"`, `"\"$x\" \\ \$"`, `'\\t\"n'`, `"$1"`, `"$@"`, "$?", "a/b", "''", `"é$x"`, "-x", `"$undefined"`)
}

// value writes what is not split.
func (w *writer) value() string {
	return w.pick(w.word(), w.word(), "$x", "$(echo q)", "$y$x", "$(false)")
}

func (w *writer) pattern() string {
	return w.pick("q", "*", "a*", "*b", `"$x"`, `*"$y"*`, "'a*'", `\**`, "*' '*", "''", `*"\\"*`)
}

func (w *writer) patterns() string { return w.pattern() + w.pick("", "|"+w.pattern()) }
