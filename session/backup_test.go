package session_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/session"
)

func TestWhatFilesHeld(t *testing.T) {
	s, err := session.Create(t.TempDir(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keep := func(path, content string, there bool) {
		t.Helper()
		if err := s.BackUp(path, []byte(content), there); err != nil {
			t.Fatal(err)
		}
	}
	since := func(id string) string {
		t.Helper()
		list, err := s.BackupsSince(id)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, k := range list {
			switch {
			case k.Lost:
				out = append(out, k.Path+" lost")
			case k.New:
				out = append(out, k.Path+" new")
			default:
				out = append(out, k.Path+" "+string(k.Content))
			}
		}
		return strings.Join(out, ", ")
	}
	entry := func() string {
		e, err := s.Append(session.Entry{Type: session.Custom, CustomType: "mark"})
		if err != nil {
			t.Fatal(err)
		}
		return e.ID
	}
	keep("before", "1", true)
	first := entry()
	if got := since(first); got != "" {
		t.Error(got)
	}
	keep("a", "", false)
	second := entry()
	path := strings.TrimSuffix(s.Path(), ".session.jsonl") + ".files.jsonl"
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"at":2,"path":"cut o`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	keep("a", "2", true)
	keep("a", "3", true)
	keep("big", strings.Repeat("x", 4<<20+1), true)
	keep("empty", "", true)
	if got := since(first); got != "a new, big lost, empty " {
		t.Error(got)
	}
	if got := since(second); got != "a 2, big lost, empty " {
		t.Error(got)
	}
	if err := os.Truncate(path, 128<<20); err != nil {
		t.Fatal(err)
	}
	keep("b", "4", true)
	if f, err = os.Open(path); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	added, err := io.ReadAll(io.NewSectionReader(f, 128<<20, 1000))
	if want := "\n{\"at\":2,\"path\":\"b\",\"lost\":true}\n"; err != nil || string(added) != want {
		t.Errorf("%v, it is %q", err, added)
	}

	none := session.Memory(session.Options{})
	if err := none.BackUp("a", nil, true); err != nil {
		t.Error(err)
	}
	if _, err := none.BackupsSince(""); err == nil {
		t.Error("a session in memory has kept files")
	}
}
