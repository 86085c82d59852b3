package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/session"
)

const fuzzHeader = `{"type":"session","version":1,"id":"f","cwd":"/","timestamp":"2026-01-02T03:04:05.000Z"}` + "\n"

// FuzzOpen opens whatever bytes there are. What opens can be read in full,
// appended to, and opened again with nothing lost.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		"",
		fuzzHeader,
		fuzzHeader + `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"x"}}` + "\n",
		fuzzHeader + `{"type":"pending_context","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05Z","text":"x"}` + "\n" + `{"type":"message","id":"b","parentId":null,"timestamp":"2026-01-02T03:04:05Z","consumed":["a"],"message":{}}`,
		fuzzHeader + `{"type":"compaction","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05Z","summary":"s","firstKeptEntryId":"b"}` + "\n" + `{"type":"leaf","id":"c","parentId":"a","targetId":"a","timestamp":"2026-01-02T03:04:05Z"}` + "\n",
		fuzzHeader + `{"message":{"content":[{"type":"tool_result","tool_use_id":"q"}]},"id":"a","type":"message"}` + "\n" + `{"a`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "f.session.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = session.Describe(path)
		s, err := session.Open(path, session.Options{NoSync: true})
		if err != nil {
			if after, _ := os.ReadFile(path); string(after) != string(data) {
				t.Fatal("a file that doesn't open was changed")
			}
			return
		}
		defer s.Close()
		readable := true
		for _, err := range s.Entries() {
			readable = readable && err == nil
		}
		if items, err := s.Context(); err == nil {
			for _, it := range items {
				if it.Repaired && !it.Message.IsValid() && !strings.Contains(string(data), `\u`) {
					t.Fatalf("a repair is not valid JSON: %s", it.Message)
				}
			}
		} else if readable {
			t.Fatalf("everything can be read, but the context can't: %v", err)
		}
		n := s.Len()
		if _, err := s.Append(user("more")); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := session.Open(path, session.Options{NoSync: true})
		if err != nil || again.Len() != n+1 || len(again.Warnings()) != 0 {
			t.Fatalf("opened again: %v", err)
		}
		if err := errors.Join(again.Close()); err != nil {
			t.Fatal(err)
		}
	})
}
