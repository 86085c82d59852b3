package hook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hookline-dev/hookline/hook"
)

// drawn is a hook with a drawn answer.
type drawn struct {
	decision hook.Decision
	context  bool
	rewrite  bool
	fails    bool
	closed   bool
	halts    bool
	observer bool
	delay    time.Duration
}

func (d drawn) result(i int) (hook.Result, error) {
	if d.fails {
		return hook.Allow(), errors.New("boom")
	}
	r := hook.Result{Decision: d.decision, Reason: fmt.Sprint("reason ", i)}
	if d.context {
		r.Context = []string{fmt.Sprint("context ", i)}
	}
	if d.rewrite {
		r.UpdatedInput = hook.RawJSON(fmt.Sprintf(`{"n":%d}`, i))
	}
	if d.halts {
		r.Continue = hook.No
	}
	return r, nil
}

// expected is the merged answer as a reader of the rules would compute it.
type expected struct {
	decision hook.Decision
	reason   string
	context  string
	input    string
	halt     bool
}

// reference folds drawn hooks of one parallel group, one rule a line.
func reference(hooks []drawn) expected {
	e := expected{input: `{"n":-1}`}
	lastRewrite := -1
	for i, h := range hooks {
		if !h.fails && !h.observer && h.rewrite {
			lastRewrite = i
		}
	}
	for i, h := range hooks {
		d, reason := h.decision, fmt.Sprint("reason ", i)
		switch {
		case h.observer:
			d = hook.DecisionNone
		case h.fails && h.closed:
			d, reason = hook.DecisionDeny, "could not answer"
		case h.fails:
			d = hook.DecisionNone
		}
		if d == hook.DecisionAllow && lastRewrite >= 0 && i != lastRewrite {
			d = hook.DecisionNone // it allowed another input than the one that runs
		}
		if d > e.decision {
			e.decision, e.reason = d, reason
		}
		if h.fails {
			continue
		}
		if h.context && !h.observer {
			e.context += fmt.Sprint("context ", i, ";")
		}
		e.halt = e.halt || h.halts && !h.observer
	}
	if lastRewrite >= 0 {
		e.input = fmt.Sprintf(`{"n":%d}`, lastRewrite)
	}
	return e
}

func TestFoldEqualsReferenceForAllAnswersAndFinishOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "hooks")
		hooks := make([]drawn, n)
		for i := range hooks {
			hooks[i] = drawn{
				decision: hook.Decision(rapid.IntRange(0, 4).Draw(t, "decision")),
				context:  rapid.Bool().Draw(t, "context"),
				rewrite:  rapid.IntRange(0, 3).Draw(t, "rewrite") == 0,
				fails:    rapid.IntRange(0, 4).Draw(t, "fails") == 0,
				closed:   rapid.Bool().Draw(t, "closed"),
				halts:    rapid.IntRange(0, 5).Draw(t, "halts") == 0,
				observer: rapid.IntRange(0, 4).Draw(t, "observer") == 0,
				delay:    time.Duration(rapid.IntRange(0, 300).Draw(t, "µs")) * time.Microsecond,
			}
		}
		reg := hook.NewRegistry()
		g := reg.Group("g", hook.Parallel, 0)
		for i, h := range hooks {
			opts := []hook.Option{hook.InGroup(g), hook.Timeout(time.Minute)}
			if h.closed {
				opts = append(opts, hook.OnFailure(hook.FailClosed))
			}
			if h.observer {
				opts = append(opts, hook.Observe())
			}
			hook.On(reg, func(context.Context, pre) (hook.Result, error) {
				time.Sleep(h.delay)
				return h.result(i)
			}, opts...)
		}
		eng := hook.New(reg)
		defer eng.Close()
		in := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"n":-1}`)}
		out, err := eng.Fire(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		want := reference(hooks)
		got := expected{out.Decision, out.Reason, strings.Join(append(out.Context, ""), ";"), in.ToolInput.Raw(), out.Halt}
		if strings.Contains(got.reason, "could not answer") {
			got.reason = "could not answer"
		}
		if got != want {
			t.Fatalf("%+v\ngot  %+v\nwant %+v", hooks, got, want)
		}
	})
}

func TestAddingAHookNeverWeakensADeny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flow := hook.Flow(rapid.IntRange(0, 2).Draw(t, "flow"))
		at := rapid.IntRange(0, 3).Draw(t, "place of the deny")
		reg := hook.NewRegistry()
		g := reg.Group("g", flow, 0)
		for i := range 4 {
			d := drawn{
				decision: hook.Decision(rapid.IntRange(0, 4).Draw(t, "decision")),
				rewrite:  rapid.Bool().Draw(t, "rewrite"), fails: rapid.Bool().Draw(t, "fails"),
			}
			if i == at {
				d = drawn{decision: hook.DecisionDeny}
			}
			hook.On(reg, func(context.Context, pre) (hook.Result, error) { return d.result(i) }, hook.InGroup(g))
		}
		eng := hook.New(reg)
		defer eng.Close()
		out, err := eng.Fire(context.Background(), bash("ls"))
		if err != nil || out.Decision != hook.DecisionDeny {
			t.Fatalf("decision %v, err %v", out.Decision, err)
		}
	})
}
