package worker_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect/worker"
	host "github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

func spec(mode string) worker.Spec {
	return worker.Spec{
		Path: os.Args[0], Files: []string{}, KillAfter: 200 * time.Millisecond, CancelGrace: 200 * time.Millisecond,
		Env: []string{modeVariable + "=" + mode, "GORACE=atexit_sleep_ms=0"},
	}
}

// registered puts a worker's hooks into an engine.
func registered(t *testing.T, w *worker.Worker) (*hook.Engine, []hook.Registration, []string) {
	t.Helper()
	regs, remarks := worker.Registrations(w)
	reg := hook.NewRegistry()
	if _, err := reg.AddAll(regs); err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, regs, remarks
}

func TestRegistrations(t *testing.T) {
	w, err := worker.Start(t.Context(), spec("lines"))
	if err != nil {
		t.Fatal(err)
	}
	e, regs, remarks := registered(t, w)
	if len(regs) != 4 {
		t.Fatalf("%d registrations", len(regs))
	}
	g, s, o, bad := regs[0], regs[1], regs[2], regs[3]
	switch {
	case g.Event != hook.EventPreToolUse || g.Name != "fake#no rm" || g.Matcher.Match("Bash") != hook.MatchYes || g.Matcher.Match("Read") != hook.MatchNo,
		!g.Guard || g.OnFailure != hook.FailClosed || g.Timeout != 1500*time.Millisecond || g.Priority != 7 || g.Dialect != "worker" || g.Source != os.Args[0]:
		t.Errorf("guard %+v", g)
	case s.Event != hook.EventStop || s.Timeout != 0 || s.OnFailure != hook.FailOpen || s.Matcher != nil || s.Name != "fake#Stop[1]":
		t.Errorf("stop %+v", s)
	case o.Timeout != worker.DefaultTimeout || !o.Observe || !o.Once || o.OnFailure != hook.FailDefault:
		t.Errorf("observer %+v", o)
	case bad.Inactive == "" || bad.Matcher != nil:
		t.Errorf("a matcher that cannot be read: %+v", bad)
	}
	if len(remarks) != 2 || !strings.Contains(strings.Join(remarks, "\n"), `unknown event "PreTolUse" (did you mean PreToolUse?); the hook never runs`) {
		t.Errorf("remarks %q", remarks)
	}
	out, err := e.Fire(t.Context(), &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"rm"}`)})
	if err != nil || out.Decision != hook.DecisionDeny || out.Reason != "hook 0" {
		t.Errorf("decision %v, reason %q, error %v", out.Decision, out.Reason, err)
	}
}

func TestExpect(t *testing.T) {
	hello := host.Hello{Name: "fake", Hooks: []host.HookSpec{{Event: "PreToolUse", Name: "no rm", Matcher: "Bash"}}}
	w, err := worker.Expect(spec("lines"), hello)
	if err != nil {
		t.Fatal(err)
	}
	e, regs, _ := registered(t, w)
	if len(regs) != 1 || w.Starts() != 0 {
		t.Fatalf("%d registrations, %d starts", len(regs), w.Starts())
	}
	out, err := e.Fire(context.Background(), &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{}`)})
	if err != nil || out.Decision != hook.DecisionDeny || w.Starts() != 1 {
		t.Errorf("decision %v, error %v, run %+v", out.Decision, err, out.Runs[0].Err)
	}
}
