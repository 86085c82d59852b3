package process_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hookline-dev/hookline/handler/process"
)

// adopt makes the test a program that takes over processes whose parents ended.
func adopt(t *testing.T) {
	t.Helper()
	if err := process.Adopt(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		process.EndAdopted()
		if err := unadopt(); err != nil {
			t.Error(err)
		}
	})
}

// leave returns a shell that reads a line, starts a process in some way, waits until that
// runs, and ends.
func leave(t *testing.T, how string) (process.Spec, string) {
	t.Helper()
	if _, err := exec.LookPath("setsid"); strings.Contains(how, "setsid") && err != nil {
		t.Skip("no setsid command on this machine")
	}
	spec, token := child(t, "sleep=1m")
	sh := shell(t, "read x\n"+strings.ReplaceAll(how, "SLEEP", `"$0" "$1"`)+`
until for f in /proc/[0-9]*/cmdline; do tr '\0' ' ' <$f; echo; done 2>/dev/null | grep -q "^$0 $1 "; do :; done
echo answer`)
	sh.Args, sh.Env = append(sh.Args, spec.Path, token), spec.Env
	sh.StdinLater = true
	reap(t, token)
	return sh, token
}

// runFed runs a process that gets its input when it was started.
func runFed(t *testing.T, spec process.Spec) *process.Exit {
	t.Helper()
	p, err := process.Start(t.Context(), spec)
	if err == nil {
		err = p.Feed([]byte("go\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return p.Wait()
}

// bare starts a process with a session of its own, without the environment, the pipes and
// the parent that it came from.
const bare = "(env -i " + modeVariable + "=sleep=1m setsid SLEEP </dev/null >/dev/null 2>&1 &)"

// TestWhatIsLeftBehindIsEnded has a process end by itself while others that it started go
// on, and tells which.
func TestWhatIsLeftBehindIsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		how    string
		adopts bool
	}{
		"with its pipes":          {how: "SLEEP &"},
		"without":                 {how: "SLEEP </dev/null >/dev/null 2>&1 &"},
		"in a session of its own": {how: "setsid SLEEP </dev/null >/dev/null 2>&1 &", adopts: true},
		"forked twice":            {how: "(setsid SLEEP </dev/null >/dev/null 2>&1 &)", adopts: true},
		"no environment":          {how: "env -i " + modeVariable + "=sleep=1m setsid SLEEP &", adopts: true},
		"nothing in common":       {how: bare, adopts: true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.adopts {
				adopt(t)
			}
			spec, token := leave(t, c.how)
			e := runFed(t, spec)
			if !e.Success() || string(e.Stdout) != "answer\n" {
				t.Fatalf("%v, stdout %q, stderr %q", e, e.Stdout, e.Stderr)
			}
			if left := alive(t, token); len(left) > 0 {
				t.Errorf("alive %v, reported %v", left, e.Left)
			}
			if len(e.Left) == 0 {
				t.Error("nothing was reported")
			}
		})
	}
}

// TestWhatEndedBehindIsReaped has a process whose parent ended before it end while its run goes on.
func TestWhatEndedBehindIsReaped(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid command on this machine")
	}
	adopt(t)
	for _, how := range []string{"", "setsid "} {
		spec := shell(t, "read x; (exec "+how+"sh -c 'echo $$ >\"$0\"' \"$0\" &)\nuntil grep -q '^State:.Z' /proc/$(cat \"$0\")/status; do :; done 2>/dev/null; cat \"$0\"")
		spec.Args, spec.StdinLater = append(spec.Args, filepath.Join(t.TempDir(), "pid")), true
		e := runFed(t, spec)
		pid, err := strconv.Atoi(strings.TrimSpace(string(e.Stdout)))
		if err != nil {
			t.Fatalf("%v, stdout %q, stderr %q", e, e.Stdout, e.Stderr)
		}
		if err := unix.Kill(pid, 0); err != unix.ESRCH {
			t.Errorf("%q: process %d is still there: %v", how, pid, err)
		}
	}
}

// TestWhatMayStayIsNotEnded has the background children of a tool.
func TestWhatMayStayIsNotEnded(t *testing.T) {
	spec, token := leave(t, "SLEEP </dev/null >/dev/null 2>&1 &")
	spec.Leave = true
	if e := runFed(t, spec); len(e.Left) > 0 || len(alive(t, token)) != 1 {
		t.Errorf("reported %v, alive %v", e.Left, alive(t, token))
	}
}

// TestTimeoutEndsWhatHasNothingInCommon has a process escape in every way at once, from a
// run that then takes too long, beside another run, which has one too.
func TestTimeoutEndsWhatHasNothingInCommon(t *testing.T) {
	start := func() (*process.Process, string) {
		spec, token := leave(t, bare)
		spec.Args[1] += "\nsleep 1m"
		p, err := process.Start(t.Context(), spec)
		if err == nil {
			err = p.Feed([]byte("go\n"))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.FirstLine(t.Context()); err != nil {
			t.Fatal(err)
		}
		return p, token
	}
	one, token := start()
	two, token2 := start()
	one.Kill(nil)
	if e := one.Wait(); len(alive(t, token)) > 0 || len(e.Survivors) > 0 {
		t.Errorf("alive %v, reported %v", alive(t, token), e.Survivors)
	}
	if len(alive(t, token2)) == 0 {
		t.Error("the other run's was ended too")
	}
	two.Kill(nil)
	two.Wait()
}

// TestNothingOutlivesTheProgram ends what a tool may leave running when the program ends.
func TestNothingOutlivesTheProgram(t *testing.T) {
	adopt(t)
	spec, token := leave(t, bare)
	spec.Leave = true
	e := runFed(t, spec)
	left := alive(t, token)
	if len(e.Left) > 0 || len(left) != 1 {
		t.Fatalf("reported %v, alive %v", e.Left, left)
	}
	if ended := process.EndAdopted(); !slices.Equal(ended, left) || len(alive(t, token)) > 0 {
		t.Errorf("ended %v of %v, alive %v", ended, left, alive(t, token))
	}
}

// TestKilledProgramLeavesNothing kills a program that has a watcher while a tool of it runs
// and has left processes in every way.
func TestKilledProgramLeavesNothing(t *testing.T) {
	engine, token := engine(t, "watched", "SLEEP & (SLEEP </dev/null >/dev/null 2>&1 &); setsid SLEEP & "+bare, "sleep 1m")
	if n := len(alive(t, token)); n < 6 {
		t.Fatalf("%d processes", n)
	}
	engine.Process.Kill()
	waitAlive(t, token, 0)
}

// TestProgramKilledAtItsEnd kills a program that has a watcher while it ends what a tool left
// running: processes that come to it one after the other.
func TestProgramKilledAtItsEnd(t *testing.T) {
	engine, token := engine(t, "ending", "n=50; f() { if [ $n -gt 0 ]; then n=$((n - 1)); (f); :; else SLEEP; fi; }; f </dev/null >/dev/null 2>&1 &", "")
	for len(alive(t, token)) > 45 { // of 50 and more
	}
	engine.Process.Kill()
	waitAlive(t, token, 0)
}

// engine starts a program in a mode of this one, with a watcher, and waits until a tool of it
// has started a process in some way. What the tool does then comes last.
func engine(t *testing.T, mode, how, last string) (*exec.Cmd, string) {
	t.Helper()
	sh, token := leave(t, how)
	line := strings.NewReplacer("$0", sh.Args[2], "$1", token).Replace(sh.Args[1])
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine := exec.Command(exe, token)
	engine.Env = append(sh.Env, modeVariable+"="+mode+"="+modeVariable+"=sleep=1m; export "+modeVariable+"\n"+line+"\n"+last+" # "+token)
	out, err := engine.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		engine.Process.Kill()
		engine.Wait()
	})
	waitLine(t, out)
	return engine, token
}

func waitLine(t *testing.T, out io.Reader) {
	t.Helper()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "answer\n" {
		t.Fatalf("%q, %v", line, err)
	}
}

func unadopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) }
