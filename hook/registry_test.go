package hook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/hook"
)

func TestOrderIsRankThenGroupThenPriorityThenRegistration(t *testing.T) {
	reg := hook.NewRegistry()
	var ran []string
	add := func(name string, opts ...hook.Option) {
		hook.On(reg, func(context.Context, pre) (hook.Result, error) { ran = append(ran, name); return hook.None(), nil },
			append(opts, hook.Name(name))...)
	}
	late := reg.Group("late", hook.Sequential, 300)
	early := reg.Group("early", hook.Sequential, hook.RankManaged)
	add("late 1", hook.InGroup(late))
	add("default")
	add("early 1", hook.InGroup(early))
	add("early 0", hook.InGroup(early), hook.Priority(5))
	add("early 2", hook.InGroup(early))
	e := engine(t, reg)
	fire(t, e, bash("ls"))
	want := []string{"early 0", "early 1", "early 2", "default", "late 1"}
	if d := cmp.Diff(want, ran); d != "" {
		t.Error(d)
	}
	var listed, explained []string
	for _, i := range reg.Infos() {
		listed = append(listed, i.Name)
	}
	for _, c := range e.Explain(bash("ls")) {
		explained = append(explained, c.Hook.Name)
	}
	if d := cmp.Diff(want, listed) + cmp.Diff(want, explained); d != "" {
		t.Error(d)
	}
}

func TestScopedHooksRunForTheirAgentUntilRemoved(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, says(hook.AddContext("base")))
	hook.On(reg, says(hook.AddContext("a1")), hook.ForAgent("a1"))
	hook.On(reg, says(hook.AddContext("main only")), hook.MainOnly())
	e := engine(t, reg)
	contexts := func(agent string) []string {
		in := bash("ls")
		in.AgentID = agent
		out := fire(t, e, in)
		return out.Context
	}
	if d := cmp.Diff([]string{"base", "main only"}, contexts("")) + cmp.Diff([]string{"base", "a1"}, contexts("a1")) + cmp.Diff([]string{"base"}, contexts("a2")); d != "" {
		t.Error(d)
	}
	if n := reg.RemoveScope("a1"); n != 1 {
		t.Errorf("removed %d", n)
	}
	if n := reg.RemoveScope(""); n != 0 {
		t.Errorf("an empty scope removed %d", n)
	}
	if d := cmp.Diff([]string{"base"}, contexts("a1")); d != "" {
		t.Error(d)
	}
}

func TestOnceRunsUntilItsFirstSuccessInASession(t *testing.T) {
	reg := hook.NewRegistry()
	n := 0
	hook.On(reg, func(context.Context, pre) (hook.Result, error) {
		if n++; n == 1 {
			return hook.None(), errors.New("not yet")
		}
		return hook.None(), nil
	}, hook.Once())
	e := engine(t, reg)
	for range 4 {
		fire(t, e, bash("ls"))
	}
	if n != 2 {
		t.Errorf("ran %d times in one session", n)
	}
	other := bash("ls")
	other.SessionID = "s2"
	fire(t, e, other)
	if n != 3 {
		t.Errorf("ran %d times in two sessions", n)
	}
}

func TestInactiveHookIsVisibleWhereItWouldHaveRun(t *testing.T) {
	reg := hook.NewRegistry()
	for range 2 {
		if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Matcher: hook.MatchExact("Bash"), Inactive: "untrusted"}); err != nil {
			t.Fatal(err)
		}
	}
	e := engine(t, reg)
	out := fire(t, e, bash("ls"))
	if d := cmp.Diff([]string{"2 hooks not run: untrusted"}, out.Notices); d != "" {
		t.Error(d)
	}
	if out.Runs[0].Status != hook.StatusSkipped || out.Runs[0].Why != "untrusted" {
		t.Errorf("run %+v", out.Runs[0])
	}
	read := bash("x")
	read.ToolName = "Read"
	if out := fire(t, e, read); len(out.Notices) != 0 {
		t.Errorf("notices %q", out.Notices)
	}
}

func TestIdenticalHooksOfAParallelGroupRunOnce(t *testing.T) {
	reg := hook.NewRegistry()
	g := reg.Group("p", hook.Parallel, 0)
	h := &identified{id: "same"}
	for i, name := range []string{"user", "project", "user"} {
		source := fmt.Sprintf("%d.json:1", i)
		if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: h, Group: g, Name: name, Source: source}); err != nil {
			t.Fatal(err)
		}
	}
	e := engine(t, reg)
	out := fire(t, e, bash("ls"))
	const again = "the same hook as user of 0.json:1"
	if h.runs != 1 || out.Runs[1].Why != "the same hook as user" || out.Runs[2].Why != again {
		t.Errorf("%d runs, %+v", h.runs, out.Runs)
	}
	if c := e.Explain(bash("ls")); !c[0].Runs || c[1].Runs || c[1].Why != "the same hook as user" || c[2].Why != again {
		t.Errorf("explain %+v", c)
	}
}

type identified struct {
	id   string
	runs int
}

func (h *identified) Handle(context.Context, *hook.Call) (hook.Result, error) {
	h.runs++
	return hook.None(), nil
}
func (h *identified) Identity() string { return h.id }

func TestConditions(t *testing.T) {
	for m, want := range map[hook.Matched]struct {
		status    hook.Status
		uncertain bool
	}{
		hook.MatchNo:        {hook.StatusSkipped, false},
		hook.MatchYes:       {hook.StatusRan, false},
		hook.MatchUncertain: {hook.StatusRan, true},
	} {
		reg := hook.NewRegistry()
		hook.On(reg, says(hook.None()), hook.If(func(hook.Input) (hook.Matched, string) { return m, "because" }))
		r := fire(t, engine(t, reg), bash("ls")).Runs[0]
		if r.Status != want.status || r.Uncertain != want.uncertain {
			t.Errorf("%v: %+v", m, r)
		}
		if m != hook.MatchYes && !strings.Contains(r.Why, "because") {
			t.Errorf("%v: why %q", m, r.Why)
		}
	}
}

func TestTraceRecordsEveryRegistration(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, says(hook.None()), hook.Match("Read"))
	hook.On(reg, says(hook.None()), hook.Match("Bash"))
	out := fire(t, engine(t, reg, hook.WithTrace()), bash("ls"))
	if len(out.Runs) != 2 || out.Runs[0].Why != `matcher "Read" does not match "Bash"` {
		t.Errorf("runs %+v", out.Runs)
	}
}

func TestWrongRegistrationsAreRefused(t *testing.T) {
	reg := hook.NewRegistry()
	ok := hook.HandlerFunc(func(context.Context, *hook.Call) (hook.Result, error) { return hook.None(), nil })
	for _, r := range []hook.Registration{
		{Handler: ok},
		{Event: hook.EventStop},
		{Event: hook.EventStop, Handler: ok, Timeout: -1},
		{Event: 200, Handler: ok},
	} {
		if _, err := reg.AddAll([]hook.Registration{{Event: hook.EventStop, Handler: ok}, r}); err == nil {
			t.Errorf("%+v was accepted", r)
		}
	}
	if reg.Len() != 0 {
		t.Errorf("%d registrations of refused sets are in force", reg.Len())
	}
	defer func() {
		if p := fmt.Sprint(recover()); !strings.Contains(p, "registry_test.go:") || !strings.Contains(p, "missing closing") {
			t.Errorf("panic %q", p)
		}
	}()
	hook.On(reg, says(hook.None()), hook.Match("("))
}

func TestReplaceSwapsAGroupInOneStep(t *testing.T) {
	reg := hook.NewRegistry()
	g := reg.Group("files", hook.Sequential, 0)
	set := func(text string) []hook.Registration {
		var out []hook.Registration
		for range 3 {
			out = append(out, hook.Registration{Event: hook.EventPreToolUse, Handler: hook.HandlerFunc(func(context.Context, *hook.Call) (hook.Result, error) {
				return hook.AddContext(text), nil
			})})
		}
		return out
	}
	if err := reg.Replace(g, set("old")); err != nil {
		t.Fatal(err)
	}
	e := engine(t, reg)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				out, err := e.Fire(context.Background(), bash("ls"))
				if err != nil || len(out.Context) > 3 {
					t.Errorf("context %q, %v", out.Context, err)
				}
				for _, c := range out.Context {
					if c != out.Context[0] {
						t.Errorf("a mixture: %q", out.Context)
					}
				}
			}
		})
	}
	for i := range 200 {
		if err := reg.Replace(g, set(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if reg.Count(hook.EventPreToolUse) != 3 {
		t.Error("the group is not what was set last")
	}
	if err := reg.Replace(g, nil); err != nil || reg.Has(hook.EventPreToolUse) || reg.RemoveGroup(g) != 0 {
		t.Errorf("a group that was replaced by nothing still has hooks, or %v", err)
	}
	if err := reg.Replace(g, set("new")); err != nil || reg.RemoveGroup(g) != 3 || reg.Has(hook.EventPreToolUse) {
		t.Errorf("a group that was removed still has hooks, or %v", err)
	}
}

func TestABadPatternIsAnErrorWithItsPlace(t *testing.T) {
	reg := hook.NewRegistry()
	fn := func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.None(), nil }
	h, err := hook.TryOn(reg, fn, hook.Match("B["))
	if h != nil || err == nil || !strings.Contains(err.Error(), "registry_test.go:") || !strings.Contains(err.Error(), "missing closing") || reg.Has(hook.EventPreToolUse) {
		t.Errorf("%v, %v", h, err)
	}
	if h, err := hook.TryOn(reg, fn, hook.Match("B.*")); err != nil || h == nil || !reg.Has(hook.EventPreToolUse) {
		t.Errorf("%v, %v", h, err)
	}
}
