package recording_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/internal/recording"
	"github.com/hookline-dev/hookline/internal/redact"
)

const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

func add(t *testing.T, s *recording.Store, agent, session, payload string) {
	t.Helper()
	red := redact.New([]string{"DEPLOY_TOKEN=correct horse battery"})
	if err := s.Add(t.Context(), red, recording.Entry{Agent: agent, Event: "PreToolUse", Session: session, Dir: "/p", Payload: []byte(payload)}); err != nil {
		t.Fatal(err)
	}
}

// payloads are those of a session, or what went wrong.
func payloads(s *recording.Store, agent, session string) (out []string) {
	for e, err := range s.Read(agent, session) {
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		out = append(out, string(e.Payload))
	}
	return out
}

func TestPayloadsAreKeptInOrderWithoutSecrets(t *testing.T) {
	s := recording.In(t.TempDir())
	add(t, s, "claude", "s1", `{ "tool_input": {"n": 9007199254740993, "command": "curl -H 'Authorization: Bearer `+token+`'"}}`)
	add(t, s, "claude", "s2", `{}`)
	add(t, s, "codex", "s1", `{"a":1}`)
	add(t, s, "claude", "s1", `{"say":"correct horse battery"}`)
	add(t, s, "claude", "s1", `not JSON: `+token)
	got := payloads(s, "claude", "s1")
	if len(got) != 3 || !strings.HasPrefix(got[0], `{"tool_input":{"n":9007199254740993,"command":"curl`) || got[1] != `{"say":"[redacted:env]"}` || !strings.HasPrefix(got[2], `"not JSON: [redacted`) {
		t.Errorf("kept are %q", got)
	}
	if of := payloads(s, "claude", ""); len(of) != 4 || len(payloads(s, "", "")) != 5 {
		t.Errorf("all of an agent are %q", of)
	}
	if text := strings.Join(payloads(s, "", ""), ""); strings.Contains(text, token) || strings.Contains(text, "horse") {
		t.Errorf("secrets in %s", text)
	}
}

func TestNobodyElseMayReadThem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of unix")
	}
	s := &recording.Store{Dir: filepath.Join(t.TempDir(), "recordings")}
	if err := os.Mkdir(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	add(t, s, "claude", "s", `{}`)
	err := filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsTooOldOrTooMuchGoes(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	s := &recording.Store{Dir: t.TempDir(), MaxBytes: 4096, Now: func() time.Time { return now }}
	add(t, s, "claude", "long", `{"day":1}`)
	now = now.AddDate(0, 0, 29)
	add(t, s, "claude", "long", `{"day":30}`)
	if got := payloads(s, "claude", "long"); len(got) != 2 {
		t.Errorf("after 29 days %q", got)
	}
	now = now.AddDate(0, 0, 3)
	add(t, s, "claude", "long", `{"day":33}`)
	if got := payloads(s, "claude", "long"); len(got) != 2 || got[0] != `{"day":30}` {
		t.Errorf("after 32 days %q", got)
	}
	for i := range 50 {
		add(t, s, "claude", fmt.Sprint(i), `{"text":"`+strings.Repeat("x", 400)+`"}`)
		var size int64
		files, _ := filepath.Glob(filepath.Join(s.Dir, "*.jsonl"))
		for _, f := range files {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
		if size > s.MaxBytes {
			t.Fatalf("%d bytes after %d", size, i)
		}
	}
	if got := payloads(s, "claude", "49"); len(got) != 1 {
		t.Errorf("the newest is %q", got)
	}
}

func TestSessionsAreListedAndRemoved(t *testing.T) {
	now := time.Date(2026, 1, 1, 23, 59, 0, 0, time.UTC)
	s := &recording.Store{Dir: filepath.Join(t.TempDir(), "none"), Now: func() time.Time { return now }}
	if list, err := s.Sessions(); err != nil || len(list) > 0 {
		t.Errorf("before anything was kept: %v, %v", list, err)
	}
	add(t, s, "claude", "over midnight", `{}`)
	add(t, s, "codex", "s", `{}`)
	now = now.Add(2 * time.Minute)
	add(t, s, "claude", "over midnight", `{}`)
	list, err := s.Sessions()
	if err != nil || len(list) != 2 || list[0].ID != "over midnight" || list[0].Entries != 2 || list[0].Dir != "/p" || list[0].Last.Sub(list[0].First) != 2*time.Minute {
		t.Errorf("listed are %+v, %v", list, err)
	}
	if err := s.Remove(t.Context(), "claude", "over midnight"); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), "claude", "over midnight"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there was removed: %v", err)
	}
	if list, err := s.Sessions(); err != nil || len(list) != 1 || list[0].Agent != "codex" {
		t.Errorf("left are %+v, %v", list, err)
	}
}

// TestATornLineCostsItselfOnly has a file whose middle was torn, and one that ends early.
func TestATornLineCostsItselfOnly(t *testing.T) {
	s := recording.In(t.TempDir())
	add(t, s, "claude", "s", `{"a":1}`)
	files, _ := filepath.Glob(filepath.Join(s.Dir, "*.jsonl"))
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	text := string(whole) + "{torn\n" + string(whole) + string(whole[:len(whole)/2])
	if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := payloads(s, "claude", "s")
	if len(got) != 4 || got[0] != `{"a":1}` || !strings.Contains(got[1], ".jsonl:2") || got[2] != `{"a":1}` || !strings.Contains(got[3], ".jsonl:4") {
		t.Errorf("read are %q", got)
	}
	if list, err := s.Sessions(); err == nil || len(list) != 1 || list[0].Entries != 2 {
		t.Errorf("listed are %+v, %v", list, err)
	}
}

func TestSeveralRecordAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s := recording.In(dir)
			for range 20 {
				add(t, s, "claude", "s", `{"text":"`+strings.Repeat("x", 9000)+`"}`)
			}
		})
	}
	all.Wait()
	if got := payloads(recording.In(dir), "claude", "s"); len(got) != 160 || strings.Contains(strings.Join(got, ""), "read a recording") {
		t.Errorf("%d were kept", len(got))
	}
}
