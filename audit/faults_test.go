package audit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// unwritable are ways in which a log cannot be written to.
var unwritable = map[string]func(t *testing.T, path string){
	"a directory in its place": func(t *testing.T, path string) { must(t, os.MkdirAll(path, 0o700)) },
	"a file in the way":        func(t *testing.T, path string) { must(t, os.WriteFile(filepath.Dir(path), nil, 0o600)) },
	"a link": func(t *testing.T, path string) {
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		target := filepath.Join(t.TempDir(), "precious")
		must(t, os.WriteFile(target, []byte("precious"), 0o600))
		if err := os.Symlink(target, path); err != nil {
			t.Skipf("no links here: %v", err)
		}
		t.Cleanup(func() {
			if data, _ := os.ReadFile(target); string(data) != "precious" {
				t.Errorf("the link's target says %q", data)
			}
		})
	},
	"a full device": func(t *testing.T, path string) {
		if _, err := os.Stat("/dev/full"); err != nil {
			t.Skip("there is no /dev/full here")
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.Symlink("/dev/full", path))
	},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnwritableLogStopsNobody(t *testing.T) {
	for name, spoil := range unwritable {
		t.Run(name, func(t *testing.T) {
			var warned []error
			l, path := newLog(t, func(o *Options) { o.Warn = func(err error) { warned = append(warned, err) } })
			if name == "a file in the way" {
				must(t, os.RemoveAll(filepath.Dir(path)))
			}
			spoil(t, path)
			reg := hook.NewRegistry()
			hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.Result{}, nil })
			e := hook.New(reg, hook.WithRecorder(l))
			defer e.Close()
			for range 3 {
				if out := fire(t, e, "s", "ls"); out.Blocked() {
					t.Errorf("blocked: %s", out.Reason)
				}
			}
			if len(warned) != 1 || l.Dropped() != 3 {
				t.Errorf("%d warnings, %d dropped", len(warned), l.Dropped())
			}
		})
	}
}

func TestRequiredLogDenies(t *testing.T) {
	for name, spoil := range unwritable {
		t.Run(name, func(t *testing.T) {
			l, path := newLog(t, func(o *Options) { o.Required, o.Warn = true, nil })
			spoil2 := func() {
				must(t, os.RemoveAll(filepath.Dir(path)))
				spoil(t, path)
			}
			reg := hook.NewRegistry()
			hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.Allow(), nil })
			hook.On(reg, func(context.Context, *hook.Stop) (hook.Result, error) { return hook.Result{}, nil })
			hook.On(reg, func(context.Context, *hook.SessionBeforeSwitch) (hook.Result, error) { return hook.Result{}, nil })
			hook.On(reg, func(context.Context, *hook.Notification) (hook.Result, error) { return hook.Result{}, nil })
			e := hook.New(reg, hook.WithRecorder(l))
			defer e.Close()
			if out := fire(t, e, "s", "ls"); out.Blocked() {
				t.Fatalf("blocked although it is on record: %s", out.Reason)
			}
			spoil2()
			out := fire(t, e, "s", "ls")
			if out.Decision != hook.DecisionDeny || out.DecidedBy != "audit" || !strings.Contains(out.Reason, "could not be written") {
				t.Errorf("%+v", out)
			}
			// An agent that wants to stop is not kept going by it.
			stop, err := e.Fire(t.Context(), &hook.Stop{})
			if err != nil || stop.Blocked() || stop.KeepGoing || len(stop.Notices) == 0 {
				t.Errorf("%v %+v", err, stop)
			}
			if o, err := e.Fire(t.Context(), &hook.SessionBeforeSwitch{}); err != nil || !o.Cancel {
				t.Errorf("%v %+v", err, o)
			}
			if o, err := e.Fire(t.Context(), &hook.Notification{}); err != nil || o.Blocked() || len(o.Notices) == 0 {
				t.Errorf("%v %+v", err, o)
			}
		})
	}
}

// TestDiskFullAndRoomAgain fills a small disk and makes room.
func TestDiskFullAndRoomAgain(t *testing.T) {
	dir := tinyDisk(t)
	var warned int
	l, path := newLog(t, func(o *Options) {
		o.Path, o.Warn = filepath.Join(dir, "log", "audit.jsonl"), func(error) { warned++ }
	})
	must(t, l.Note(Record{Reason: "first"}))
	fill, err := os.Create(filepath.Join(dir, "fill"))
	must(t, err)
	for chunk := make([]byte, 4096); err == nil; {
		_, err = fill.Write(chunk)
	}
	must(t, fill.Close())
	lost := uint64(0)
	for range 60 {
		if err := l.Note(Record{Reason: strings.Repeat("x", 3000)}); err != nil {
			lost++
		}
	}
	if lost == 0 || l.Dropped() != lost || warned != 1 {
		t.Fatalf("%d lost, %d dropped, %d warnings", lost, l.Dropped(), warned)
	}
	intact(t, path)
	must(t, os.Remove(filepath.Join(dir, "fill")))
	must(t, l.Note(Record{Reason: "room again"}))
	report := intact(t, path)
	if report.Dropped != lost {
		t.Errorf("the log says that %d were dropped, want %d", report.Dropped, lost)
	}
	r := collect(t, path, Filter{})
	if r[len(r)-1].Reason != "room again" || r[len(r)-2].Kind != KindDropped {
		t.Errorf("%+v", r[len(r)-2:])
	}
}

func TestLockedByAnotherProcessForLong(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the lock")
	}
	l, path := newLog(t, func(o *Options) { o.Warn = nil })
	must(t, l.Note(Record{}))
	blocker, err := fsx.TryLock(path + ".lock")
	must(t, err)
	start := time.Now()
	if err := l.Note(Record{}); err == nil {
		t.Error("written under another's lock")
	}
	if d := time.Since(start); d > 5*time.Minute {
		t.Errorf("waited %v", d)
	}
	must(t, blocker.Unlock())
	must(t, l.Note(Record{}))
	intact(t, path)
}

func TestLateAnswers(t *testing.T) {
	l, path := newLog(t)
	l.Late(hook.LateResult{Hook: &hook.Info{Name: "bg", Event: hook.EventPostToolUse}, Seq: 4, SessionID: "s", Status: hook.StatusRan, Result: hook.Deny("late"), Duration: time.Second})
	r := collect(t, path, Filter{})
	if len(r) != 1 || !r[0].Late || r[0].Reason != "late" || r[0].DurationMS != 1000 || r[0].Event != "PostToolUse" {
		t.Errorf("%+v", r)
	}
}

func TestParseLevel(t *testing.T) {
	for s, want := range map[string]struct {
		level    Level
		off, bad bool
	}{"": {Records, false, false}, "records": {Records, false, false}, "full": {Full, false, false}, "off": {Records, true, false}, "FULL": {Full, false, false}, "all": {Records, false, true}} {
		level, off, err := ParseLevel(s)
		if level != want.level || off != want.off || (err != nil) != want.bad {
			t.Errorf("%q: %v %t %v", s, level, off, err)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	l := New(Options{Path: filepath.Join(b.TempDir(), "audit.jsonl"), Environ: []string{}})
	defer l.Close()
	in := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": "go test ./..."})}
	out := &hook.Outcome{Event: hook.EventPreToolUse, Runs: []hook.Run{{Hook: &hook.Info{Name: "guard", Event: hook.EventPreToolUse}, Status: hook.StatusRan}}}
	for b.Loop() {
		l.Record(b.Context(), in, out)
	}
}
