package hook_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// late waits for the results of a session's background hooks.
func late(t *testing.T, e *hook.Engine, session string, n int) []hook.LateResult {
	t.Helper()
	var out []hook.LateResult
	for len(out) < n {
		select {
		case <-e.LateReady():
			out = append(out, e.CollectLate(session)...)
		case <-time.After(5 * time.Minute):
			t.Fatalf("%d late results of %d", len(out), n)
		}
	}
	return out
}

func TestHookThatTurnsAsyncByItsAnswerIsNotStartedTwice(t *testing.T) {
	for _, timeout := range []time.Duration{0, time.Minute} {
		reg := hook.NewRegistry()
		var starts, waits atomic.Int32
		release := make(chan struct{})
		hook.On(reg, func(context.Context, pre) (hook.Result, error) {
			starts.Add(1)
			return hook.Result{Async: &hook.Async{Wait: func(ctx context.Context) (hook.Result, error) {
				waits.Add(1)
				select {
				case <-release:
				case <-ctx.Done():
					return hook.Result{}, context.Cause(ctx)
				}
				return hook.AddContext("later"), nil
			}}}, nil
		}, hook.Timeout(timeout))
		e := engine(t, reg)
		ctx, cancel := context.WithCancel(t.Context())
		out, err := e.Fire(ctx, bash("ls"))
		if err != nil || len(out.Pending) != 1 || out.Runs[0].Status != hook.StatusPending {
			t.Fatalf("err %v, pending %d, run %+v", err, len(out.Pending), out.Runs[0])
		}
		cancel() // the turn is over; the hook goes on
		close(release)
		got := late(t, e, "s1", 1)[0]
		if got.Err != nil || got.Status != hook.StatusRan || got.Result.Context[0] != "later" {
			t.Errorf("late %+v", got)
		}
		if r, err := out.Pending[0].Wait(t.Context()); err != nil || r.Seq != got.Seq || r.Seq != out.Runs[0].Seq {
			t.Errorf("handle %+v, %v", r, err)
		}
		if starts.Load() != 1 || waits.Load() != 1 {
			t.Errorf("started %d times, waited %d times", starts.Load(), waits.Load())
		}
		if again := e.CollectLate("s1"); len(again) != 0 {
			t.Errorf("delivered twice: %+v", again)
		}
	}
}

func TestRegisteredAsyncHookCannotDecideAndMayRewake(t *testing.T) {
	for _, mode := range []hook.AsyncMode{hook.AsyncYes, hook.AsyncRewake} {
		for _, flow := range []hook.Flow{hook.Sequential, hook.Parallel} {
			reg := hook.NewRegistry()
			g := reg.Group("g", flow, 0)
			hook.On(reg, func(_ context.Context, in pre) (hook.Result, error) {
				in.ToolInput = hook.RawJSON(`{}`)
				return hook.Deny("the tests fail"), nil
			}, hook.InGroup(g), hook.InBackground(mode, time.Minute))
			hook.On(reg, says(hook.None()), hook.InGroup(g))
			e := engine(t, reg)
			in := bash("ls")
			if out := fire(t, e, in); out.Decision != hook.DecisionNone || len(out.Pending) != 1 {
				t.Errorf("decision %v, pending %d", out.Decision, len(out.Pending))
			}
			r := late(t, e, "s1", 1)[0]
			if r.Rewake != (mode == hook.AsyncRewake) || r.Result.Reason != "the tests fail" {
				t.Errorf("late %+v", r)
			}
			if in.ToolInput.String("command") != "ls" {
				t.Error("a background hook changed the live input")
			}
		}
	}
}

func TestBackgroundHookThatTakesTooLongTimesOut(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, func(ctx context.Context, _ pre) (hook.Result, error) {
		<-ctx.Done()
		return hook.AddContext("too late"), nil
	}, hook.InBackground(hook.AsyncYes, 10*time.Millisecond))
	e := engine(t, reg)
	fire(t, e, bash("ls"))
	r := late(t, e, "s1", 1)[0]
	if f, ok := errors.AsType[*hook.Failure](r.Err); !ok || f.Kind != hook.FailureTimeout || r.Status != hook.StatusTimedOut || r.Result.Context != nil {
		t.Errorf("late %+v", r)
	}
}

func TestCloseEndsBackgroundHooksAndWaits(t *testing.T) {
	reg := hook.NewRegistry()
	var ended atomic.Bool
	hook.On(reg, func(ctx context.Context, _ pre) (hook.Result, error) {
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), hook.ErrClosed) {
			t.Errorf("cause %v", context.Cause(ctx))
		}
		time.Sleep(10 * time.Millisecond)
		ended.Store(true)
		return hook.None(), ctx.Err()
	}, hook.InBackground(hook.AsyncYes, 0))
	e := hook.New(reg)
	out := fire(t, e, bash("ls"))
	if err := e.Close(); err != nil || !ended.Load() {
		t.Errorf("close: %v, ended %v", err, ended.Load())
	}
	if r, err := out.Pending[0].Wait(t.Context()); err != nil || r.Status != hook.StatusCancelled {
		t.Errorf("late %+v, %v", r, err)
	}
}

func TestUncollectedLateResultsAreBounded(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, says(hook.AddContext("x")), hook.InBackground(hook.AsyncYes, 0))
	e := engine(t, reg)
	for range 1100 {
		out := fire(t, e, bash("ls"))
		<-out.Pending[0].Done()
	}
	// The last result is put in the box just after its handle is done.
	for deadline := time.Now().Add(5 * time.Minute); e.LateDropped() < 76 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if n, d := len(e.CollectLate("s1")), e.LateDropped(); n != 1024 || d != 76 {
		t.Errorf("%d kept, %d dropped", n, d)
	}
}

func TestHookThatGoesOnWhileItRuns(t *testing.T) {
	for _, flow := range []hook.Flow{hook.Sequential, hook.Parallel} {
		reg := hook.NewRegistry()
		g := reg.Group("g", flow, 0)
		var starts atomic.Int32
		release := make(chan struct{})
		goesOn := hook.HandlerFunc(func(ctx context.Context, c *hook.Call) (hook.Result, error) {
			starts.Add(1)
			if !c.GoOn(time.Minute) {
				t.Error("it cannot go on")
			}
			if c.GoOn(time.Minute) {
				t.Error("it went on twice")
			}
			<-release
			code := 0
			c.Report = &hook.Report{ExitCode: &code}
			if ctx.Err() != nil {
				return hook.None(), context.Cause(ctx)
			}
			return hook.AddContext("later"), nil
		})
		for range 2 {
			if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: goesOn, Group: g, Timeout: 50 * time.Millisecond}); err != nil {
				t.Fatal(err)
			}
		}
		e := engine(t, reg)
		ctx, cancel := context.WithCancel(t.Context())
		out, err := e.Fire(ctx, bash("ls"))
		cancel()
		if err != nil || len(out.Pending) != 2 || out.Runs[0].Status != hook.StatusPending {
			t.Fatalf("%v: %v, %d pending", flow, err, len(out.Pending))
		}
		time.Sleep(80 * time.Millisecond) // past the deadline that it had
		close(release)
		for _, p := range out.Pending {
			r, err := p.Wait(t.Context())
			if err != nil || r.Err != nil || r.Result.Context[0] != "later" || r.Report == nil {
				t.Errorf("%v: %+v, %v", flow, r, err)
			}
		}
		if n := len(e.CollectLate("s1")); n != 2 || starts.Load() != 2 {
			t.Errorf("%v: %d late results, %d starts", flow, n, starts.Load())
		}
	}
}

func TestGoingOnIsRefusedWhereNobodyCouldWait(t *testing.T) {
	reg := hook.NewRegistry()
	h := hook.HandlerFunc(func(_ context.Context, c *hook.Call) (hook.Result, error) {
		if c.GoOn(0) {
			t.Error("a run in the caller's goroutine cannot go on")
		}
		return hook.None(), nil
	})
	if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: h}); err != nil {
		t.Fatal(err)
	}
	fire(t, engine(t, reg), bash("ls"))
}

// Background lists what goes on, however it went there, until its result is there.
func TestBackgroundLists(t *testing.T) {
	reg := hook.NewRegistry()
	release := make(chan struct{})
	wait := func(ctx context.Context) (hook.Result, error) {
		select {
		case <-release:
			return hook.None(), nil
		case <-ctx.Done():
			return hook.Result{}, context.Cause(ctx)
		}
	}
	regs := []hook.Registration{
		{Event: hook.EventPreToolUse, Name: "declared", Async: hook.AsyncYes, Handler: hook.HandlerFunc(func(ctx context.Context, _ *hook.Call) (hook.Result, error) { return wait(ctx) })},
		{Event: hook.EventPreToolUse, Name: "answers", Handler: hook.HandlerFunc(func(context.Context, *hook.Call) (hook.Result, error) {
			return hook.Result{Async: &hook.Async{Wait: wait}}, nil
		})},
		{Event: hook.EventPreToolUse, Name: "goes on", Timeout: time.Minute, Handler: hook.HandlerFunc(func(ctx context.Context, c *hook.Call) (hook.Result, error) {
			if !c.GoOn(time.Minute) {
				t.Error("it does not go on")
			}
			return wait(ctx)
		})},
	}
	if _, err := reg.AddAll(regs); err != nil {
		t.Fatal(err)
	}
	e := engine(t, reg)
	if runs := e.Background(); len(runs) != 0 {
		t.Errorf("%d runs before there was an event", len(runs))
	}
	if _, err := e.Fire(t.Context(), bash("ls")); err != nil {
		t.Fatal(err)
	}
	runs := e.Background()
	var names []string
	for _, r := range runs {
		names = append(names, r.Hook.Name)
	}
	if len(names) != 3 || names[0] != "declared" || names[1] != "answers" || names[2] != "goes on" {
		t.Errorf("in the background: %q", names)
	}
	close(release)
	for _, r := range runs {
		if _, err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(5 * time.Minute); len(e.Background()) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d runs are listed after their results were there", len(e.Background()))
		}
	}
}
