package hooktest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// Behaviour is what a hook under test is asked to do with a PreToolUse event.
type Behaviour string

// The behaviours. A kind of hook supports those that it can; the rules that need
// another are skipped, with the reason in the test's log.
const (
	Silent  Behaviour = "silent"  // answer nothing
	Allow   Behaviour = "allow"   // allow
	Deny    Behaviour = "deny"    // deny with the reason "denied by the test"
	Ask     Behaviour = "ask"     // ask
	Context Behaviour = "context" // add the context "context from the test"
	Rewrite Behaviour = "rewrite" // set the tool input's command to "rewritten"
	Fail    Behaviour = "fail"    // fail: an error, an odd exit code, a crash
	Garbage Behaviour = "garbage" // answer what is not an answer
	Hang    Behaviour = "hang"    // do not answer for a minute
	// GoAsync answers that it goes on in the background, then adds the context
	// "context from the background".
	GoAsync Behaviour = "async"
	// Echo adds the tool input's "id" member as context, as its JSON text.
	Echo Behaviour = "echo"
	// WrongField answers with an updated output, which PreToolUse does not take.
	WrongField Behaviour = "wrong field"
)

// The texts that behaviours use.
const (
	DenyReason   = "denied by the test"
	ContextText  = "context from the test"
	LateText     = "context from the background"
	RewrittenCmd = "rewritten"
)

// Kind is a kind of hook under test.
type Kind struct {
	// Make returns a handler that behaves as asked; ok is false when this kind
	// cannot. It may use t for clean-up.
	Make func(t testing.TB, b Behaviour) (h hook.Handler, ok bool)
	// Starts returns how often hooks made so far were started; nil when that cannot
	// be counted.
	Starts func() int
	// HangTimeout is the deadline that a hanging hook is given; 0 means 300 ms.
	HangTimeout time.Duration
}

// TestKind proves a kind of hook against KindRules. Each rule is a subtest of its
// name.
func TestKind(t *testing.T, kind Kind) {
	if kind.HangTimeout == 0 {
		kind.HangTimeout = 300 * time.Millisecond
	}
	for _, c := range kindChecks {
		t.Run(strings.ReplaceAll(c.rule.Name, " ", "_"), func(t *testing.T) {
			k := &kindTest{TB: t, kind: kind, reg: hook.NewRegistry(), rule: c.rule}
			c.check(k)
		})
	}
}

type kindCheck struct {
	rule  Rule
	check func(*kindTest)
}

var kindChecks = []kindCheck{
	{ruleSilent, checkSilent},
	{ruleDeny, checkDeny},
	{ruleReason, checkReason},
	{ruleAsk, checkAsk},
	{ruleFailOpen, func(k *kindTest) { k.checkFailure(Fail, hook.FailOpen, hook.DecisionNone) }},
	{ruleClosed, func(k *kindTest) { k.checkFailure(Fail, hook.FailClosed, hook.DecisionDeny) }},
	{ruleGarbage, func(k *kindTest) { k.checkFailure(Garbage, hook.FailClosed, hook.DecisionDeny) }},
	{ruleTimeout, checkTimeout},
	{ruleCancel, checkCancel},
	{ruleOthers, checkOthers},
	{ruleContext, checkContext},
	{ruleRewrite, checkRewrite},
	{ruleRaw, checkRaw},
	{ruleAsync, checkAsync},
	{ruleParallel, checkParallel},
	{ruleIgnored, checkIgnored},
}

// kindTest is one rule being checked.
type kindTest struct {
	testing.TB
	kind Kind
	reg  *hook.Registry
	rule Rule
}

// broken reports that the rule is broken.
func (k *kindTest) broken(format string, args ...any) {
	k.Helper()
	k.Errorf("rule %q is broken: %s\nThe rule is there because %s.", k.rule.Name, fmt.Sprintf(format, args...), k.rule.Why)
}

// add registers a hook that behaves as asked, or skips the rule.
func (k *kindTest) add(b Behaviour, change ...func(*hook.Registration)) {
	k.Helper()
	h, ok := k.kind.Make(k, b)
	if !ok {
		k.Skipf("this kind of hook cannot behave as %q", b)
	}
	r := hook.Registration{Event: hook.EventPreToolUse, Handler: h, Name: string(b), Timeout: 30 * time.Second, OnFailure: hook.FailOpen}
	for _, c := range change {
		c(&r)
	}
	if _, err := k.reg.Add(r); err != nil {
		k.Fatal(err)
	}
}

func (k *kindTest) engine() *hook.Engine {
	e := hook.New(k.reg)
	k.Cleanup(func() {
		if err := e.Close(); err != nil {
			k.broken("%v", err)
		}
	})
	return e
}

func call() *hook.PreToolUse {
	return &hook.PreToolUse{
		Common:    hook.Common{SessionID: "hooktest"},
		ToolName:  "Bash",
		ToolInput: hook.RawJSON(`{"command":"ls","id":9007199254740993}`),
		ToolUseID: "call-1",
	}
}

func (k *kindTest) fire() hook.Outcome {
	k.Helper()
	out, err := k.engine().Fire(context.Background(), call())
	if err != nil {
		k.Fatal(err)
	}
	return out
}

func checkSilent(k *kindTest) {
	k.add(Silent)
	out := k.fire()
	if r := out.Runs[0]; out.Decision != hook.DecisionNone || r.Status != hook.StatusRan || r.Err != nil {
		k.broken("decision %v, status %v, error %v", out.Decision, r.Status, r.Err)
	}
}

func checkDeny(k *kindTest) {
	for _, order := range [][]Behaviour{{Deny, Allow}, {Allow, Deny}, {Silent, Deny, Allow}} {
		for _, flow := range []hook.Flow{hook.Sequential, hook.Parallel} {
			k.reg = hook.NewRegistry()
			g := k.reg.Group("g", flow, 0)
			for _, b := range order {
				k.add(b, func(r *hook.Registration) { r.Group = g })
			}
			if out := k.fire(); out.Decision != hook.DecisionDeny {
				k.broken("%v, %v: decision %v", order, flow, out.Decision)
			}
		}
	}
}

func checkReason(k *kindTest) {
	k.add(Deny)
	if out := k.fire(); !strings.Contains(out.Reason, DenyReason) {
		k.broken("reason %q", out.Reason)
	}
}

func checkAsk(k *kindTest) {
	k.add(Allow)
	k.add(Ask)
	if out := k.fire(); out.Decision != hook.DecisionAsk {
		k.broken("decision %v", out.Decision)
	}
}

func (k *kindTest) checkFailure(b Behaviour, policy hook.FailurePolicy, want hook.Decision) {
	k.add(b, func(r *hook.Registration) { r.OnFailure = policy })
	out := k.fire()
	if r := out.Runs[0]; out.Decision != want || r.Status != hook.StatusFailed || r.Err == nil || r.Decision != hook.DecisionNone {
		k.broken("with policy %v: decision %v, status %v, error %v", policy, out.Decision, r.Status, r.Err)
	}
}

func checkTimeout(k *kindTest) {
	k.add(Hang, func(r *hook.Registration) { r.Timeout, r.OnFailure = k.kind.HangTimeout, hook.FailClosed })
	start := time.Now()
	out := k.fire()
	if r := out.Runs[0]; r.Status != hook.StatusTimedOut || out.Decision != hook.DecisionDeny || r.Leaked {
		k.broken("status %v, decision %v, left running %v", r.Status, out.Decision, r.Leaked)
	}
	if d := time.Since(start); d > 30*time.Second {
		k.broken("it took %v", d)
	}
}

func checkCancel(k *kindTest) {
	k.add(Hang, func(r *hook.Registration) { r.OnFailure = hook.FailClosed })
	ctx, cancel := context.WithTimeout(context.Background(), k.kind.HangTimeout)
	defer cancel()
	out, err := k.engine().Fire(ctx, call())
	if err == nil || out.Runs[0].Status != hook.StatusCancelled {
		k.broken("error %v, status %v", err, out.Runs[0].Status)
	}
}

func checkOthers(k *kindTest) {
	k.add(Fail)
	k.add(Context)
	if out := k.fire(); !slices.Contains(out.Context, ContextText) {
		k.broken("context %q", out.Context)
	}
}

func checkContext(k *kindTest) {
	k.add(Context)
	if out := k.fire(); !slices.Equal(out.Context, []string{ContextText}) {
		k.broken("context %q", out.Context)
	}
}

func checkRewrite(k *kindTest) {
	k.add(Rewrite)
	seen := ""
	hook.On(k.reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		seen = in.ToolInput.String("command")
		return hook.None(), nil
	}, hook.InGroup(k.reg.Group("after", hook.Sequential, 1000)))
	in := call()
	out, err := k.engine().Fire(context.Background(), in)
	if err != nil || seen != RewrittenCmd || in.ToolInput.String("command") != RewrittenCmd || !out.InputChanged {
		k.broken("the later hook saw %q, the caller has %s (error %v, run %v)", seen, in.ToolInput.Raw(), err, out.Runs[0].Err)
	}
}

func checkRaw(k *kindTest) {
	k.add(Echo)
	in := call()
	out, err := k.engine().Fire(context.Background(), in)
	if err != nil || in.ToolInput != call().ToolInput {
		k.broken("the input became %s (error %v)", in.ToolInput.Raw(), err)
	}
	if !slices.Equal(out.Context, []string{"9007199254740993"}) {
		k.broken("the hook saw the id as %q", out.Context)
	}
}

func checkAsync(k *kindTest) {
	before := 0
	if k.kind.Starts != nil {
		before = k.kind.Starts()
	}
	k.add(GoAsync)
	e := k.engine()
	out, err := e.Fire(context.Background(), call())
	if err != nil || len(out.Pending) != 1 || out.Decision != hook.DecisionNone {
		k.broken("%d pending, decision %v, error %v, run %+v", len(out.Pending), out.Decision, err, out.Runs[0])
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	late, err := out.Pending[0].Wait(ctx)
	if err != nil || late.Err != nil || !slices.Equal(late.Result.Context, []string{LateText}) {
		k.broken("late result %+v (error %v)", late, err)
	}
	if k.kind.Starts != nil && k.kind.Starts()-before != 1 {
		k.broken("it was started %d times", k.kind.Starts()-before)
	}
}

func checkParallel(k *kindTest) {
	k.add(Echo)
	e := k.engine()
	const n = 8
	errs := make(chan string, n)
	for i := range n {
		go func() {
			in := call()
			want := fmt.Sprint(1000 + i)
			_ = in.ToolInput.Set("id", 1000+i)
			out, err := e.Fire(context.Background(), in)
			if err != nil || !slices.Equal(out.Context, []string{want}) {
				errs <- fmt.Sprintf("call %s got %q (error %v)", want, out.Context, err)
				return
			}
			errs <- ""
		}()
	}
	for range n {
		if msg := <-errs; msg != "" {
			k.broken("%s", msg)
		}
	}
}

func checkIgnored(k *kindTest) {
	k.add(WrongField)
	out := k.fire()
	r := out.Runs[0]
	if !out.UpdatedOutput.IsZero() || len(r.Ignored)+len(r.Notes) == 0 && r.Err == nil {
		k.broken("ignored %q, notes %q, updated output %s", r.Ignored, r.Notes, out.UpdatedOutput.Raw())
	}
}
