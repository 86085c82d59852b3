package hook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/hook"
)

func TestTypedHookDeniesByInput(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in pre) (hook.Result, error) {
		if strings.Contains(in.ToolInput.String("command"), "rm -rf") {
			return hook.Deny("dangerous command"), nil
		}
		return hook.None(), nil
	}, hook.Match("Bash"))
	e := engine(t, reg)
	if out := fire(t, e, bash("rm -rf /")); out.Decision != hook.DecisionDeny || out.Reason != "dangerous command" {
		t.Errorf("rm -rf: decision %v, reason %q", out.Decision, out.Reason)
	}
	if out := fire(t, e, bash("ls")); out.Decision != hook.DecisionNone || len(out.Runs) != 1 {
		t.Errorf("ls: decision %v, %d runs", out.Decision, len(out.Runs))
	}
	read := bash("rm -rf /")
	read.ToolName = "Read"
	if out := fire(t, e, read); out.Decision != hook.DecisionNone || len(out.Runs) != 0 {
		t.Errorf("Read: decision %v, %d runs", out.Decision, len(out.Runs))
	}
}

func TestStrictestDecisionWinsInEveryOrder(t *testing.T) {
	answers := []hook.Result{hook.None(), hook.Allow(), hook.Ask("ask"), {Decision: hook.DecisionDefer, Reason: "defer"}, hook.Deny("deny")}
	for i, a := range answers {
		for j, b := range answers {
			for _, flow := range []hook.Flow{hook.Sequential, hook.Parallel} {
				reg := hook.NewRegistry()
				g := reg.Group("g", flow, 0)
				hook.On(reg, says(a), hook.InGroup(g))
				hook.On(reg, says(b), hook.InGroup(g))
				out := fire(t, engine(t, reg), bash("ls"))
				if want := answers[max(i, j)].Decision; out.Decision != want {
					t.Errorf("%v then %v (%v): %v, want %v", a.Decision, b.Decision, flow, out.Decision, want)
				}
			}
		}
	}
}

func TestFirstDenyGivesTheReason(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, says(hook.Deny("one")), hook.Name("a"))
	hook.On(reg, says(hook.Deny("two")), hook.Name("b"))
	out := fire(t, engine(t, reg), bash("ls"))
	if out.Reason != "one" || out.DecidedBy != "a" || out.Runs[1].Reason != "two" {
		t.Errorf("reason %q by %q, second run %q", out.Reason, out.DecidedBy, out.Runs[1].Reason)
	}
}

func TestDenyWithoutReasonGetsOne(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, says(hook.Deny("")), hook.Name("guard"))
	if out := fire(t, engine(t, reg), bash("ls")); out.Reason != "blocked by hook guard" {
		t.Errorf("reason %q", out.Reason)
	}
}

func TestSequentialHooksSeeEarlierChanges(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in pre) (hook.Result, error) {
		in.ToolInput.SetString("command", "two") // in place
		return hook.None(), nil
	})
	var seen []string
	hook.On(reg, func(_ context.Context, in pre) (hook.Result, error) {
		seen = append(seen, in.ToolInput.String("command"))
		return hook.Result{UpdatedInput: hook.RawJSON(`{"command":"three"}`)}, nil // returned
	})
	hook.On(reg, func(_ context.Context, in pre) (hook.Result, error) {
		seen = append(seen, in.ToolInput.String("command"))
		return hook.Result{UpdatedInput: hook.RawJSON(`{"timeout":5}`), InputPatch: true}, nil // patched
	}, hook.Timeout(time.Minute))
	in := bash("one")
	out := fire(t, engine(t, reg), in)
	if d := cmp.Diff([]string{"two", "three"}, seen); d != "" {
		t.Error(d)
	}
	const want = `{"command":"three","timeout":5}`
	if in.ToolInput.Raw() != want || out.UpdatedInput.Raw() != want || !out.InputChanged {
		t.Errorf("input %s, outcome %s", in.ToolInput.Raw(), out.UpdatedInput.Raw())
	}
	if out.OriginalInput.Raw() != `{"command":"one"}` {
		t.Errorf("original %s", out.OriginalInput.Raw())
	}
}

func TestChangeThatTheEventDoesNotTakeIsUndoneAndSaid(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
		in.ToolInput.SetString("command", "other")
		in.ToolResponse = hook.RawJSON(`"cleaned"`)
		return hook.None(), nil
	})
	in := &hook.PostToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`), ToolResponse: hook.RawJSON(`"secret"`)}
	out := fire(t, engine(t, reg), in)
	if in.ToolInput.String("command") != "ls" || in.ToolResponse.Raw() != `"cleaned"` || out.UpdatedOutput.Raw() != `"cleaned"` {
		t.Errorf("input %s, response %s", in.ToolInput.Raw(), in.ToolResponse.Raw())
	}
	if d := cmp.Diff([]string{"updatedInput (PostToolUse does not take it)"}, out.Runs[0].Ignored); d != "" {
		t.Error(d)
	}
}

func TestParallelHooksSeeTheGroupsInputAndFoldInDeclaredOrder(t *testing.T) {
	for _, slowFirst := range []bool{true, false} {
		reg := hook.NewRegistry()
		g := reg.Group("p", hook.Parallel, 0)
		for i, slow := range []bool{slowFirst, !slowFirst} {
			hook.On(reg, func(ctx context.Context, in pre) (hook.Result, error) {
				if got := in.ToolInput.String("command"); got != "ls" {
					t.Errorf("hook %d saw %q", i, got)
				}
				if slow {
					time.Sleep(20 * time.Millisecond)
				}
				in.ToolInput.SetString("command", fmt.Sprint(i))
				return hook.AddContext(fmt.Sprint("context ", i)), nil
			}, hook.InGroup(g), hook.Name(fmt.Sprint(i)))
		}
		in := bash("ls")
		out := fire(t, engine(t, reg), in)
		if in.ToolInput.String("command") != "1" {
			t.Errorf("slowFirst %v: the last in order should win, got %s", slowFirst, in.ToolInput.Raw())
		}
		if d := cmp.Diff([]string{"context 0", "context 1"}, out.Context); d != "" {
			t.Error(d)
		}
		if len(out.Runs[1].Notes) != 1 || !strings.Contains(out.Runs[1].Notes[0], "replaces that of 0") {
			t.Errorf("the conflict is not on record: %q", out.Runs[1].Notes)
		}
	}
}

func TestDenyFastEndsTheEventButNotForObservers(t *testing.T) {
	reg := hook.NewRegistry()
	var ran []string
	note := func(name string, r hook.Result) func(context.Context, pre) (hook.Result, error) {
		return func(context.Context, pre) (hook.Result, error) { ran = append(ran, name); return r, nil }
	}
	fast := reg.Group("fast", hook.DenyFast, 0)
	later := reg.Group("later", hook.Sequential, 1)
	hook.On(reg, note("gate", hook.Deny("no")), hook.InGroup(fast), hook.Name("gate"))
	hook.On(reg, note("second", hook.Allow()), hook.InGroup(fast), hook.Name("second"))
	hook.On(reg, note("later", hook.Allow()), hook.InGroup(later), hook.Name("later"))
	hook.On(reg, note("audit", hook.Deny("observers cannot")), hook.InGroup(later), hook.Observe(), hook.Name("audit"))
	out := fire(t, engine(t, reg), bash("ls"))
	if d := cmp.Diff([]string{"gate", "audit"}, ran); d != "" {
		t.Error(d)
	}
	if out.Reason != "no" || out.Runs[1].Status != hook.StatusSkipped || len(out.Runs) != 4 {
		t.Errorf("outcome %+v", out.Runs)
	}
	if d := cmp.Diff([]string{"deny (the hook only observes)"}, out.Runs[3].Ignored); d != "" {
		t.Error(d)
	}
}

func TestShortCircuitIsOffByDefault(t *testing.T) {
	for _, short := range []bool{false, true} {
		reg := hook.NewRegistry()
		ran := 0
		hook.On(reg, says(hook.Deny("no")))
		hook.On(reg, func(context.Context, pre) (hook.Result, error) { ran++; return hook.None(), nil })
		var opts []hook.EngineOption
		if short {
			opts = append(opts, hook.WithShortCircuit())
		}
		fire(t, engine(t, reg, opts...), bash("ls"))
		if want := map[bool]int{false: 1, true: 0}[short]; ran != want {
			t.Errorf("short circuit %v: second hook ran %d times", short, ran)
		}
	}
}

func TestContinueNoEndsTheGroupAndHaltsTheRun(t *testing.T) {
	reg := hook.NewRegistry()
	ran := ""
	one, two := reg.Group("one", hook.Sequential, 0), reg.Group("two", hook.Sequential, 1)
	hook.On(reg, says(hook.Result{Continue: hook.No, StopReason: "enough"}), hook.InGroup(one))
	hook.On(reg, func(context.Context, pre) (hook.Result, error) { ran += "same group"; return hook.None(), nil }, hook.InGroup(one))
	hook.On(reg, func(context.Context, pre) (hook.Result, error) { ran += "next group"; return hook.None(), nil }, hook.InGroup(two))
	out := fire(t, engine(t, reg), bash("ls"))
	if !out.Halt || out.StopReason != "enough" || ran != "next group" {
		t.Errorf("halt %v (%q), ran %q", out.Halt, out.StopReason, ran)
	}
}

func TestStopKeepsGoing(t *testing.T) {
	tests := []struct {
		name    string
		answers []hook.Result
		going   bool
		told    []string
	}{
		{"silence", []hook.Result{{}}, false, nil},
		{"block", []hook.Result{hook.Deny("run the tests")}, true, []string{"run the tests"}},
		{"follow-ups add up", []hook.Result{{FollowUps: []string{"a"}}, {FollowUps: []string{"b"}}}, true, []string{"a", "b"}},
		{"continue yes", []hook.Result{{Continue: hook.Yes}}, true, []string{hook.DefaultContinuation}},
		{"any keep-going wins", []hook.Result{{}, hook.Deny("more"), {}}, true, []string{"more"}},
		{"continue no halts", []hook.Result{hook.Deny("more"), {Continue: hook.No}}, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reg := hook.NewRegistry()
			for _, a := range tt.answers {
				hook.On(reg, func(context.Context, *hook.Stop) (hook.Result, error) { return a, nil })
			}
			out := fire(t, engine(t, reg), &hook.Stop{})
			if out.KeepGoing != tt.going {
				t.Errorf("keep going %v", out.KeepGoing)
			}
			if d := cmp.Diff(tt.told, out.Continuation()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAllowDoesNotCoverALaterRewrite(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, says(hook.Allow()))
	hook.On(reg, says(hook.Result{UpdatedInput: hook.RawJSON(`{"command":"curl evil"}`)}))
	out := fire(t, engine(t, reg), bash("ls"))
	if out.Decision != hook.DecisionNone || len(out.Notices) != 1 {
		t.Errorf("decision %v, notices %q", out.Decision, out.Notices)
	}

	reg = hook.NewRegistry()
	hook.On(reg, says(hook.Result{UpdatedInput: hook.RawJSON(`{"command":"ls -l"}`), Decision: hook.DecisionAllow}))
	if out := fire(t, engine(t, reg), bash("ls")); out.Decision != hook.DecisionAllow {
		t.Errorf("a hook that rewrites and allows: %v", out.Decision)
	}
}

func TestGuardLooksAgainAfterARewrite(t *testing.T) {
	guard := func(_ context.Context, in pre) (hook.Result, error) {
		if in.ToolInput.String("command") == "rm" {
			return hook.Deny("no rm"), nil
		}
		return hook.Allow(), nil
	}
	rewrite := says(hook.Result{UpdatedInput: hook.RawJSON(`{"command":"rm"}`)})
	tests := []struct {
		name string
		opts []hook.Option
		eng  []hook.EngineOption
		want hook.Decision
	}{
		{"unmarked", nil, nil, hook.DecisionNone},
		{"guard", []hook.Option{hook.Guard()}, nil, hook.DecisionDeny},
		{"strict", nil, []hook.EngineOption{hook.WithStrict()}, hook.DecisionDeny},
	}
	for _, tt := range tests {
		for _, flow := range []hook.Flow{hook.Sequential, hook.Parallel} {
			reg := hook.NewRegistry()
			g := reg.Group("g", flow, 0)
			opts := append([]hook.Option{hook.InGroup(g)}, tt.opts...)
			hook.On(reg, guard, opts...)
			hook.On(reg, rewrite, hook.InGroup(g))
			out := fire(t, engine(t, reg, tt.eng...), bash("ls"))
			if out.Decision != tt.want {
				t.Errorf("%s, %v: %v, want %v", tt.name, flow, out.Decision, tt.want)
			}
			if tt.want == hook.DecisionDeny && !out.Runs[len(out.Runs)-1].Again {
				t.Errorf("%s, %v: the second look is not on record", tt.name, flow)
			}
		}
	}
}

func TestGuardDoesNotLookAgainAtItsOwnRewrite(t *testing.T) {
	for _, flow := range []hook.Flow{hook.Sequential, hook.DenyFast, hook.Parallel} {
		for _, strict := range [][]hook.EngineOption{nil, {hook.WithStrict()}} {
			reg := hook.NewRegistry()
			g := reg.Group("g", flow, 0)
			ran := 0
			hook.On(reg, func(context.Context, pre) (hook.Result, error) {
				ran++
				return hook.Result{UpdatedInput: hook.RawJSON(`{"command":"ls -l"}`), Context: []string{"with -l"}}, nil
			}, hook.InGroup(g), hook.Guard())
			out := fire(t, engine(t, reg, strict...), bash("ls"))
			if ran != 1 || len(out.Context) != 1 || !out.InputChanged {
				t.Errorf("%v: the guard ran %d times, context %q", flow, ran, out.Context)
			}
		}
	}
}

func TestFailureIsNotConsent(t *testing.T) {
	boom := errors.New("boom")
	hooks := map[string]func(context.Context, pre) (hook.Result, error){
		"error":   func(context.Context, pre) (hook.Result, error) { return hook.Allow(), boom },
		"panic":   func(context.Context, pre) (hook.Result, error) { panic(boom) },
		"timeout": func(ctx context.Context, _ pre) (hook.Result, error) { <-ctx.Done(); return hook.Allow(), nil },
		"change and error": func(_ context.Context, in pre) (hook.Result, error) {
			in.ToolInput = hook.RawJSON(`{}`)
			return hook.Allow(), boom
		},
	}
	for name, fn := range hooks {
		for policy, want := range map[hook.FailurePolicy]hook.Decision{hook.FailOpen: hook.DecisionNone, hook.FailAsk: hook.DecisionAsk, hook.FailClosed: hook.DecisionDeny} {
			reg := hook.NewRegistry()
			opts := []hook.Option{hook.OnFailure(policy), hook.Name("guard")}
			if name == "timeout" {
				opts = append(opts, hook.Timeout(10*time.Millisecond))
			}
			hook.On(reg, fn, opts...)
			others := 0
			hook.On(reg, func(context.Context, pre) (hook.Result, error) { others++; return hook.None(), nil })
			in := bash("ls")
			out := fire(t, engine(t, reg), in)
			r := out.Runs[0]
			if out.Decision != want || r.Decision != hook.DecisionNone || r.Err == nil || others != 1 {
				t.Errorf("%s, %v: decision %v, run %+v, others %d", name, policy, out.Decision, r, others)
			}
			if wantStatus := map[bool]hook.Status{true: hook.StatusTimedOut, false: hook.StatusFailed}[name == "timeout"]; r.Status != wantStatus {
				t.Errorf("%s: status %v", name, r.Status)
			}
			if in.ToolInput.String("command") != "ls" {
				t.Errorf("%s: a hook that failed changed the input to %s", name, in.ToolInput.Raw())
			}
			if policy == hook.FailOpen && (len(out.Notices) != 1 || !strings.Contains(out.Notices[0], "went on without it")) {
				t.Errorf("%s: failing open is not visible: %q", name, out.Notices)
			}
			if policy == hook.FailClosed && !strings.Contains(out.Reason, "guard could not answer") {
				t.Errorf("%s: reason %q", name, out.Reason)
			}
		}
	}
}

func TestStrictModeClosesGuardsAndNeverKeepsAStopGoing(t *testing.T) {
	reg := hook.NewRegistry()
	fail := errors.New("boom")
	hook.On(reg, func(context.Context, pre) (hook.Result, error) { return hook.None(), fail })
	hook.On(reg, func(context.Context, *hook.Stop) (hook.Result, error) { return hook.None(), fail })
	e := engine(t, reg, hook.WithStrict())
	if out := fire(t, e, bash("ls")); out.Decision != hook.DecisionDeny || !out.Runs[0].FailedClosed {
		t.Errorf("PreToolUse: %v", out.Decision)
	}
	if out := fire(t, e, &hook.Stop{}); out.KeepGoing || len(out.Notices) != 1 {
		t.Errorf("Stop: keep going %v, notices %q", out.KeepGoing, out.Notices)
	}
}

func TestHookThatIgnoresItsContextIsLeftBehind(t *testing.T) {
	reg := hook.NewRegistry()
	release := make(chan struct{})
	hook.On(reg, func(_ context.Context, in pre) (hook.Result, error) {
		<-release
		in.ToolInput = hook.RawJSON(`{"command":"late"}`)
		return hook.Allow(), nil
	}, hook.Timeout(10*time.Millisecond))
	e := engine(t, reg, hook.WithGrace(20*time.Millisecond))
	in := bash("ls")
	out := fire(t, e, in)
	close(release)
	if r := out.Runs[0]; r.Status != hook.StatusTimedOut || !r.Leaked {
		t.Errorf("run %+v", r)
	}
	if err := e.Close(); err != nil || in.ToolInput.String("command") != "ls" {
		t.Errorf("close: %v, input %s", err, in.ToolInput.Raw())
	}
}

func TestClockStandsStillWhileAPersonIsAsked(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, func(ctx context.Context, _ pre) (hook.Result, error) {
		resume := hook.PauseClock(ctx)
		if _, ok := ctx.Deadline(); ok {
			t.Error("there is a deadline while the clock is paused")
		}
		time.Sleep(80 * time.Millisecond)
		resume()
		resume()
		if _, ok := ctx.Deadline(); !ok || ctx.Err() != nil {
			t.Errorf("after the pause: err %v", ctx.Err())
		}
		return hook.Allow(), nil
	}, hook.Timeout(40*time.Millisecond))
	if out := fire(t, engine(t, reg), bash("ls")); out.Decision != hook.DecisionAllow {
		t.Errorf("decision %v, %v", out.Decision, out.Runs[0].Err)
	}
}

func TestCancellationIsNeitherTimeoutNorFailure(t *testing.T) {
	reg := hook.NewRegistry()
	ctx, cancel := context.WithCancel(t.Context())
	hook.On(reg, func(ctx context.Context, _ pre) (hook.Result, error) {
		cancel()
		<-ctx.Done()
		return hook.Allow(), ctx.Err()
	}, hook.Timeout(time.Minute), hook.OnFailure(hook.FailClosed))
	hook.On(reg, says(hook.Allow()), hook.Name("second"))
	out, err := engine(t, reg).Fire(ctx, bash("ls"))
	if !errors.Is(err, context.Canceled) || out.Decision != hook.DecisionNone {
		t.Errorf("err %v, decision %v", err, out.Decision)
	}
	if out.Runs[0].Status != hook.StatusCancelled || out.Runs[1].Status != hook.StatusSkipped {
		t.Errorf("runs %+v", out.Runs)
	}
}

func TestClosedEngineFires(t *testing.T) {
	e := hook.New(nil)
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Fire(t.Context(), bash("ls")); !errors.Is(err, hook.ErrClosed) {
		t.Errorf("err %v", err)
	}
}

func TestHooksThatFireHooksEndSomewhere(t *testing.T) {
	reg := hook.NewRegistry()
	var e *hook.Engine
	depth := 0
	hook.On(reg, func(ctx context.Context, in pre) (hook.Result, error) {
		depth++
		_, err := e.Fire(ctx, in)
		return hook.None(), err
	})
	e = engine(t, reg)
	fire(t, e, bash("ls"))
	if depth < 2 || depth > 64 {
		t.Errorf("depth %d", depth)
	}
}

func TestContextFilesAreOfferedByPathOnce(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, says(hook.Result{ContextFiles: []string{"docs/a.md", "docs/b.md"}}))
	hook.On(reg, says(hook.Result{ContextFiles: []string{"docs/b.md"}, Context: []string{"and this"}}))
	out := fire(t, engine(t, reg), bash("ls"))
	if d := cmp.Diff([]string{"docs/a.md", "docs/b.md"}, out.ContextFiles); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"and this", "Files that may help here, to be read when needed:\n- docs/a.md\n- docs/b.md"}, out.Context); d != "" {
		t.Error(d)
	}
}

// TestFireWhileTheEngineCloses fires from many goroutines while the engine closes:
// each event is answered or refused, and the race detector has nothing to say.
func TestFireWhileTheEngineCloses(t *testing.T) {
	for range 50 {
		reg := hook.NewRegistry()
		hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.Deny("no"), nil }, hook.Timeout(time.Minute))
		e := hook.New(reg)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				out, err := e.Fire(t.Context(), bash("ls"))
				switch {
				case errors.Is(err, hook.ErrClosed):
				case err != nil:
					t.Errorf("error %v", err)
				case out.Decision != hook.DecisionDeny && out.Runs[0].Status != hook.StatusCancelled && out.Runs[0].Err == nil:
					t.Errorf("decision %v, runs %+v", out.Decision, out.Runs)
				}
			})
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}
