package session_test

import (
	"errors"
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
