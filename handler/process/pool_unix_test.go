//go:build unix

package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

// guard is a script that logs its start, reads its input and answers with it.
const guard = "echo start $$ >> \"$LOG\"\nread line\necho \"$line from $$\"\n"

// warm is one hook with a pool, and the log of its starts.
type warm struct {
	*process.Ahead
	pool   *process.Pool
	script string
	log    string
	spec   process.Spec
}

func newWarm(t *testing.T, text string) *warm {
	t.Helper()
	dir := t.TempDir()
	w := &warm{pool: &process.Pool{}, script: filepath.Join(dir, "guard.sh"), log: filepath.Join(dir, "log")}
	t.Cleanup(w.pool.Close)
	w.write(t, text)
	w.Ahead = &process.Ahead{Pool: w.pool, N: 1, Without: []string{"VARIES"}}
	w.spec = process.Spec{
		Path: "/bin/sh", Args: []string{w.script}, Dir: dir, Stdin: []byte("hello\n"),
		Env: []string{"PATH=/usr/bin:/bin", "LOG=" + w.log, "VARIES=1"},
	}
	return w
}

func (w *warm) write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(w.script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// fire runs the hook once.
func (w *warm) fire(t *testing.T) (*process.Exit, string) {
	t.Helper()
	exit, how, err := w.Run(t.Context(), w.spec, []string{w.script})
	if err != nil {
		t.Fatal(err)
	}
	return exit, how
}

func (w *warm) answers(t *testing.T, how, answer string) {
	t.Helper()
	exit, got := w.fire(t)
	if !strings.HasPrefix(got, how) || !strings.HasPrefix(string(exit.Stdout), answer) || exit.Code != 0 {
		t.Fatalf("%q, %v, stdout %q; want %q, stdout %q", got, exit, exit.Stdout, how, answer)
	}
}

// settle waits until n processes wait and have started.
func (w *warm) settle(t *testing.T, n int) {
	t.Helper()
	waitFor(t, func() bool { return w.pool.Waiting() == n }, fmt.Sprintf("%d processes that wait", n))
	pids := w.starts(t)
	waitFor(t, func() bool { return len(w.starts(t)) >= max(n, len(pids)) }, "their start")
}

// starts returns the pids of the processes that were started, in order.
func (w *warm) starts(t *testing.T) (pids []int) {
	t.Helper()
	b, err := os.ReadFile(w.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, f := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(f); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func waitFor(t *testing.T, done func() bool, what string) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func runs(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestPrewarmed(t *testing.T) {
	w := newWarm(t, guard)
	w.answers(t, "not prewarmed: no process waits", "hello from ")
	for i := range 3 {
		w.settle(t, 1)
		waitFor(t, func() bool { return len(w.starts(t)) == i+2 }, "the start")
		pids := w.starts(t)
		w.spec.Env[2] = fmt.Sprintf("VARIES=%d", i)
		w.answers(t, process.Prewarmed, fmt.Sprintf("hello from %d\n", pids[len(pids)-1]))
	}
}

func TestPrewarmedPhases(t *testing.T) {
	w := newWarm(t, guard)
	if err := w.Fill(w.spec, []string{w.script}); err != nil {
		t.Fatal(err)
	}
	w.settle(t, 1)
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	exit, how := w.fire(t)
	if took := time.Since(began); how != process.Prewarmed || exit.Phases.Start != 0 || exit.Phases.Run > took || exit.Duration > took {
		t.Errorf("%s: %+v in %v; the time before the input counts", how, exit.Phases, exit.Duration)
	}
}

// TestNotAsAssumed changes what a process was started with before its input comes.
func TestNotAsAssumed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, w *warm)
		why    string
	}{
		"script": {func(t *testing.T, w *warm) { w.write(t, "read line; echo \"$line, new\"\n") }, "a file has changed"},
		"script of the same size": {func(t *testing.T, w *warm) {
			w.write(t, strings.Replace(guard, "from", "FROM", 1))
		}, "a file has changed"},
		"directory":   {func(t *testing.T, w *warm) { w.spec.Dir = filepath.Dir(w.spec.Dir) }, "the directory is another one"},
		"environment": {func(t *testing.T, w *warm) { w.spec.Env = append(w.spec.Env, "SESSION=2") }, "the environment is another one: SESSION"},
		"fewer variables": {func(t *testing.T, w *warm) {
			w.spec.Env = w.spec.Env[:2]
			w.Without = nil
			w.spec.Env = append(w.spec.Env, "LOG2=x")
		}, "the environment is another one"},
		"arguments": {func(t *testing.T, w *warm) { w.spec.Args = append(w.spec.Args, "more") }, "the command is another one"},
		"limits":    {func(t *testing.T, w *warm) { w.spec.StdoutLimit = 7 }, "the limits are other ones"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWarm(t, guard)
			w.fire(t)
			w.settle(t, 1)
			waitFor(t, func() bool { return len(w.starts(t)) == 2 }, "the start")
			stale := w.starts(t)[1]
			c.change(t, w)
			exit, how := w.fire(t)
			if how != "not prewarmed: "+c.why && !strings.HasPrefix(how, "not prewarmed: "+c.why) || exit.Code != 0 || !strings.HasPrefix(string(exit.Stdout), "hello") {
				t.Fatalf("%q, %v, %q", how, exit, exit.Stdout)
			}
			waitFor(t, func() bool { return !runs(stale) }, "the end of the stale process")
			waitFor(t, func() bool { return w.pool.Waiting() == 1 }, "a new one")
			if _, how := w.fire(t); how != process.Prewarmed {
				t.Errorf("the next run: %s", how)
			}
		})
	}
}

// TestDeadAhead kills the process that waits: the run starts afresh and answers.
func TestDeadAhead(t *testing.T) {
	w := newWarm(t, guard)
	w.fire(t)
	w.settle(t, 1)
	waitFor(t, func() bool { return len(w.starts(t)) == 2 }, "the start")
	pid := w.starts(t)[1]
	syscall.Kill(pid, syscall.SIGKILL)
	waitFor(t, func() bool { return !runs(pid) }, "its end")
	w.answers(t, "not prewarmed: the process that waited had ended", "hello from ")
}

// TestDoesNotWait has programs that do not wait for their input: they answer as
// without prewarming, and after a few tries none is started any more.
func TestDoesNotWait(t *testing.T) {
	for name, text := range map[string]string{
		"ends":                     "echo start $$ >> \"$LOG\"; echo done\n",
		"prints and then reads":    "echo start $$ >> \"$LOG\"; echo early; read line; echo done\n",
		"complains and then reads": "echo start $$ >> \"$LOG\"; echo early >&2; read line; echo done\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWarm(t, text)
			// One that is slow to print may be used before it has: that answers too.
			waitFor(t, func() bool {
				exit, how := w.fire(t)
				if !strings.HasSuffix(string(exit.Stdout), "done\n") {
					t.Fatalf("%q: %q", how, exit.Stdout)
				}
				time.Sleep(60 * time.Millisecond) // for one that is started ahead to end or to print
				return how == "not prewarmed: it does not wait for its input"
			}, "the end of the tries")
			n := len(w.starts(t))
			w.fire(t)
			time.Sleep(50 * time.Millisecond)
			if got := len(w.starts(t)); got != n+1 {
				t.Errorf("one run started %d processes", got-n)
			}
			w.write(t, guard)
			w.fire(t)
			w.settle(t, 1)
			if _, how := w.fire(t); how != process.Prewarmed {
				t.Errorf("with a script that waits: %s", how)
			}
		})
	}
}

// TestChangedMeanwhile changes the script while it runs: what nobody has looked at
// is not started ahead.
func TestChangedMeanwhile(t *testing.T) {
	w := newWarm(t, guard+"echo 'echo BAD >> \"$LOG\"; read line' > \"$0\"\n")
	w.fire(t)
	time.Sleep(200 * time.Millisecond)
	if b, _ := os.ReadFile(w.log); strings.Contains(string(b), "BAD") || w.pool.Waiting() != 0 {
		t.Errorf("started what the run before did not: %q", b)
	}
}

func TestPoolBounds(t *testing.T) {
	w := newWarm(t, guard)
	w.pool.Size = 2
	w.N = 5
	w.fire(t)
	w.settle(t, 2)
	other := &process.Ahead{Pool: w.pool, N: 1}
	exit, how, err := other.Run(t.Context(), w.spec, []string{w.script})
	if err != nil || how == process.Prewarmed || exit.Code != 0 {
		t.Fatal(exit, how, err)
	}
	time.Sleep(50 * time.Millisecond)
	if n := w.pool.Waiting(); n != 2 {
		t.Errorf("%d wait, 2 may", n)
	}
}

func TestPoolClose(t *testing.T) {
	w := newWarm(t, guard)
	w.N = 3
	w.fire(t)
	w.settle(t, 3)
	waitFor(t, func() bool { return len(w.starts(t)) == 4 }, "the starts")
	w.pool.Close()
	for _, pid := range w.starts(t) {
		if runs(pid) {
			t.Errorf("%d is alive after Close", pid)
		}
	}
	w.answers(t, "not prewarmed", "hello from ")
	if w.pool.Waiting() != 0 {
		t.Error("a closed pool starts processes")
	}
	w.pool.Close()
}

// TestPoolCloseRaces closes the pool while hooks run and processes are started.
func TestPoolCloseRaces(t *testing.T) {
	for range 5 {
		w := newWarm(t, guard)
		w.N = 2
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 4 {
					w.fire(t)
				}
			})
		}
		time.Sleep(15 * time.Millisecond)
		w.pool.Close()
		all.Wait()
		for _, pid := range w.starts(t) {
			if runs(pid) {
				t.Errorf("%d is alive", pid)
			}
		}
	}
}

// TestGovernedByItsRun ends the run's context: the process goes, in time.
func TestGovernedByItsRun(t *testing.T) {
	w := newWarm(t, "echo start $$ >> \"$LOG\"; read line; echo got; sleep 60\n")
	if err := w.Fill(w.spec, []string{w.script}); err != nil {
		t.Fatal(err)
	}
	w.settle(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	exit, how, err := w.Run(ctx, w.spec, []string{w.script})
	if err != nil || how != process.Prewarmed || !exit.TimedOut || string(exit.Stdout) != "got\n" {
		t.Fatalf("%s: %v, %v", how, exit, err)
	}
}

// TestRunOutlivesPool closes the pool when the input has been given.
func TestRunOutlivesPool(t *testing.T) {
	w := newWarm(t, "echo start $$ >> \"$LOG\"; read line; sleep 0.3; echo got\n")
	if err := w.Fill(w.spec, []string{w.script}); err != nil {
		t.Fatal(err)
	}
	w.settle(t, 1)
	time.AfterFunc(100*time.Millisecond, w.pool.Close)
	w.answers(t, process.Prewarmed, "got")
}

func TestMissingFile(t *testing.T) {
	w := newWarm(t, guard)
	exit, how, err := w.Run(t.Context(), w.spec, []string{w.script, "/nowhere"})
	if err != nil || exit.Code != 0 || !strings.Contains(how, `"/nowhere"`) {
		t.Errorf("%s, %v, %v", how, exit, err)
	}
	if w.Fill(w.spec, []string{"/nowhere"}) == nil {
		t.Error("Fill took a file that is missing")
	}
}

func TestLargeInputAhead(t *testing.T) {
	w := newWarm(t, "echo start $$ >> \"$LOG\"\nwc -c\n")
	if err := w.Fill(w.spec, []string{w.script}); err != nil {
		t.Fatal(err)
	}
	w.settle(t, 1)
	w.spec.Stdin = []byte(strings.Repeat("x", 5<<20))
	exit, how := w.fire(t)
	if strings.TrimSpace(string(exit.Stdout)) != strconv.Itoa(5<<20) || how != process.Prewarmed {
		t.Errorf("%s: %q", how, exit.Stdout)
	}
}
