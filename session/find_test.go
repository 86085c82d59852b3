package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/session"
)

func TestFindSaysWhatThereIs(t *testing.T) {
	dir := t.TempDir()
	if _, err := session.Find(dir, "x"); !errors.Is(err, session.ErrNone) {
		t.Errorf("in an empty directory: %v", err)
	}
	for range 5 {
		s, err := session.Create(dir, session.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		add(t, s, user(strings.Repeat("a question ", 10)))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := session.Find(dir, s.ID())
		if err != nil || info.ID != s.ID() {
			t.Errorf("%v, %v", info, err)
		}
		for _, file := range []string{s.Path(), strings.TrimPrefix(s.Path(), dir)[1:]} {
			if info, err := session.Find(dir, file); err != nil || info.ID != s.ID() {
				t.Errorf("%s: %v, %v", file, info, err)
			}
		}
	}
	_, err := session.Find(dir, "nosuch")
	missing, ok := errors.AsType[*session.NotFoundError](err)
	if !ok || missing.ID != "nosuch" || len(missing.Last) != 3 {
		t.Fatalf("%v", err)
	}
	for _, info := range missing.Last {
		if !strings.Contains(err.Error(), info.ID+" (a question a question a question a ques…)") {
			t.Errorf("%v does not name %s", err, info.ID)
		}
	}
	if strings.Contains(err.Error(), "no session yet") {
		t.Error(err)
	}
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	s, err := session.Create(dir, session.Options{ID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := session.Create(dir, session.Options{ID: "one-more"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(session.TranscriptPath(s.Path()), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[*session.LockedError](session.Remove(s.Path())); !ok {
		t.Error("one that is open was removed")
	}
	for _, s := range []*session.Session{s, other} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := session.Remove(s.Path()); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) == 0 {
		t.Fatal(left, err)
	}
	for _, path := range left {
		if !strings.HasPrefix(path, other.Path()) {
			t.Errorf("%s is left", path)
		}
	}
	if session.Remove(filepath.Join(dir, "x")) == nil || session.Remove(s.Path()) == nil {
		t.Error("what is not a session was removed")
	}
}
