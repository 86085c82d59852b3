//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

func TestChildThatIgnoresTermIsKilledAfterGrace(t *testing.T) {
	spec, token := child(t, "ignore-term")
	spec.Grace = 100 * time.Millisecond
	ctx, timeOut := context.WithCancelCause(t.Context())
	p, err := process.Start(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.FirstLine(t.Context()); err != nil { // from now on it ignores the signal
		t.Fatal(err)
	}
	timeOut(context.DeadlineExceeded)
	e := p.Wait()
	if !e.TimedOut || e.Cancelled || !errors.Is(e.Cause, context.DeadlineExceeded) {
		t.Errorf("timed out %v, cancelled %v, cause %v", e.TimedOut, e.Cancelled, e.Cause)
	}
	if e.Code != -1 || e.Signal != "SIGKILL" || e.Success() {
		t.Errorf("code %d, signal %q, success %v", e.Code, e.Signal, e.Success())
	}
	if e.Duration < spec.Grace {
		t.Errorf("took %v", e.Duration)
	}
	if left := alive(t, token); len(left) > 0 || len(e.Survivors) > 0 {
		t.Errorf("left %v, reported %v", left, e.Survivors)
	}
}

func TestChildThatObeysTermKeepsItsAnswer(t *testing.T) {
	spec, _ := child(t, "obey-term")
	spec.Grace = 20 * time.Second
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.FirstLine(t.Context()); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the person pressed Esc")
	p.Kill(cause)
	e := p.Wait()
	if !e.Cancelled || e.TimedOut || !errors.Is(e.Cause, cause) {
		t.Errorf("cancelled %v, timed out %v, cause %v", e.Cancelled, e.TimedOut, e.Cause)
	}
	if e.Code != 3 || !strings.Contains(string(e.Stdout), "cleaned up") {
		t.Errorf("code %d, stdout %q", e.Code, e.Stdout)
	}
}

func TestTimeoutAndAbortAreToldApartByCause(t *testing.T) {
	abort := errors.New("abort")
	for name, tc := range map[string]struct {
		end      func(context.Context) (context.Context, context.CancelFunc)
		timedOut bool
		cause    error
	}{
		"deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, true, context.DeadlineExceeded},
		"deadline with a cause of its own": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(ctx, 50*time.Millisecond, abort)
		}, true, abort},
		"abort": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(50*time.Millisecond, func() { cancel(abort) })
			return ctx, func() { cancel(nil) }
		}, false, abort},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := tc.end(t.Context())
			defer cancel()
			e, err := process.Run(ctx, shell(t, "exec sleep 60"))
			if err != nil {
				t.Fatal(err)
			}
			if e.TimedOut != tc.timedOut || e.Cancelled == tc.timedOut || !errors.Is(e.Cause, tc.cause) {
				t.Errorf("timed out %v, cancelled %v, cause %v", e.TimedOut, e.Cancelled, e.Cause)
			}
		})
	}
}

func TestContextThatEndedBeforeStartsNothing(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	cause := errors.New("shut down")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	e, err := process.Run(ctx, shell(t, "touch "+marker))
	if e != nil || !errors.Is(err, cause) {
		t.Errorf("exit %v, error %v", e, err)
	}
	if _, isStart := errors.AsType[*process.StartError](err); isStart {
		t.Error("a cancellation was reported as a failed start")
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("it ran")
	}
}

func TestTimeoutKillsBackgroundChildrenOfTheShell(t *testing.T) {
	spec, token := child(t, "sleep=1m")
	line := "'" + spec.Path + "' " + token + " & '" + spec.Path + "' " + token + " & wait"
	sh := shell(t, line)
	sh.Env = spec.Env
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	e, err := process.Run(ctx, sh)
	if err != nil || !e.TimedOut {
		t.Fatal(e, err)
	}
	if left := alive(t, token); len(left) > 0 {
		t.Errorf("still alive: %v", left)
	}
}

// TestEscapeesAreKilled covers children that fork twice and take a session of
// their own, with the environment and without.
func TestEscapeesAreKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("escapees are found through /proc")
	}
	for mode, count := range map[string]int{"fork-setsid": 2, "fork-setsid-bare": 2, "fork-many=50": 51} {
		t.Run(mode, func(t *testing.T) {
			spec, token := child(t, mode)
			spec.Grace = 50 * time.Millisecond
			reap(t, token)
			p, err := process.Start(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			waitAlive(t, token, count)
			p.Kill(nil)
			e := p.Wait()
			if left := alive(t, token); len(left) > 0 {
				t.Errorf("still alive: %v", left)
			}
			if len(e.Survivors) > 0 || e.PipeHeld {
				t.Errorf("survivors %v, pipe held %v", e.Survivors, e.PipeHeld)
			}
			if !errors.Is(e.Cause, process.ErrKilled) || !e.Cancelled {
				t.Errorf("cause %v", e.Cause)
			}
		})
	}
}

// TestChainThatForksOnIsCaught chases a process that starts its successor in a
// new session and ends, over and over; the chain is bounded should the chase
// fail.
func TestChainThatForksOnIsCaught(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("escapees are found through /proc")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid command on this machine")
	}
	_, token := child(t, "")
	count := filepath.Join(t.TempDir(), "count")
	hop := script(t, "hop", `#!/bin/sh
echo >>"$2"
[ "$3" -lt 3000 ] && setsid "$0" "$1" "$2" $(($3+1)) </dev/null >/dev/null 2>&1 &
`)
	spec := shell(t, `"$0" "$1" "$2" 0; sleep 60`)
	spec.Args = append(spec.Args, hop, token, count)
	spec.Grace = -1
	reap(t, token)
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	hops := func() int64 {
		info, err := os.Stat(count)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for end := time.Now().Add(5 * time.Minute); hops() < 20; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the chain is %d long", hops())
		}
	}
	p.Kill(nil)
	e := p.Wait()
	last := hops()
	time.Sleep(50 * time.Millisecond)
	if left := alive(t, token); len(left) > 0 || hops() != last {
		t.Errorf("alive %v, %d hops and then %d, reported %v", left, last, hops(), e.Survivors)
	}
	if last >= 3000 {
		t.Error("the chain ended by itself: nothing was tested")
	}
}

func TestKillingOneRunSparesAnother(t *testing.T) {
	spec, token := child(t, "sleep=1m")
	spec2, token2 := child(t, "sleep=1m")
	one, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	two, err := process.Start(t.Context(), spec2)
	if err != nil {
		t.Fatal(err)
	}
	waitAlive(t, token, 1)
	waitAlive(t, token2, 1)
	one.Kill(nil)
	one.Wait()
	if len(alive(t, token)) != 0 || len(alive(t, token2)) != 1 {
		t.Errorf("first %v, second %v", alive(t, token), alive(t, token2))
	}
	two.Kill(nil)
	two.Wait()
}

func TestGrandchildHoldingThePipeDoesNotHoldUs(t *testing.T) {
	spec, token := child(t, "hold-stdout")
	spec.Leave = true
	reap(t, token)
	e := mustRun(t, spec)
	if !e.Success() || string(e.Stdout) != "answer\n" {
		t.Errorf("%v, stdout %q", e, e.Stdout)
	}
	if !e.PipeHeld {
		t.Error("the held pipe was not reported")
	}
	if left := alive(t, token); len(left) != 1 || runtime.GOOS == "linux" && !slices.Equal(left, e.Survivors) {
		t.Errorf("alive %v, reported %v", left, e.Survivors)
	}
}

func TestGrandchildThatKeepsPrintingDoesNotHoldUs(t *testing.T) {
	spec, token := child(t, "hold-and-spew")
	spec.Drain = 50 * time.Millisecond
	reap(t, token)
	e := mustRun(t, spec)
	if !e.Success() || !e.PipeHeld || !strings.Contains(string(e.Stdout), "answer\n") {
		t.Errorf("%v, held %v, stdout %q", e, e.PipeHeld, e.Stdout)
	}
}

func TestContextEndsTheDrainOfAHeldPipe(t *testing.T) {
	spec, token := child(t, "hold-stdout")
	spec.Drain = time.Hour
	reap(t, token)
	var e *process.Exit
	for limit := 2 * time.Second; limit < time.Hour; limit *= 4 { // longer, when it had no time to answer
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		var err error
		e, err = process.Run(ctx, spec)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if !e.TimedOut {
			break
		}
	}
	if e.TimedOut || !e.Success() || string(e.Stdout) != "answer\n" {
		t.Errorf("%v, stdout %q: it had answered in time", e, e.Stdout)
	}
}

func TestDeathBySignalIsNeverCodeZero(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGUSR1} {
		e := mustRun(t, shell(t, "kill -"+strconv.Itoa(int(sig))+" $$; sleep 60"))
		if e.Code != -1 || !strings.HasPrefix(e.Signal, "SIG") || e.Success() || e.Ended() {
			t.Errorf("%v: code %d, signal %q, ended by us %v", sig, e.Code, e.Signal, e.Ended())
		}
	}
	if e := mustRun(t, shell(t, "kill -9 $$")); e.Signal != "SIGKILL" || e.String() != "killed by SIGKILL" {
		t.Errorf("%q %q", e.Signal, e)
	}
}

func TestEngineKilledTakesItsHookAlong(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs the parent-death signal of Linux")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec, token := child(t, "")
	reap(t, token)
	engine := exec.Command(exe)
	engine.Env = append(spec.Env, modeVariable+"=launch="+token)
	out, err := engine.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	defer engine.Wait()
	defer engine.Process.Kill()
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	waitAlive(t, token, 1)
	engine.Process.Kill()
	waitAlive(t, token, 0)
}

// TestThreadThatDiesSparesTheHook has goroutines end while locked to their
// threads, which ends these, around a running child.
func TestThreadThatDiesSparesTheHook(t *testing.T) {
	spec, _ := child(t, "sleep=500ms")
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			runtime.LockOSThread()
			time.Sleep(time.Millisecond)
		}()
		<-ended
	}
	if e := p.Wait(); !e.Success() {
		t.Errorf("the child: %v", e)
	}
}

func TestWaitsLeaveNoDescriptorBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("counts /proc/self/fd")
	}
	count := func() int {
		entries, _ := os.ReadDir("/proc/self/fd")
		return len(entries)
	}
	round := func() {
		spec := shell(t, "cat >/dev/null; echo x")
		spec.Stdin = make([]byte, 1<<20)
		mustRun(t, spec)
		mustRun(t, shell(t, ":"))
		process.Run(t.Context(), process.Spec{Path: "/nonexistent", Stdin: []byte("x")})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		process.Run(ctx, shell(t, "exec sleep 60"))
		cancel()
	}
	round()
	before := count()
	for range 5 {
		round()
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
