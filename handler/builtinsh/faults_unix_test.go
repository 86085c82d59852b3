//go:build unix

package builtinsh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/builtinsh"
	"github.com/hookline-dev/hookline/handler/process"
)

func program(t testing.TB, text string, lang builtinsh.Lang) *builtinsh.Program {
	t.Helper()
	p, err := builtinsh.Parse(text, lang)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return p
}

// TestEnds proves that whatever a script does, it ends soon after its deadline.
func TestEnds(t *testing.T) {
	for name, text := range map[string]string{
		"busy loop":              "while :; do :; done",
		"loop of builtins":       "while true; do x=$((x + 1)); [ 1 = 1 ]; done",
		"until":                  "until false; do :; done",
		"for":                    "for ((;;)); do :; done",
		"loop in a function":     "f() { while :; do :; done; }; f",
		"loop in a substitution": "x=$(while :; do echo x >/dev/null; done)",
		"loop in a pipeline":     "while :; do echo x; done | while :; do :; done",
		"unread pipeline":        "while :; do echo x; done | sleep 60",
		"sleep":                  "sleep 60",
		"external":               "/bin/sleep 60",
		"external in a pipeline": "/bin/sleep 60 | cat",
		"waits for a pipe":       "/bin/sleep 60 | { read -r x; echo $x; }",
		"grandchild":             "/bin/sh -c '/bin/sleep 61; :'",
		"jq":                     "jq -n '[range(1e12)] | length'",
		"jq repeats":             "jq -n 'last(repeat(1))'",
		"ignores signals":        "/bin/sh -xc 'trap \"\" TERM; while :; do sleep 1; done' 2>/dev/null",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := program(t, text, builtinsh.Bash)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			began := time.Now()
			s := spec(t, []byte("x\n"))
			s.Grace = 100 * time.Millisecond
			exit, err := p.Run(ctx, s)
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if err != nil || !exit.TimedOut || exit.Code != -1 || !errors.Is(exit.Cause, context.DeadlineExceeded) {
				t.Fatalf("%+v, %v", exit, err)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	p := program(t, "echo started; while :; do :; done", builtinsh.Sh)
	cause := errors.New("the caller gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := spec(t, nil)
	s.OnOutput = func(process.Stream, []byte) { cancel(cause) }
	exit, err := p.Run(ctx, s)
	if err != nil || !exit.Cancelled || exit.TimedOut || exit.Cause != cause || string(exit.Stdout) != "started\n" {
		t.Fatalf("%+v, %v", exit, err)
	}
	if _, err := p.Run(ctx, spec(t, nil)); !errors.Is(err, cause) {
		t.Errorf("a context that has ended: %v", err)
	}
}

func TestOutputCaps(t *testing.T) {
	p := program(t, "i=0; while [ $i -lt 1000 ]; do echo 0123456789; echo e$i >&2; i=$((i+1)); done; exit 3", builtinsh.Sh)
	s := spec(t, nil)
	s.StdoutLimit, s.StderrLimit = 15, 10
	seen := 0
	s.OnOutput = func(stream process.Stream, b []byte) {
		if stream == process.Stdout {
			seen += len(b)
		}
	}
	exit, err := p.Run(t.Context(), s)
	if err != nil || exit.Code != 3 || string(exit.Stdout) != "0123456789\n0123" || exit.StdoutBytes != 11000 || !exit.StdoutTruncated || seen != 15 {
		t.Errorf("%v: %d of %d bytes %q, %d seen, %v", exit, len(exit.Stdout), exit.StdoutBytes, exit.Stdout, seen, err)
	}
	if string(exit.Stderr) != "\ne998\ne999"+"\n" && !strings.HasSuffix("e998\ne999\n", string(exit.Stderr)) || len(exit.Stderr) != 10 || !exit.StderrTruncated {
		t.Errorf("stderr %q", exit.Stderr)
	}
	s.StdoutLimit = -1
	if exit, err = p.Run(t.Context(), s); err != nil || len(exit.Stdout) != 0 || exit.StdoutBytes != 11000 {
		t.Errorf("%v, %v", exit, err)
	}
}

// TestMemory has scripts that take memory without end. They are ended, and this
// process is not.
func TestMemory(t *testing.T) {
	for _, text := range []string{
		"x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done",
		"x=$(yes)",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		p := program(t, text, builtinsh.Sh)
		p.Memory = 16 << 20
		exit, err := p.Run(ctx, spec(t, nil))
		cancel()
		if !errors.Is(err, builtinsh.ErrMemory) {
			t.Errorf("%s: %v, %v", text, exit, err)
		}
	}
}

// TestLargeValue has scripts whose values grow faster than anybody could look. The
// bound is on one value, so that what the script takes before is little.
func TestLargeValue(t *testing.T) {
	for _, text := range []string{
		"x=a; while :; do x=$x$x; done",
		"x=a; while :; do x=\"$x $x\"; done",
		"x=a; while :; do y=$x x=$y$x; done",
		"x=a; while ((1)); do x+=$x; done",
		"x=a; while :; do x=$x${x:-b}; done | cat",
		"x=a; while :; do x=$(printf %s \"$x$x\"); done",
		"f() { local y=a; while :; do y=$y$y$y; done; }; f",
		"x=(a); while :; do x=(\"${x[*]}${x[*]}\"); done",
		"x=a; while :; do x=$(printf %s%s%s%s $x $x $x $x); done",
		"set -- a; while :; do set -- \"$1$1\"; done",
		"set -- 0123456789012345678901234567890123456789; set -- $1$1$1$1$1; set -- $1$1$1$1$1; while :; do set -- \"$@\" \"$@\"; done",
		"x=a; while :; do x=$(cat <<E\n$x$x\nE\n); done",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		exit, err := program(t, text, builtinsh.Bash).Run(ctx, spec(t, nil))
		cancel()
		runtime.ReadMemStats(&after)
		if !errors.Is(err, builtinsh.ErrMemory) {
			t.Errorf("%s: %v, %v", text, exit, err)
		}
		if took := after.Sys - before.Sys; took > builtinsh.DefaultMemory {
			t.Errorf("%s: took %d MiB", text, took>>20)
		}
	}
}

// TestNoState proves that nothing is left of a run for the next one.
func TestNoState(t *testing.T) {
	p := program(t, `echo "[$x][$PWD]"; x=1; f() { :; }; cd /; set -u; export y=2; IFS=' '; trap 'echo t' EXIT; read -r l; echo "$l"`, builtinsh.Sh)
	s := spec(t, []byte("in\n"))
	first, err := p.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		again, err := p.Run(t.Context(), s)
		if err != nil || !bytes.Equal(again.Stdout, first.Stdout) || again.Code != first.Code {
			t.Fatalf("%q, then %q, %v", first.Stdout, again.Stdout, err)
		}
	}
}

// TestConcurrent runs one program many times at once.
func TestConcurrent(t *testing.T) {
	p := program(t, read(t, "testdata/jq_guard.sh"), builtinsh.Sh)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 10 {
				s := spec(t, fmt.Appendf(nil, `{"tool_input":{"command":"echo %d-%d"}}`, i, j))
				if j%2 == 0 {
					s.Stdin = []byte(`{"tool_input":{"command":"rm  -rf x"}}`)
				}
				exit, err := p.Run(t.Context(), s)
				if err != nil || exit.Code != 0 || len(exit.Stdout) > 0 != (j%2 == 0) {
					t.Errorf("%v, %v, %q", exit, err, exit.Stdout)
				}
			}
		})
	}
	all.Wait()
}

// TestUnsupported names what sends a script to a real shell, before any of it runs.
func TestUnsupported(t *testing.T) {
	for text, what := range map[string]string{
		"sleep 1 &":                       "jobs in the background",
		"kill -9 1":                       "kill",
		"eval \"$x\"":                     "eval",
		". ./lib.sh":                      ".",
		"echo $$":                         "$$",
		"cat 3<f":                         "redirection of 3",
		"cat <> f":                        "redirection by <>",
		"trap 'x' USR1":                   "trap USR1",
		"trap \"$x\" EXIT":                "this trap",
		"trap 'exit 3' EXIT":              "trap that ends with exit",
		"trap 'kill 1' EXIT":              "kill in a trap",
		"[ -t 0 ]":                        "this test",
		"set -x":                          "set -x",
		"f() { f; }; f":                   "recursion",
		"a() { b; }; b() { x=$(a); }; a":  "recursion",
		"f() { f | f & }; f":              "jobs in the background",
		"[[ a == b ]]":                    "[[ in sh",
		"x=(1 2)":                         "arrays in sh",
		"echo {a,b}":                      "{a,b} in sh",
		"cat <(echo)":                     "process substitution",
		"umask 077":                       "umask",
		"read -t 5 x":                     "read -t",
		"jq() { :; }; jq":                 "function named jq",
		"IFS=,; set -- $x":                "IFS that is no blank",
		"${x:?no}":                        "${x:?...}",
		"command eval x":                  "eval",
		"return 2":                        "return outside a function",
		"f() { :; }; f; return 2":         "return outside a function",
		"echo \"$(return 2)\"":            "return outside a function",
		"f() { (return 2); }; f":          "return in a subshell",
		"f() { x=$(return 2); exit; }; f": "return in a subshell",
		"f() { cat | while :; do return 2; done; }": "return in a subshell",
		"f() { return 2 | cat; }":                   "return in a subshell",
		"trap 'return 2' EXIT":                      "return outside a function in a trap",
		"readonly x=1; x=2; exit 0":                 "readonly",
		"f() { local -r x=1; }; f":                  "local -r",
		"UID=5; exit 0":                             "assignment to UID",
		"read -r EUID":                              "assignment to EUID",
		"for UID in 1; do :; done":                  "assignment to UID",
		"local x=1; exit 0":                         "local outside a function",
		"command local x=1":                         "local",
		": > /nonexist/y; exit 0":                   "redirection of : in sh",
		"exec >> log":                               "redirection of exec in sh",
		"export x=1 < f":                            "redirection of export in sh",
		"x=$((1/0)); exit 0":                        "division by what may be zero",
		"x=$((1 % n))":                              "division by what may be zero",
		"[ \"$x\" == ls ]":                          "the test == in sh",
		"test a == b":                               "the test == in sh",
		"exit 2x; exit 0":                           "exit 2x",
		"command shift 2":                           "this shift",
	} {
		_, err := builtinsh.Parse(text, builtinsh.Sh)
		u, ok := errors.AsType[*builtinsh.UnsupportedError](err)
		if !ok || u.What != what || u.Line != 1 {
			t.Errorf("%q: %v, want %q", text, err, what)
		}
	}
	for _, text := range []string{"echo {1..99999}", "declare -A m", "wait", "mapfile x", "echo ${x/#a/b}", "time ls"} {
		if _, err := builtinsh.Parse(text, builtinsh.Bash); err == nil {
			t.Errorf("%q is supported", text)
		}
	}
	for _, deep := range []string{strings.Repeat("(", 10<<10), strings.Repeat("{ ", 30<<10), strings.Repeat("$((", 20<<10), strings.Repeat("`", 100<<10)} {
		if _, err := builtinsh.Parse(deep, builtinsh.Bash); err == nil {
			t.Errorf("%.10s...: read", deep)
		}
	}
	if _, err := builtinsh.Parse("if true; then", builtinsh.Sh); err == nil {
		t.Error("a syntax error is none")
	}
}

// TestUnsupportedAtRunTime has names that are computed: the run fails and is not taken
// for the script's answer.
func TestUnsupportedAtRunTime(t *testing.T) {
	for _, text := range []string{
		"x=eval; $x 'echo hi'; echo on", "f() { echo hi; $1 $1; }; f f",
		"op==; [ a =$op b ]; exit 0", "op==; test a =$op b -o a = a; exit 0", "op==; [ a =$op b ] | cat; exit 0", "op==; x=$([ a =$op b ]); exit 0",
		"r=return; $r 2; exit 0", `\return 2; exit 0`, "f() { return $1; }; f x; exit 0", "exit $1x; exit 0",
		"shift; exit 0", "set -- a; shift 2; exit 0", "set -- a; shift x; exit 0", "s=shift; $s; exit 0",
		"while :; do break $1x; done; exit 0", "x=1a; unset $x; exit 0", "x=-q; set $x; exit 0", "x=readonly; $x a=1; a=2; exit 0",
	} {
		exit, err := program(t, text, builtinsh.Sh).Run(t.Context(), spec(t, nil))
		if err == nil || exit != nil {
			t.Errorf("%s: %v, %v", text, exit, err)
		}
	}
}

// TestNotOurs proves that a script does not reach this process's own terminal and
// streams, nor hangs on what is no file.
func TestNotOurs(t *testing.T) {
	s := spec(t, nil)
	if err := syscall.Mkfifo(filepath.Join(s.Dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"cat < /dev/tty", "echo x > /dev/tty", "cat < fifo", "echo x > fifo", "read -r x < /dev/fd/7"} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		exit, err := program(t, text, builtinsh.Sh).Run(ctx, s)
		cancel()
		if err != nil || exit.Code != 1 || len(exit.Stderr) == 0 {
			t.Errorf("%s: %v, %v", text, exit, err)
		}
	}
}

// TestScriptChanges runs a script, changes it and runs it again.
func TestScriptChanges(t *testing.T) {
	s := spec(t, nil)
	file := filepath.Join(s.Dir, "guard.sh")
	p := program(t, "./guard.sh", builtinsh.Sh)
	for _, answer := range []string{"one", "two", "six"} {
		if err := os.WriteFile(file, []byte("#!/bin/sh\necho "+answer+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			exit, err := p.Run(t.Context(), s)
			if err != nil || string(exit.Stdout) != answer+"\n" {
				t.Fatalf("%q, want %q, %v", exit.Stdout, answer, err)
			}
		}
	}
	os.Chmod(file, 0o644)
	if exit, err := p.Run(t.Context(), s); err != nil || exit.Code != 126 {
		t.Errorf("without permission: %v, %v", exit, err)
	}
}

// TestScriptNeedsRealShell calls a script that cannot run here: a real shell runs it.
func TestScriptNeedsRealShell(t *testing.T) {
	s := spec(t, []byte("in\n"))
	text := "#!/bin/sh\nread -r x\neval 'echo \"evaluated $x\"'\nsleep 0 & wait\nexit 7\n"
	if err := os.WriteFile(filepath.Join(s.Dir, "guard.sh"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	exit, err := program(t, "./guard.sh", builtinsh.Sh).Run(t.Context(), s)
	if err != nil || exit.Code != 7 || string(exit.Stdout) != "evaluated in\n" {
		t.Errorf("%v, %q, %v", exit, exit.Stdout, err)
	}
}

// TestKilledExternal has the code of a shell.
func TestKilledExternal(t *testing.T) {
	p := program(t, "/bin/sh -c 'kill -9 $$'; echo $?", builtinsh.Sh)
	exit, err := p.Run(t.Context(), spec(t, nil))
	if err != nil || string(exit.Stdout) != "137\n" {
		t.Errorf("%q, %v", exit.Stdout, err)
	}
}
