//go:build unix

package command_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// prewarmed returns a hook that runs a script of sh, whose processes are started ahead.
func prewarmed(t testing.TB, text string) (h *command.Hook, file string) {
	t.Helper()
	file = script(t, t.TempDir(), "guard.sh", text)
	h = sh(t, "exec sh "+quoted(file))
	h.Prewarm, h.Pool, h.WarmFiles = 1, &process.Pool{}, []string{file}
	t.Cleanup(h.Pool.Close)
	return h, file
}

func ready(t testing.TB, h *command.Hook, in hook.Input) {
	t.Helper()
	if err := h.Warm(&hook.Call{ID: "warm", Hook: &hook.Info{Name: "guard", Event: in.Event()}, Input: in}); err != nil {
		t.Fatal(err)
	}
	within(t, 10*time.Second, "a process that waits", func() bool { return h.Pool.Waiting() == h.Prewarm })
}

func TestPrewarm(t *testing.T) {
	h, file := prewarmed(t, "read -r line\necho '{\"decision\":\"deny\",\"reason\":\"no\"}'\n")
	in := bashTool("ls")
	first := fire(t, h, in, time.Minute)
	if first.Decision != hook.DecisionDeny || !first.noted("not prewarmed: no process waits") {
		t.Fatalf("%v %q", first.Decision, first.run.Notes)
	}
	ready(t, h, in)
	second := fire(t, h, in, time.Minute)
	if second.Decision != hook.DecisionDeny || !second.noted("prewarmed") || second.noted("not prewarmed") || second.run.Report.Phases.Start != 0 {
		t.Fatalf("%v %q", second.Decision, second.run.Notes)
	}
	ready(t, h, in)
	if err := os.WriteFile(file, []byte("read -r line\necho '{\"decision\":\"allow\"}'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	third := fire(t, h, in, time.Minute)
	if third.Decision != hook.DecisionAllow || !third.noted("not prewarmed: a file has changed") {
		t.Fatalf("%v %q", third.Decision, third.run.Notes)
	}
}

// TestPrewarmPerRun proves that what differs from run to run neither causes a miss nor
// reaches the wrong run, and that a session's variables do cause one.
func TestPrewarmPerRun(t *testing.T) {
	h, _ := prewarmed(t, "read -r line\necho \"{\\\"context\\\":\\\"[$HOOK_DEADLINE_MS$TRACEPARENT] $SESSION\\\"}\"\n")
	session, trace := "s1", 0
	h.Env = func(*hook.Call) []string {
		trace++
		return []string{"SESSION=" + session, fmt.Sprintf("TRACEPARENT=00-%d", trace)}
	}
	in := bashTool("ls")
	ready(t, h, in)
	got := fire(t, h, in, time.Minute)
	if !got.noted("prewarmed") || got.noted("not prewarmed") || len(got.Context) != 1 || got.Context[0] != "[] s1" {
		t.Fatalf("%q %q", got.Context, got.run.Notes)
	}
	ready(t, h, in)
	session = "s2"
	got = fire(t, h, in, time.Minute)
	if !got.noted("not prewarmed: the environment is another one: SESSION") || !strings.HasSuffix(got.Context[0], "] s2") {
		t.Fatalf("%q %q", got.Context, got.run.Notes)
	}
}

// TestPrewarmTimeout counts the time from the input, and ends the process.
func TestPrewarmTimeout(t *testing.T) {
	h, _ := prewarmed(t, "read -r line\nsleep 60\n")
	in := bashTool("ls")
	ready(t, h, in)
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	got := fire(t, h, in, 250*time.Millisecond)
	got.failure(t, hook.FailureTimeout, "")
	if took := time.Since(began); took < 200*time.Millisecond {
		t.Errorf("timed out after %v: the time before the input counts", took)
	}
}

// TestPrewarmGoesOn lets a process that was started ahead go on in the background.
func TestPrewarmGoesOn(t *testing.T) {
	h, _ := prewarmed(t, "read -r line\necho '{\"async\":true}'\nsleep 0.2\necho '{\"context\":\"late\"}'\n")
	in := bashTool("ls")
	ready(t, h, in)
	eng := engine(t, h, in.Event(), time.Minute)
	out, err := eng.Fire(t.Context(), in)
	if err != nil || len(out.Pending) != 1 {
		t.Fatalf("it does not go on: %v", err)
	}
	if _, err := out.Pending[0].Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	late := eng.CollectLate("s1")
	if len(late) != 1 || len(late[0].Result.Context) != 1 || late[0].Result.Context[0] != "late" || !strings.Contains(strings.Join(late[0].Report.Notes, "\n"), process.Prewarmed) {
		t.Fatalf("%+v", late)
	}
}

// TestPrewarmEngineCloses closes the engine while the process has its input.
func TestPrewarmEngineCloses(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	h, _ := prewarmed(t, "read -r line\necho got >> "+quoted(log)+"\nsleep 3600\n")
	in := bashTool(strings.Repeat("x", 1<<20)) // more than a pipe takes at once
	ready(t, h, in)
	running := make(chan struct{})
	eng := engine(t, hook.HandlerFunc(func(ctx context.Context, call *hook.Call) (hook.Result, error) {
		close(running)
		return h.Handle(ctx, call)
	}), in.Event(), time.Hour)
	go func() {
		<-running
		for count(t, log) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		eng.Close()
	}()
	out, err := eng.Fire(context.Background(), in) // for an hour, if the process outlived the engine
	if err == nil && out.Decision == hook.DecisionAllow {
		t.Error("an engine that closes is not consent")
	}
	h.Pool.Close()
}

func TestPrewarmWithoutPool(t *testing.T) {
	h := &command.Hook{Command: "cat >/dev/null", Codec: codectest.Codec{}, Prewarm: 2}
	need(t, "sh")
	if err := h.Warm(&hook.Call{Input: bashTool("ls")}); err != nil {
		t.Error(err)
	}
	if got := fire(t, h, bashTool("ls"), time.Minute); got.run.Status != hook.StatusRan || got.noted("prewarmed") {
		t.Errorf("%v %q", got.run.Status, got.run.Notes)
	}
}
