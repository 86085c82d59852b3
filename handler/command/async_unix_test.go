//go:build unix

package command_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// late waits for the result of the hook that goes on.
func late(t testing.TB, out hook.Outcome) hook.LateResult {
	t.Helper()
	if len(out.Pending) != 1 {
		t.Fatalf("%d hooks go on, want 1: %+v", len(out.Pending), out.Runs)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := out.Pending[0].Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGoingOn(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		timeout    time.Duration
		late       bool
		message    string
	}{
		{"goes on", `cat >/dev/null; echo x >> starts; echo '{"async":true}'; sleep 0.3; echo '{"message":"later"}'`, time.Minute, true, "later"},
		{"without a timeout", `cat >/dev/null; echo x >> starts; echo '{"async":true}'; sleep 0.3; echo '{"message":"later"}'`, 0, true, "later"},
		{"beyond its deadline", `cat >/dev/null; echo x >> starts; echo '{"async":true,"async_timeout":20}'; sleep 1.2; echo '{"message":"later"}'`, time.Second, true, "later"},
		{"no line break", `cat >/dev/null; echo x >> starts; printf '{"async":true}'; sleep 0.3; printf '{"message":"later"}'`, 0, true, "later"},
		{"BOM and blank lines", `cat >/dev/null; echo x >> starts; printf '\357\273\277\r\n\r\n{"async":true}\r\n'; sleep 0.3; echo '{"message":"later"}'`, 0, true, "later"},
		{"nothing more", `cat >/dev/null; echo x >> starts; echo '{"async":true}'`, 0, true, ""},
		{"unread input", `echo x >> starts; echo '{"async":true}'; sleep 0.1; cat >/dev/null; echo '{"message":"later"}'`, 0, true, "later"},
		{"an ordinary answer", `cat >/dev/null; echo x >> starts; echo '{"message":"now"}'; sleep 0.1`, time.Minute, false, "now"},
		{"async false", `cat >/dev/null; echo x >> starts; echo '{"async":false,"message":"now"}'`, time.Minute, false, "now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := bashTool("ls")
			in.CWD = dir
			eng := engine(t, sh(t, tt.line), in.Event(), tt.timeout)
			out, err := eng.Fire(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			var messages []string
			if tt.late {
				r := late(t, out)
				if r.Err != nil || r.Status != hook.StatusRan {
					t.Fatalf("late: %v %v", r.Status, r.Err)
				}
				if r.Result.SystemMessage != "" {
					messages = []string{r.Result.SystemMessage}
				}
				collected := 0
				within(t, 10*time.Second, "the result can be collected", func() bool {
					collected += len(eng.CollectLate("s1"))
					return collected == 1
				})
			} else {
				messages = out.SystemMessages
			}
			if tt.message == "" && len(messages) > 0 || tt.message != "" && (len(messages) != 1 || messages[0] != tt.message) {
				t.Errorf("messages %q, want %q", messages, tt.message)
			}
			if n := count(t, filepath.Join(dir, "starts")); n != 1 {
				t.Errorf("started %d times, want 1", n)
			}
		})
	}
}

func TestGoingOnReturnsAtOnce(t *testing.T) {
	dir := t.TempDir()
	in := bashTool("ls")
	in.CWD = dir
	eng := engine(t, sh(t, `echo $$ > child; echo '{"async":true}'; sleep 3600`), in.Event(), time.Hour)
	out, err := eng.Fire(t.Context(), in)
	if err != nil || len(out.Pending) != 1 {
		t.Fatalf("%v: %+v", err, out.Runs)
	}
	if !alive(t, filepath.Join(dir, "child")) {
		t.Error("the hook did not go on")
	}
	if err := eng.Close(); err != nil {
		t.Error(err)
	}
	if r := late(t, out); r.Status != hook.StatusCancelled {
		t.Errorf("after Close: %v %v", r.Status, r.Err)
	}
	within(t, 5*time.Minute, "the hook is dead", func() bool { return !alive(t, filepath.Join(dir, "child")) })
}

func TestGoingOnTimesOut(t *testing.T) {
	dir := t.TempDir()
	in := bashTool("ls")
	in.CWD = dir
	h := sh(t, `sleep 61 & echo $! > child; echo '{"async":true,"async_timeout":0.3}'; sleep 60; echo '{"message":"too late"}'`)
	eng := engine(t, h, in.Event(), time.Minute)
	out, err := eng.Fire(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if r := late(t, out); r.Status != hook.StatusTimedOut || kindOf(r.Err) != hook.FailureTimeout || r.Result.SystemMessage != "" {
		t.Errorf("%v %v", r.Status, r.Err)
	}
	within(t, 5*time.Second, "the child is dead", func() bool { return !alive(t, filepath.Join(dir, "child")) })
}

func TestGoingOnOutlivesTheCaller(t *testing.T) {
	for _, timeout := range []time.Duration{0, time.Minute} {
		ctx, cancel := context.WithCancel(t.Context())
		eng := engine(t, sh(t, `cat >/dev/null; echo '{"async":true}'; sleep 0.5; echo '{"message":"later"}'`), hook.EventPreToolUse, timeout)
		out, err := eng.Fire(ctx, bashTool("ls"))
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if r := late(t, out); r.Result.SystemMessage != "later" {
			t.Errorf("timeout %v: %v %v", timeout, r.Status, r.Err)
		}
	}
}

func TestDeclaredAsync(t *testing.T) {
	for name, line := range map[string]string{
		"plain":          `cat >/dev/null; echo x >> starts; sleep 0.2; echo '{"message":"later"}'`,
		"says so itself": `cat >/dev/null; echo x >> starts; echo '{"async":true}'; sleep 0.2; echo '{"message":"later"}'`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in := bashTool("ls")
			in.CWD = dir
			reg := hook.NewRegistry()
			if _, err := reg.Add(hook.Registration{Event: in.Event(), Handler: sh(t, line), Async: hook.AsyncYes}); err != nil {
				t.Fatal(err)
			}
			eng := hook.New(reg)
			defer eng.Close()
			out, err := eng.Fire(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			r := late(t, out)
			if r.Result.SystemMessage != "later" || r.Report == nil || r.Report.ExitCode == nil {
				t.Errorf("%v %v %+v", r.Status, r.Err, r.Report)
			}
			if n := count(t, filepath.Join(dir, "starts")); n != 1 {
				t.Errorf("started %d times, want 1", n)
			}
		})
	}
}

// Without an engine, nobody may take over: then the first context still ends the
// process.
func TestGoingOnThatNobodyTakesOver(t *testing.T) {
	dir := t.TempDir()
	in := bashTool("ls")
	in.CWD = dir
	ctx, cancel := context.WithCancelCause(t.Context())
	res, _, err := handle(ctx, sh(t, `echo $$ > child; echo '{"async":true}'; sleep 60`), in)
	if err != nil || res.Async == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	cancel(hook.ErrTimeout)
	within(t, 10*time.Second, "the hook is dead", func() bool { return !alive(t, filepath.Join(dir, "child")) })
}
