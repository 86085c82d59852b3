package shell_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/internal/shell"
)

// names are the commands that a real shell may run in TestRealShells. Each only
// writes down its name.
var names = []string{"aa", "bb", "cc"}

// shapes are the ways of a shell to run a command; %s is one, %q one in quotes.
var shapes = []string{
	"%s", "%s", "%s 1 2", "%s; %s", "%s && %s", "%s || %s", "%s | %s", "%s & wait", "( %s )", "{ %s; }", "! %s", "%s\n%s",
	"env X=1 %s", "X=1 %s", "nice %s", "nice -n 1 %s", "timeout 5 %s", "timeout -k 1 5 %s", "nohup %s", "command %s", "time %s",
	"exec %s", "eval %s", "eval %q", "bash -c %q", "sh -c %q", "sh -ec %q x", "env bash -c %q", "echo 1 | xargs %s",
	"echo 1 | xargs -I@ %s", "echo 1 | xargs -n 1 env %s", "find . -maxdepth 0 -exec %s {} \\;", "echo $(%s)", "echo \"$(%s)\"", "echo `%s`",
	"X=$(%s)", "echo ${X:-$(%s)}", "echo $(( $(%s; echo 1) ))", "cat <<EOF\n$(%s)\nEOF", "cat <<'EOF'\n$(%s)\nEOF", "sh <<'E'\n%s\nE",
	"if %s; then %s; else %s; fi", "for i in 1 2; do %s; done", "while false; do %s; done; %s", "until true; do %s; done",
	"case x in x) %s;; esac", "f() { %s; }; f", "f() { %s; }", "trap %q EXIT", "%s > out", "> out %s", "2>out %s", "cat < /dev/null; %s",
	"echo 'x; %s'", "echo \"x; %s\"", "echo x # ; %s", "# x\n%s", "echo $'\\'; %s #'", "[[ a || %s ]]", "((%s))", "( (%s) )",
	"echo {a,b}; %s", "cat <(%s)", "echo a\\;%s", "[ a ] && %s", "%s 'a\nb'", "echo a \\\n%s", "set -- %s; $1", "x=%s; $x", "$(echo %s)",
	"a=(x); %s", "echo $[a || %s ]", "echo ${X:=$(%s)}", "declare y=$(%s)", "export Y=`%s`", "coproc %s", "cat <<< $(%s)",
	"eval \"$(echo %s)\"", "echo %s | sh", "alias zz=%s; zz", "y() { \"$@\"; }; y %s", "select x in a; do %s; done </dev/null",
}

// script makes a random piece of shell text out of the shapes.
func script(r *rand.Rand, depth int) string {
	if depth == 0 {
		name := names[r.IntN(len(names))]
		switch r.IntN(8) {
		case 0:
			return `\` + name
		case 1:
			return name[:1] + "''" + name[1:]
		case 2:
			return `"` + name + `"`
		case 3:
			return name[:1] + "\\\n" + name[1:]
		}
		return name
	}
	shape := shapes[r.IntN(len(shapes))]
	var out strings.Builder
	for {
		before, after, ok := strings.Cut(shape, "%")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		if inner := script(r, depth-1); after[0] == 'q' {
			out.WriteString("'" + strings.ReplaceAll(inner, "'", `'\''`) + "'")
		} else {
			out.WriteString(inner)
		}
		shape = after[1:]
	}
}

// Whatever a real shell runs, Analyze must have listed, or have said that it
// can't tell.
func TestRealShells(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stubs are shell scripts")
	}
	dir := t.TempDir()
	bin, work := filepath.Join(dir, "bin"), filepath.Join(dir, "work")
	for _, d := range []string{bin, work} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho "+name+" >>\"$LOG\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range []string{"env", "nice", "timeout", "nohup", "xargs", "find", "cat", "sh", "bash"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Skipf("%s is not installed", tool)
		}
		if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	rounds := 250
	if testing.Short() {
		rounds = 40
	}
	r := rand.New(rand.NewPCG(1, 2))
	ran, certain := 0, 0
	for i := range rounds {
		text := script(r, 1+r.IntN(3))
		listed, sure := listedNames(text)
		if sure {
			certain++
		}
		for _, shell := range []string{"bash", "sh"} {
			// A log of its own each time: a job in the background may outlive its shell.
			got := runReal(t, shell, text, bin, work, filepath.Join(dir, fmt.Sprintf("log.%d.%s", i, shell)))
			ran += len(got)
			for _, name := range got {
				if sure && !slices.Contains(listed, name) {
					t.Errorf("%s ran %s, which is not listed %v:\n%s", shell, name, listed, text)
				}
			}
		}
	}
	if certain == 0 || ran == 0 {
		t.Errorf("%d texts were certain, %d commands ran: nothing was compared", certain, ran)
	}
}

// listedNames returns the names of all commands that Analyze lists, and whether
// nothing was in doubt.
func listedNames(text string) (listed []string, sure bool) {
	s := shell.Analyze(text)
	sure = s.Parsed && len(s.Uncertain) == 0 && len(s.Dialect) == 0
	for i := range s.Commands {
		s.Commands[i].All(func(c *shell.Command) bool {
			sure = sure && c.Uncertain == "" && c.Dialect == "" && c.Name() != "alias"
			listed = append(listed, c.Name())
			return true
		})
	}
	return listed, sure
}

// runReal runs a text in a real shell and returns the names that were written
// down.
func runReal(t *testing.T, shell, text, bin, work, log string) []string {
	t.Helper()
	if err := os.WriteFile(log, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, shell), "-c", text)
	cmd.Dir, cmd.Env, cmd.WaitDelay = work, []string{"PATH=" + bin, "HOME=" + work, "LOG=" + log}, time.Second
	_ = cmd.Run() // many of the texts fail, and may
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}
