package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFilter(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r := Record{Time: at, Session: "s1", Event: "PreToolUse", Hook: "team/guard", Decision: "deny", Outcome: "deny", Status: "ran", Tool: "Bash"}
	for name, c := range map[string]struct {
		f    Filter
		want bool
	}{
		"empty": {Filter{}, true}, "session": {Filter{Session: "s1"}, true}, "other session": {Filter{Session: "S1"}, false},
		"event": {Filter{Event: "pretooluse"}, true}, "other event": {Filter{Event: "Stop"}, false},
		"hook": {Filter{Hook: "team/guard"}, true}, "pattern": {Filter{Hook: "team/*"}, true}, "beginning": {Filter{Hook: "team"}, false}, "other hook": {Filter{Hook: "guard"}, false},
		"bad pattern": {Filter{Hook: "["}, false}, "decision": {Filter{Decision: "deny"}, true}, "other decision": {Filter{Decision: "allow"}, false},
		"status": {Filter{Status: "ran"}, true}, "tool": {Filter{Tool: "Read"}, false},
		"since": {Filter{Since: at}, true}, "after": {Filter{Since: at.Add(1)}, false}, "until": {Filter{Until: at}, false}, "before": {Filter{Until: at.Add(1)}, true},
	} {
		if got := c.f.Match(&r); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestReadGoesOnAfterBadLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	lines := strings.SplitAfter(fill(t, path, 4), "\n")
	lines[1] = "garbage\n"
	lines[2] = strings.Replace(lines[2], "reason 2", "reason 8", 1)
	lines = slices.Insert(lines[:4], 3, strings.Repeat("x", maxLine+10)+"\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")+`{"half`), 0o600); err != nil {
		t.Fatal(err)
	}
	var good []string
	var bad []int
	for r, err := range Read(path, Filter{}) {
		if e, ok := errors.AsType[*LineError](err); ok {
			bad = append(bad, e.Line)
			if e.Line == 3 && r.Reason != "reason 8" {
				t.Errorf("the edited record is not there: %+v", r)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, r.Reason)
	}
	if fmt.Sprint(good) != "[reason 0 reason 3]" || fmt.Sprint(bad) != "[2 3 4 6]" {
		t.Errorf("good %v, bad %v", good, bad)
	}
	for range Read(path, Filter{}) {
		break // stopping early is fine
	}
	if n := len(collect(t, path+"none", Filter{})); n != 0 {
		t.Errorf("%d records of no log", n)
	}
}

// TestFollowAcrossRotation follows a log that is put aside many times, more often
// than it is looked at.
func TestFollowAcrossRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := New(Options{Path: path, Environ: []string{}, MaxBytes: 2048, Keep: 100})
	defer l.Close()
	must(t, l.Note(Record{Reason: "before"}))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	records := Follow(ctx, path, Filter{Hook: "wanted"}, 5*time.Millisecond)
	const n = 200
	done := make(chan error, 1)
	go func() {
		for i := range n {
			for _, name := range []string{"wanted", "other"} {
				if err := l.Note(Record{Hook: name, Reason: fmt.Sprint(i)}); err != nil {
					done <- err
					return
				}
			}
			if i%20 == 0 {
				time.Sleep(8 * time.Millisecond)
			}
		}
		done <- nil
	}()
	next := 0
	for r, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason != fmt.Sprint(next) {
			t.Fatalf("record %s, want %d", r.Reason, next)
		}
		if next++; next == n {
			break
		}
	}
	if next != n {
		t.Errorf("%d records of %d", next, n)
	}
	must(t, <-done)
}

func TestFollowALogThatIsNotThereYet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "audit.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	records := Follow(ctx, path, Filter{}, time.Millisecond)
	l := New(Options{Path: path, Environ: []string{}})
	defer l.Close()
	must(t, l.Note(Record{Reason: "first"}))
	for r, err := range records {
		if err != nil || r.Reason != "first" {
			t.Fatalf("%v %+v", err, r)
		}
		cancel() // the sequence ends with its context
	}
}

func TestSlow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := New(Options{Path: path, Environ: []string{}})
	defer l.Close()
	var all []Record
	for i := range 100 {
		all = append(all, Record{Kind: KindHook, Hook: "a", Event: "Stop", Status: "ran", DurationMS: float64(i), Phases: &Phases{RunMS: 10, StartMS: 2}})
	}
	all = append(all, Record{Kind: KindHook, Hook: "b", Status: "timed_out", DurationMS: 9000}, Record{Kind: KindHook, Hook: "c", Status: "skipped"}, Record{Kind: KindNote, Hook: "a"})
	must(t, l.write(all))
	got := Slow(Read(path, Filter{}))
	if len(got) != 2 || got[0].Hook != "b" || got[0].Failed != 1 || got[0].Phases != nil {
		t.Fatalf("%+v", got)
	}
	a := got[1]
	if a.Runs != 100 || a.MedianMS != 50 || a.P95MS != 95 || a.MaxMS != 99 || a.TotalMS != 4950 || a.Phases.RunMS != 10 || a.Phases.StartMS != 2 {
		t.Errorf("%+v", a)
	}
}

func FuzzRead(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed.jsonl")
	l := New(Options{Path: path, Environ: []string{}})
	for i := range 3 {
		if err := l.Note(Record{Reason: fmt.Sprint(i)}); err != nil {
			f.Fatal(err)
		}
	}
	l.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"seq":1,"hash":"` + strings.Repeat("0", 64) + "\"}\n"))
	f.Add([]byte("{\"half"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		good := 0
		for _, err := range Read(path, Filter{}) {
			if err == nil {
				good++
			}
		}
		report, err := Verify(Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if report.Records != good {
			t.Fatalf("%d records read, %d verified", good, report.Records)
		}
		// Whatever is there, the next record can be written and read.
		l := New(Options{Path: path, Environ: []string{}})
		defer l.Close()
		if err := l.Note(Record{Reason: "next"}); err != nil {
			t.Fatal(err)
		}
		last := ""
		for r, err := range Read(path, Filter{}) {
			if err == nil {
				last = r.Reason
			}
		}
		if last != "next" {
			t.Fatalf("the last record is %q", last)
		}
	})
}
