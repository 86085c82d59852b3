package process_test

import (
	"os/exec"
	"slices"
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

// leave returns a shell that starts a process in some way, waits until it runs, and ends.
func leave(t *testing.T, how string) (process.Spec, string) {
	t.Helper()
	if _, err := exec.LookPath("setsid"); strings.Contains(how, "setsid") && err != nil {
		t.Skip("no setsid command on this machine")
	}
	spec, token := child(t, "sleep=1m")
	sh := shell(t, strings.ReplaceAll(how, "SLEEP", `"$0" "$1"`)+`
until for f in /proc/[0-9]*/cmdline; do tr '\0' ' ' <$f; echo; done 2>/dev/null | grep -q "^$0 $1 "; do :; done
echo answer`)
	sh.Args, sh.Env = append(sh.Args, spec.Path, token), spec.Env
	reap(t, token)
	return sh, token
}

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
	} {
		t.Run(name, func(t *testing.T) {
			if c.adopts {
				adopt(t)
			}
			spec, token := leave(t, c.how)
			e := mustRun(t, spec)
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

// TestWhatMayStayIsNotEnded has the background children of a tool.
func TestWhatMayStayIsNotEnded(t *testing.T) {
	spec, token := leave(t, "SLEEP </dev/null >/dev/null 2>&1 &")
	spec.Leave = true
	if e := mustRun(t, spec); len(e.Left) > 0 || len(alive(t, token)) != 1 {
		t.Errorf("reported %v, alive %v", e.Left, alive(t, token))
	}
}

// TestNothingOutlivesTheProgram leaves what nothing tells from other processes.
func TestNothingOutlivesTheProgram(t *testing.T) {
	adopt(t)
	spec, token := leave(t, "(env -i "+modeVariable+"=sleep=1m setsid SLEEP </dev/null >/dev/null 2>&1 &)")
	e := mustRun(t, spec)
	left := alive(t, token)
	if len(e.Left) > 0 || len(left) != 1 {
		t.Fatalf("reported %v, alive %v: it was to be told by nothing", e.Left, left)
	}
	if ended := process.EndAdopted(); !slices.Equal(ended, left) || len(alive(t, token)) > 0 {
		t.Errorf("ended %v of %v, alive %v", ended, left, alive(t, token))
	}
}

func unadopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) }
