package hooktest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// goKind is Go functions as a kind of hook; sabotage replaces what one behaviour
// answers.
func goKind(sabotage Behaviour, instead Behaviour) Kind {
	var starts atomic.Int32
	return Kind{
		Starts: func() int { return int(starts.Load()) },
		Make: func(_ testing.TB, b Behaviour) (hook.Handler, bool) {
			if b == sabotage {
				b = instead
			}
			return hook.HandlerFunc(func(ctx context.Context, c *hook.Call) (hook.Result, error) {
				starts.Add(1)
				return goAnswer(ctx, b, c.Input.(*hook.PreToolUse))
			}), true
		},
	}
}

func goAnswer(ctx context.Context, b Behaviour, in *hook.PreToolUse) (hook.Result, error) {
	switch b {
	case Allow:
		return hook.Allow(), nil
	case Deny:
		return hook.Deny(DenyReason), nil
	case Ask:
		return hook.Ask(""), nil
	case Context:
		return hook.AddContext(ContextText), nil
	case Rewrite:
		in.ToolInput.SetString("command", RewrittenCmd)
	case Fail:
		return hook.None(), errors.New("boom")
	case Garbage:
		panic("garbage")
	case Hang:
		<-ctx.Done()
		return hook.None(), ctx.Err()
	case GoAsync:
		return hook.Result{Async: &hook.Async{Wait: func(context.Context) (hook.Result, error) { return hook.AddContext(LateText), nil }}}, nil
	case Echo:
		id, _ := in.ToolInput.Get("id")
		return hook.AddContext(id.Raw()), nil
	case WrongField:
		return hook.Result{UpdatedOutput: hook.MustJSON("x")}, nil
	case "double start":
		return hook.Result{Async: &hook.Async{Wait: func(ctx context.Context) (hook.Result, error) { return hook.None(), nil }}}, nil
	case "sleep":
		time.Sleep(2 * time.Second)
	case "round":
		return hook.AddContext("9007199254740992"), nil
	}
	return hook.None(), nil
}

func TestGoFunctionsKeepTheRules(t *testing.T) { TestKind(t, goKind("", "")) }

// tb records what a rule's check reports.
type tb struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (t *tb) Helper() {}
func (t *tb) Errorf(format string, args ...any) {
	t.failures = append(t.failures, fmt.Sprintf(format, args...))
}

func (t *tb) Fatal(args ...any) {
	t.failures = append(t.failures, fmt.Sprint(args...))
	runtime.Goexit()
}
func (t *tb) Skipf(string, ...any) { runtime.Goexit() }
func (t *tb) Cleanup(f func())     { t.cleanups = append(t.cleanups, f) }
func (t *tb) Logf(string, ...any)  {}

// breaks reports whether a rule's check finds fault with a kind.
func breaks(t *testing.T, rule Rule, kind Kind) bool {
	rec := &tb{TB: t}
	kind.HangTimeout = 20 * time.Millisecond
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, c := range kindChecks {
			if c.rule == rule {
				c.check(&kindTest{TB: rec, kind: kind, reg: hook.NewRegistry(), rule: rule})
			}
		}
	}()
	<-done
	for _, f := range rec.cleanups {
		f()
	}
	for _, f := range rec.failures {
		if !strings.Contains(f, rule.Why) {
			t.Errorf("the report does not say why the rule is there: %s", f)
		}
	}
	return len(rec.failures) > 0
}

// TestRulesFindFault breaks each rule on purpose: a check that cannot fail proves
// nothing.
func TestRulesFindFault(t *testing.T) {
	tests := []struct {
		rule          Rule
		from, instead Behaviour
	}{
		{ruleSilent, Silent, Allow},
		{ruleDeny, Deny, Allow},
		{ruleReason, Deny, Silent},
		{ruleAsk, Ask, Silent},
		{ruleFailOpen, Fail, Allow},
		{ruleClosed, Fail, Silent},
		{ruleGarbage, Garbage, Allow},
		{ruleTimeout, Hang, "sleep"},
		{ruleCancel, Hang, Silent},
		{ruleOthers, Context, Silent},
		{ruleContext, Context, Silent},
		{ruleRewrite, Rewrite, Silent},
		{ruleRaw, Echo, "round"},
		{ruleAsync, GoAsync, "double start"},
		{ruleParallel, Echo, "round"},
		{ruleIgnored, WrongField, Silent},
	}
	if len(tests) != len(KindRules()) || len(kindChecks) != len(KindRules()) {
		t.Errorf("%d rules, %d checks, %d of them proved", len(KindRules()), len(kindChecks), len(tests))
	}
	for _, tt := range tests {
		if !breaks(t, tt.rule, goKind(tt.from, tt.instead)) {
			t.Errorf("rule %q did not notice %q instead of %q", tt.rule.Name, tt.instead, tt.from)
		}
		if breaks(t, tt.rule, goKind("", "")) {
			t.Errorf("rule %q found fault with a sound hook", tt.rule.Name)
		}
	}
}
