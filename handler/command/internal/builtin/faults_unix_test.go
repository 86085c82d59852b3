//go:build unix

package builtin_test

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

	"github.com/hookline-dev/hookline/handler/command/internal/builtin"
	"github.com/hookline-dev/hookline/handler/process"
)

func program(t testing.TB, text string, lang builtin.Lang) *builtin.Program {
	t.Helper()
	p, err := builtin.Parse(text, lang)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return p
}

// TestEnds proves that whatever a script does, it ends soon after its deadline.
func TestEnds(t *testing.T) {
	for name, text := range map[string]string{
		"busy loop":              "while :; do :; done; :",
		"loop of builtins":       "while true; do x=$x; [ 1 = 1 ]; done; :",
		"until":                  "until false; do :; done; :",
		"loop in a function":     "f() { while :; do :; done; :; }; f",
		"loop in a substitution": "x=$(while :; do echo x >/dev/null; done; :)",
		"loop in a pipeline":     "{ while :; do echo x; done; :; } | while :; do :; done; :",
		"unread pipeline":        "{ while :; do echo x; done; :; } | sleep 60",
		"sleep":                  "sleep 60",
		"external":               "/bin/sleep 60",
		"external in a pipeline": "/bin/sleep 60 | cat",
		"waits for a pipe":       "/bin/sleep 60 | { read -r x; echo \"$x\"; }",
		"grandchild":             "/bin/sh -c '/bin/sleep 61; :'",
		"jq":                     "jq -n '[range(1e12)] | length'",
		"jq repeats":             "jq -n 'last(repeat(1))'",
		"ignores signals":        "/bin/sh -xc 'trap \"\" TERM; while :; do sleep 1; done' 2>/dev/null",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := program(t, text, builtin.Bash)
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
	p := program(t, "echo started; while :; do :; done; :", builtin.Sh)
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
	p := program(t, "for i in 0 1 2 3 4 5 6 7 8 9; do for j in 0 1 2 3 4 5 6 7 8 9; do for k in 0 1 2 3 4 5 6 7 8 9; do echo 0123456789; echo \"e$i$j$k\" >&2; done; done; done; exit 3", builtin.Sh)
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
		"x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done; :",
		"x=$(yes)",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		p := program(t, text, builtin.Sh)
		p.Memory = 16 << 20
		exit, err := p.Run(ctx, spec(t, nil))
		cancel()
		if !errors.Is(err, builtin.ErrMemory) {
			t.Errorf("%s: %v, %v", text, exit, err)
		}
	}
}

// TestLargeValue has scripts whose values grow faster than anybody could look. The
// bound is on one value, so that what the script takes before is little.
func TestLargeValue(t *testing.T) {
	for _, text := range []string{
		"x=a; while :; do x=$x$x; done; :",
		"x=a; while :; do x=\"$x $x\"; done; :",
		"x=a; while :; do y=$x x=$y$x; done; :",
		"x=a; { while :; do x=$x${x:-b}; done; :; } | cat",
		"x=a; while :; do x=$(printf %s \"$x$x\"); done; :",
		"f() { local y=a; while :; do y=$y$y$y; done; :; }; f",
		"x=a; while :; do x=$(printf %s%s%s%s \"$x\" \"$x\" \"$x\" \"$x\"); done; :",
		"x=a; while :; do x=$(cat <<E\n$x$x\nE\n); done; :",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		exit, err := program(t, text, builtin.Bash).Run(ctx, spec(t, nil))
		cancel()
		runtime.ReadMemStats(&after)
		if !errors.Is(err, builtin.ErrMemory) {
			t.Errorf("%s: %v, %v", text, exit, err)
		}
		if took := after.Sys - before.Sys; took > builtin.DefaultMemory {
			t.Errorf("%s: took %d MiB", text, took>>20)
		}
	}
}

// TestNoState proves that nothing is left of a run for the next one.
func TestNoState(t *testing.T) {
	p := program(t, `echo "[$x][$PWD]"; x=1; f() { :; }; cd /; set -e; export y=2; read -r l; echo "$l"`, builtin.Bash)
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
	p := program(t, read(t, "testdata/jq_guard.sh"), builtin.Sh)
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

// screened are lines with what is for a real shell in them.
const screened = `sleep 1 & ## jobs in the background
kill -9 1 ## kill
eval "$x" ## eval
. ./lib.sh ## .
x=eval; "$x" 'echo hi' ## command whose name is computed
echo "$$" ## $$
echo "$0" ## $0
echo $x ## expansion outside quotes
echo *.txt ## pattern, brace, ~ or backslash outside quotes
case $x in [a-z]*) ;; esac ## pattern with more than *
case $x in $y) ;; esac ## pattern that is computed
cat 0< f ## redirection of files in sh
cat 3< /dev/null ## redirection of 3
cat <> /dev/null ## redirection by <>
trap 'x' EXIT ## trap
set -x ## this set
set -u ## set -u here
set -o pipefail ## pipefail in sh
f() { f; }; f ## functions that call themselves or what is further down
a() { b; }; b() { a; }; a ## functions that call themselves or what is further down
[[ a == b ]] ## [[ in sh
umask 077 ## umask
read -t 5 x ## this read
read x ## this read
jq() { :; } ## function jq
x=$((1 + 1)) ## arithmetic
IFS=, ## assignment to IFS
UID=5; exit 0 ## assignment to UID
read -r EUID ## assignment to EUID
for UID in 1; do :; done ## assignment to UID
return 2 ## this return
f() { (return 2); }; f ## this return
f() { return; }; f ## this return
exit 2x ## this exit
exit "$x" ## this exit
break ## this break
readonly x=1 ## readonly
local x=1 ## local
cd /tmp ## cd in sh
command -v x ## command in sh
printf '%d' 1 ## this printf
printf "$x" ## this printf
! exit 0 ## ! of what may end the script
while false; do :; done ## status of a while loop
while read -r x; do :; done; echo "$?" ## status of a while loop
for x in 1; do if true; then break; echo x; fi; done ## commands after break or continue
set -e; if true; then false && true; fi; exit 2 ## compound command under set -e that ends in &&, || or !
set -e; { ! true; }; exit 2 ## compound command under set -e that ends in &&, || or !
set -e; if (false; true); then :; fi ## subshell in a condition or function under set -e
set -e; x=$(false; true) ## substitution of such commands under set -e`

// TestUnsupported names what sends a script to a real shell, before any of it runs.
func TestUnsupported(t *testing.T) {
	for _, text := range strings.Split(screened, "\n") {
		text, what, _ := strings.Cut(text, " ## ")
		_, err := builtin.Parse(text, builtin.Sh)
		u, ok := errors.AsType[*builtin.UnsupportedError](err)
		if !ok || u.What != what || u.Line != 1 {
			t.Errorf("%q: %v, want %q", text, err, what)
		}
	}
	for _, text := range []string{
		"echo {1..99999}", "declare -A m", "wait", "mapfile x", "echo \"${x/#a/b}\"", "time ls", "x=(1 2)", "[[ $x =~ y ]]", "[[ $x == $y ]]", "[[ $x < y ]]",
		"set -u", "set +e", "(set -e)", "shopt -s nullglob", "trap : ERR", "x=1 > no/where", "echo $(date) > f", "let x=1", "((x))", "x+=1", "echo $'x'",
	} {
		if _, err := builtin.Parse(text, builtin.Bash); err == nil {
			t.Errorf("%q is supported", text)
		}
	}
	for _, deep := range []string{strings.Repeat("(", 10<<10), strings.Repeat("{ ", 30<<10), strings.Repeat("$((", 20<<10), strings.Repeat("`", 100<<10)} {
		if _, err := builtin.Parse(deep, builtin.Bash); err == nil {
			t.Errorf("%.10s...: read", deep)
		}
	}
	if _, err := builtin.Parse("if true; then", builtin.Sh); err == nil {
		t.Error("a syntax error is none")
	}
}

// TestUnsupportedAtRunTime has values for which only a real shell would do: the run fails
// and is not taken for the script's answer.
func TestUnsupportedAtRunTime(t *testing.T) {
	for _, text := range []string{
		`x='a b'; $x/nowhere; exit 0`, `x='*'; $x/nowhere | cat; exit 0`, `cd bin; exit 0`, `cd ""; exit 0`,
		`x=$(cat < /dev/tty); exit 0`, `export PATH=/nowhere; [ a = b -o c = c ]; exit 0`,
	} {
		s := spec(t, nil)
		s.Env = append(s.Env, "CDPATH=/")
		exit, err := program(t, text, builtin.Bash).Run(t.Context(), s)
		if err == nil || exit != nil {
			t.Errorf("%s: %v, %v", text, exit, err)
		}
	}
}

// TestNotOurs proves that a script does not reach this process's own terminal and
// streams, nor hangs on what is not a file.
func TestNotOurs(t *testing.T) {
	s := spec(t, nil)
	if err := syscall.Mkfifo(filepath.Join(s.Dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"cat < /dev/tty", "echo x > /dev/tty", "cat < fifo", "echo x > fifo", "read -r x < /dev/fd/7"} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		exit, err := program(t, text, builtin.Bash).Run(ctx, s)
		cancel()
		if _, ok := errors.AsType[*builtin.UnsupportedError](err); !ok {
			t.Errorf("%s: %v, %v", text, exit, err)
		}
	}
}

// TestScriptChanges runs a script, changes it and runs it again.
func TestScriptChanges(t *testing.T) {
	s := spec(t, nil)
	file := filepath.Join(s.Dir, "guard.sh")
	p := program(t, "./guard.sh", builtin.Sh)
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
	exit, err := program(t, "./guard.sh", builtin.Sh).Run(t.Context(), s)
	if err != nil || exit.Code != 7 || string(exit.Stdout) != "evaluated in\n" {
		t.Errorf("%v, %q, %v", exit, exit.Stdout, err)
	}
}

// TestKilledExternal has the code of a shell.
func TestKilledExternal(t *testing.T) {
	p := program(t, "/bin/sh -c 'kill -9 $$'; echo $?", builtin.Sh)
	exit, err := p.Run(t.Context(), spec(t, nil))
	if err != nil || string(exit.Stdout) != "137\n" {
		t.Errorf("%q, %v", exit.Stdout, err)
	}
}
