package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/hook"
)

// childVar makes the test binary act as another process that writes: "path|name|n".
const childVar = "AUDIT_TEST_CHILD"

func TestMain(m *testing.M) {
	if spec := os.Getenv(childVar); spec != "" {
		os.Exit(child(spec))
	}
	goleak.VerifyTestMain(m)
}

func child(spec string) int {
	parts := strings.Split(spec, "|")
	n, err := strconv.Atoi(parts[2])
	if err != nil {
		return 2
	}
	l := New(Options{Path: parts[0], MaxBytes: 64 << 10, Keep: 50, Environ: []string{}, Warn: func(err error) { fmt.Fprintln(os.Stderr, err) }})
	for i := 0; n == 0 || i < n; i++ {
		_ = l.Note(Record{Hook: parts[1], Reason: strconv.Itoa(i)})
	}
	if l.Dropped() > 0 {
		return 1
	}
	return 0
}

// newLog is a log in a directory of its own.
func newLog(t *testing.T, change ...func(*Options)) (*Log, string) {
	t.Helper()
	o := Options{Path: filepath.Join(t.TempDir(), "audit", "audit.jsonl"), Environ: []string{}, Warn: func(err error) { t.Errorf("warned: %v", err) }}
	for _, c := range change {
		c(&o)
	}
	l := New(o)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l, o.Path
}

// engine fires through hooks that deny, allow, fail, time out, are skipped and are
// not approved.
func engine(t *testing.T, l *Log) *hook.Engine {
	t.Helper()
	reg := hook.NewRegistry()
	add := func(name string, h hook.HandlerFunc, change func(*hook.Registration)) {
		r := hook.Registration{Event: hook.EventPreToolUse, Name: name, Dialect: "claude", Source: "/p/settings.json:3", Scope: "project", Handler: h}
		if change != nil {
			change(&r)
		}
		if _, err := reg.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	code := 2
	add("denies", func(_ context.Context, c *hook.Call) (hook.Result, error) {
		c.Report = &hook.Report{ExitCode: &code, Stderr: "no rm", StderrBytes: 5, StdoutBytes: 7, Phases: hook.Phases{Start: time.Millisecond, Run: 2 * time.Millisecond}}
		return hook.Deny("no rm"), nil
	}, nil)
	add("fails", func(context.Context, *hook.Call) (hook.Result, error) { return hook.Result{}, errors.New("broken") }, nil)
	add("fails closed", func(context.Context, *hook.Call) (hook.Result, error) {
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "garbage")
	}, func(r *hook.Registration) { r.OnFailure = hook.FailClosed })
	add("slow", func(ctx context.Context, _ *hook.Call) (hook.Result, error) {
		<-ctx.Done()
		return hook.Result{}, ctx.Err()
	}, func(r *hook.Registration) { r.Timeout = 5 * time.Millisecond })
	add("not approved", nil, func(r *hook.Registration) { r.Inactive = "untrusted"; r.Handler = nil })
	allows := func(context.Context, *hook.Call) (hook.Result, error) { return hook.Result{}, nil }
	write, err := hook.ParseMatcher("Write")
	if err != nil {
		t.Fatal(err)
	}
	add("other command", allows, func(r *hook.Registration) {
		r.Condition = func(hook.Input) (hook.Matched, string) { return hook.MatchNo, "another command" }
	})
	add("other tool", allows, func(r *hook.Registration) { r.Matcher = write })
	e := hook.New(reg, hook.WithRecorder(l), hook.WithTrace())
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

func fire(t *testing.T, e *hook.Engine, session, command string) hook.Outcome {
	t.Helper()
	out, err := e.Fire(t.Context(), &hook.PreToolUse{
		Common: hook.Common{SessionID: session}, ToolName: "Bash", ToolUseID: "tu1", ToolInput: hook.MustJSON(map[string]string{"command": command}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// collect reads all records and fails on an error.
func collect(t *testing.T, path string, f Filter) []Record {
	t.Helper()
	var out []Record
	for r, err := range Read(path, f) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// intact fails unless the log is.
func intact(t *testing.T, path string) Report {
	t.Helper()
	r, err := Verify(Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Intact() {
		t.Fatalf("faults: %v", r.Faults)
	}
	return r
}
