package backtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/redact"
)

// home writes sessions of ours, each with as many calls as its number says.
func home(t *testing.T, calls ...int) dialect.Dirs {
	t.Helper()
	d := dialect.Dirs{State: t.TempDir()}
	for i, n := range calls {
		var b strings.Builder
		fmt.Fprintf(&b, `{"type":"session","version":1,"id":"s%d","cwd":"/p","timestamp":"2026-01-02T10:00:00Z"}`+"\n", i)
		for k := range n {
			fmt.Fprintf(&b, `{"type":"message","id":"m%d","timestamp":"2026-01-02T10:00:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"call %d of s%d"}}]}}`+"\n", k, k, k, i)
		}
		path := filepath.Join(d.State, "sessions", fmt.Sprintf("s%d.jsonl", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 1, 9-i, 0, 0, 0, 0, time.UTC) // s0 is the newest, which comes first
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// TestInterruptedRunGoesOn ends a run in the second of three sessions: what was done is not
// done again, and the report is that of a run in one go.
func TestInterruptedRunGoesOn(t *testing.T) {
	d := home(t, 2, 3, 4)
	sessions, err := Sessions([]dialect.Archive{own}, d, func(string) string { return "" }, time.Time{})
	if err != nil || len(sessions) != 3 {
		t.Fatal(sessions, err)
	}
	stop := errors.New("stop")
	var fired []string
	breaks := true
	o := Options{
		Sessions: sessions, Events: Events, Redact: redact.New(nil).Clip, Kept: filepath.Join(d.State, "kept"),
		Fire: func(_ context.Context, in hook.Input) (hook.Outcome, error) {
			command := in.(*hook.PreToolUse).ToolInput.String("command")
			if fired = append(fired, command); breaks && command == "call 1 of s1" {
				return hook.Outcome{}, stop
			}
			out := hook.Outcome{Event: in.Event(), Decision: hook.DecisionDeny, Runs: []hook.Run{{Hook: &hook.Info{Name: "guard"}, Status: hook.StatusRan, Decision: hook.DecisionDeny, Reason: "no"}}}
			return out, nil
		},
	}
	if _, err := Run(t.Context(), o); !errors.Is(err, stop) {
		t.Fatalf("the interrupted run: %v", err)
	}
	fired, breaks = nil, false
	rep, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(fired) != 7 || fired[0] != "call 0 of s1" {
		t.Errorf("the second run fired %q", fired)
	}
	if rep.Sessions != 3 || rep.Events != 9 || len(rep.Groups) != 1 || rep.Groups[0].Count != 9 || len(rep.Groups[0].Examples) != maxExamples || rep.Hooks[0].Runs != 9 {
		t.Errorf("the report: %+v, groups %+v", rep, rep.Groups)
	}
	if _, err := os.Stat(o.Kept); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was kept is still there: %v", err)
	}
}

// TestFailedRunsDoNotCount has hooks that fail and that were refused something.
func TestFailedRunsDoNotCount(t *testing.T) {
	d := home(t, 1)
	sessions, err := Sessions([]dialect.Archive{own}, d, func(string) string { return "" }, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(name, stderr string, status hook.Status, err error) hook.Run {
		return hook.Run{Hook: &hook.Info{Name: name}, Status: status, Decision: hook.DecisionDeny, Err: err, Report: &hook.Report{Stderr: stderr}}
	}
	rep, err := Run(t.Context(), Options{
		Sessions: sessions, Events: Events, Redact: redact.New(nil).Clip,
		Fire: func(context.Context, hook.Input) (hook.Outcome, error) {
			return hook.Outcome{Runs: []hook.Run{
				run("fails", "", hook.StatusFailed, errors.New("exit 1")),
				run("writes", "sh: /x: Permission denied", hook.StatusRan, nil),
				run("sound", "a remark", hook.StatusRan, nil),
				run("skipped", "", hook.StatusSkipped, nil),
			}}, nil
		},
		// The other version decides nothing, which no sound comparison can say here.
		Old: func(context.Context, hook.Input) (hook.Outcome, error) { return hook.Outcome{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Groups) != 1 || rep.Groups[0].Hook != "sound" || len(rep.Differences) != 0 {
		t.Errorf("groups %+v, differences %+v", rep.Groups, rep.Differences)
	}
	var got []string
	for _, h := range rep.Hooks {
		got = append(got, fmt.Sprintf("%s %d %d %d", h.Hook, h.Runs, h.Failed, h.Refused))
	}
	if s := strings.Join(got, ", "); s != "fails 1 1 0, sound 1 0 0, writes 1 0 1" {
		t.Errorf("hooks: %s", s)
	}
}

// TestReasonsAreBounded has every call denied for a reason of its own.
func TestReasonsAreBounded(t *testing.T) {
	var list []*Group
	for i := range 3 * maxGroups {
		find(&list, Key{Hook: "guard", Answer: "deny", Reason: fmt.Sprint(i)}).add(Example{})
	}
	if len(list) != maxGroups+1 || list[maxGroups].Count != 2*maxGroups {
		t.Errorf("%d groups, the last one of %d", len(list), list[len(list)-1].Count)
	}
}

// TestLongLinesArePassedOver reads a line that is too long between two others.
func TestLongLinesArePassedOver(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("one\n" + strings.Repeat("x", maxLine+1) + "\nthree"))
	var got []string
	for range 3 {
		line, whole, err := readLine(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(string(line))+fmt.Sprint(" ", whole))
	}
	if s := strings.Join(got, ", "); s != "one true, {} false, three true" {
		t.Error(s)
	}
}
