package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTampering does to a log what a person would who wants to hide something.
func TestTampering(t *testing.T) {
	const n = 10
	swap := func(l []string, i, j int) []string { l[i], l[j] = l[j], l[i]; return l }
	for name, c := range map[string]struct {
		tamper func(l []string) []string
		kinds  string
	}{
		"nothing":              {func(l []string) []string { return l }, ""},
		"a word changed":       {func(l []string) []string { l[4] = strings.Replace(l[4], "reason 4", "reason 9", 1); return l }, "edited"},
		"a decision changed":   {func(l []string) []string { l[4] = strings.Replace(l[4], "deny", "none", 1); return l }, "edited"},
		"a member added":       {func(l []string) []string { l[4] = strings.Replace(l[4], `{`, `{"pid2":1,`, 1); return l }, "edited"},
		"the first changed":    {func(l []string) []string { l[0] = strings.Replace(l[0], "reason 0", "reason x", 1); return l }, "edited"},
		"the last changed":     {func(l []string) []string { l[9] = strings.Replace(l[9], "reason 9", "reason x", 1); return l }, "edited"},
		"its hash changed":     {func(l []string) []string { l[4] = flip(l[4], len(l[4])-5); return l }, "edited edited"},
		"a blank added":        {func(l []string) []string { l[4] = strings.Replace(l[4], `,"kind"`, `, "kind"`, 1); return l }, "edited"},
		"one removed":          {func(l []string) []string { return append(l[:4], l[5:]...) }, "missing"},
		"three removed":        {func(l []string) []string { return append(l[:3], l[6:]...) }, "missing"},
		"the first removed":    {func(l []string) []string { return l[1:] }, "missing"},
		"the last removed":     {func(l []string) []string { return l[:9] }, "end"},
		"all removed":          {func(l []string) []string { return nil }, "end"},
		"two exchanged":        {func(l []string) []string { return swap(l, 3, 4) }, "missing order missing"},
		"one repeated":         {func(l []string) []string { return append(l[:5], l[4:]...) }, "order"},
		"one moved to the end": {func(l []string) []string { return append(append(l[:4:4], l[5:]...), l[4]) }, "missing order"},
		"a foreign line":       {func(l []string) []string { l[4] += "hello\n"; return l }, "foreign"},
		"an empty line":        {func(l []string) []string { l[4] += "\n"; return l }, "foreign"},
		"another log's line":   {func(l []string) []string { l[4] = foreign(t, 5); return l }, "edited edited"},
		"joined lines":         {func(l []string) []string { l[4] = strings.TrimSuffix(l[4], "\n"); return l }, "foreign missing"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			lines := strings.SplitAfter(fill(t, path, n), "\n")[:n]
			if err := os.WriteFile(path, []byte(strings.Join(c.tamper(lines), "")), 0o600); err != nil {
				t.Fatal(err)
			}
			report, err := Verify(Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, f := range report.Faults {
				kinds = append(kinds, f.Kind)
				if f.Message == "" || f.Path != path || !strings.Contains(f.String(), "audit.jsonl") {
					t.Errorf("%+v", f)
				}
			}
			if got := strings.Join(kinds, " "); got != c.kinds {
				t.Errorf("faults %q, want %q: %v", got, c.kinds, report.Faults)
			}
		})
	}
}

// fill writes records and returns the log's text.
func fill(t *testing.T, path string, n int) string {
	t.Helper()
	l := New(Options{Path: path, Environ: []string{}})
	for i := range n {
		if err := l.Note(Record{Reason: fmt.Sprintf("reason %d", i), Decision: "deny"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// foreign is the line with a number of another log.
func foreign(t *testing.T, seq int) string {
	t.Helper()
	return strings.SplitAfter(fill(t, filepath.Join(t.TempDir(), "other.jsonl"), seq), "\n")[seq-1]
}

func flip(s string, i int) string {
	c := byte('0')
	if s[i] == '0' {
		c = '1'
	}
	return s[:i] + string(c) + s[i+1:]
}

// TestTamperingAcrossFiles removes and changes what was put aside, and what lies
// beside the log.
func TestTamperingAcrossFiles(t *testing.T) {
	rotated := func(t *testing.T) string {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		l := New(Options{Path: path, Environ: []string{}, MaxBytes: 2048, Keep: 20})
		defer l.Close()
		for i := range 40 {
			if err := l.Note(Record{Reason: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		intact(t, path)
		return path
	}
	for name, c := range map[string]struct {
		tamper func(path string) error
		kind   string
	}{
		"a file in the middle removed": {func(p string) error { return errors.Join(os.Remove(p+".3"), renumber(p, 3)) }, FaultMissing},
		"the oldest removed":           {func(p string) error { return os.Remove(oldest(p)) }, FaultMissing},
		"all that was put aside":       {func(p string) error { return remove(aside(p)) }, FaultMissing},
		"the log itself":               {func(p string) error { return os.Remove(p) }, FaultEnd},
		"the log cut":                  {func(p string) error { return os.Truncate(p, 0) }, FaultEnd},
		"two files exchanged": {func(p string) error {
			return errors.Join(os.Rename(p+".1", p+".x"), os.Rename(p+".2", p+".1"), os.Rename(p+".x", p+".2"))
		}, FaultOrder},
		"half a line at the end of one": {func(p string) error {
			info, err := os.Stat(p + ".2")
			return errors.Join(err, os.Truncate(p+".2", info.Size()-20))
		}, FaultTorn},
	} {
		t.Run(name, func(t *testing.T) {
			path := rotated(t)
			if err := c.tamper(path); err != nil {
				t.Fatal(err)
			}
			report, err := Verify(Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range report.Faults {
				found = found || f.Kind == c.kind
			}
			if !found {
				t.Errorf("faults %v, want one of kind %s", report.Faults, c.kind)
			}
		})
	}
	t.Run("what was removed stays missing", func(t *testing.T) {
		path := rotated(t)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		fill(t, path, 3)
		if report, err := Verify(Options{Path: path}); err != nil || report.Intact() {
			t.Errorf("%v %+v", err, report)
		}
	})
}

// aside lists the files that were put aside.
func aside(path string) []string {
	names, _ := filepath.Glob(path + ".[0-9]*")
	return names
}

func oldest(path string) string { return fmt.Sprintf("%s.%d", path, len(aside(path))) }

func remove(names []string) error {
	for _, n := range names {
		if err := os.Remove(n); err != nil {
			return err
		}
	}
	return nil
}

// renumber closes the gap that a removed file left.
func renumber(path string, gap int) error {
	for i := gap + 1; ; i++ {
		err := os.Rename(fmt.Sprintf("%s.%d", path, i), fmt.Sprintf("%s.%d", path, i-1))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func TestVerifyWithoutALog(t *testing.T) {
	if _, err := Verify(Options{Path: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := os.Mkdir(filepath.Join(t.TempDir(), "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(Options{Path: t.TempDir()}); err == nil {
		t.Error("a directory is a log")
	}
}
