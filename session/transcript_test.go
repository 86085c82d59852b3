package session_test

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/hookline-dev/hookline/session"
)

// record is what hooks read of a line of a transcript.
type record struct {
	Type       string  `json:"type"`
	Subtype    string  `json:"subtype"`
	UUID       string  `json:"uuid"`
	ParentUUID *string `json:"parentUuid"`
	SessionID  string  `json:"sessionId"`
	Timestamp  string  `json:"timestamp"`
	Cwd        string  `json:"cwd"`
	Version    string  `json:"version"`
	IsMeta     bool    `json:"isMeta"`
	Sidechain  bool    `json:"isSidechain"`
	AgentID    string  `json:"agentId"`
	Message    struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	} `json:"message"`
}

func records(t *testing.T, path string) []record {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []record
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var r record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", sc.Text(), err)
		}
		out = append(out, r)
	}
	return out
}

func TestTranscript(t *testing.T) {
	s := create(t)
	path := session.TranscriptPath(s.Path())
	opts := session.TranscriptOptions{SessionID: s.ID(), Cwd: "/work", Version: "1.2.3"}
	tr, err := session.OpenTranscript(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []session.Entry{
		user("hello"),
		assistant(call("a")),
		results("a"),
		{Type: session.Custom, CustomType: "state"},
		{Type: session.CustomMessage, CustomType: "note", Content: jsontext.Value(`"n"`)},
		{Type: session.Compaction, Summary: "short"},
	} {
		got, err := s.Append(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.Add(got); err != nil {
			t.Fatal(err)
		}
	}
	if err := tr.CatchUp(s); err != nil { // there is nothing to catch up with
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	rows := records(t, path)
	var shape []string
	for i, r := range rows {
		shape = append(shape, r.Type+":"+r.Message.Role)
		if _, err := uuid.Parse(r.UUID); err != nil || r.SessionID != s.ID() || r.Cwd != "/work" || r.Version != "1.2.3" || r.Timestamp == "" || r.Sidechain {
			t.Errorf("line %d: %+v, %v", i+1, r, err)
		}
		if (i == 0) != (r.ParentUUID == nil) || i > 0 && *r.ParentUUID != rows[i-1].UUID {
			t.Errorf("line %d hangs on %v", i+1, r.ParentUUID)
		}
	}
	if got := strings.Join(shape, " "); got != "user:user assistant:assistant user:user user:user system: user:user" {
		t.Errorf("lines %s", got)
	}
	if !rows[3].IsMeta || rows[4].Subtype != "compact_boundary" || string(rows[1].Message.Content) != "["+call("a")+"]" {
		t.Errorf("lines %+v", rows)
	}
}

func TestTranscriptAfterACrash(t *testing.T) {
	s := create(t)
	path := session.TranscriptPath(s.Path())
	opts := session.TranscriptOptions{SessionID: s.ID(), AgentID: "sub"}
	open := func() *session.Transcript {
		tr, err := session.OpenTranscript(path, opts)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	tr := open()
	first, err := s.Append(user("1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tr.Add(first), tr.Close()); err != nil {
		t.Fatal(err)
	}
	add(t, s, user("2"), user("3"))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("\n{\"foreign\":1}\nnot json\n{\"type\":\"us")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	tr = open()
	if err := errors.Join(tr.CatchUp(s), tr.CatchUp(s), tr.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	if len(lines) != 6 || lines[2] != `{"foreign":1}` || strings.Contains(string(b), "\"us\n") {
		t.Errorf("%d lines:\n%s", len(lines), b)
	}
	for i, want := range map[int]string{4: `"content":"2"`, 5: `"content":"3"`} {
		if !strings.Contains(lines[i], want) || !strings.Contains(lines[i], `"agentId":"sub"`) || !strings.Contains(lines[i], `"isSidechain":true`) {
			t.Errorf("line %d: %s", i+1, lines[i])
		}
	}
}

func TestTranscriptIsNotListed(t *testing.T) {
	s := create(t)
	tr, err := session.OpenTranscript(session.TranscriptPath(s.Path()), session.TranscriptOptions{SessionID: s.ID()})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if list, err := session.List(filepath.Dir(s.Path()), ""); err != nil || len(list) != 1 {
		t.Errorf("%d sessions, %v", len(list), err)
	}
}
