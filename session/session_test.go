package session_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/session"
)

func create(t testing.TB) *session.Session {
	t.Helper()
	s, err := session.Create(t.TempDir(), session.Options{Cwd: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func reopen(t testing.TB, s *session.Session) *session.Session {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := session.Open(s.Path(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	return again
}

func user(text string) session.Entry {
	q, _ := json.Marshal(text)
	return session.Entry{Type: session.Message, Message: jsontext.Value(`{"role":"user","content":` + string(q) + `}`)}
}

func assistant(blocks string) session.Entry {
	return session.Entry{Type: session.Message, Message: jsontext.Value(`{"role":"assistant","content":[` + blocks + `]}`)}
}

func results(ids ...string) session.Entry {
	var blocks []string
	for _, id := range ids {
		blocks = append(blocks, `{"type":"tool_result","tool_use_id":"`+id+`","content":[]}`)
	}
	return session.Entry{Type: session.Message, Message: jsontext.Value(`{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`)}
}

func call(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"Bash","input":{}}` }

func add(t testing.TB, s *session.Session, entries ...session.Entry) (ids []string) {
	t.Helper()
	for _, e := range entries {
		got, err := s.Append(e)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, got.ID)
	}
	return ids
}

// context lists what would be sent, a word for each message.
func context(t testing.TB, s *session.Session) string {
	t.Helper()
	items, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range items {
		if !it.Message.IsValid() {
			t.Fatalf("not valid: %s", it.Message)
		}
		var m struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		}
		if err := json.Unmarshal(it.Message, &m); err != nil {
			t.Fatal(err)
		}
		word := m.Role[:1] + ":"
		var blocks []struct {
			Type      string `json:"type"`
			Text      string `json:"text"`
			ID        string `json:"id"`
			ToolUseID string `json:"tool_use_id"`
		}
		if m.Content.Kind() == '"' {
			word += strings.Trim(string(m.Content), `"`)
		} else if err := json.Unmarshal(m.Content, &blocks); err != nil {
			t.Fatal(err)
		}
		for i, b := range blocks {
			if i > 0 {
				word += "+"
			}
			switch b.Type {
			case "text":
				_, after, _ := strings.Cut(b.Text, "\n\n")
				word += "text(" + after + ")"
			case "tool_use":
				word += "call(" + b.ID + ")"
			case "tool_result":
				word += "result(" + b.ToolUseID + ")"
			}
		}
		if it.Repaired {
			word += "!"
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// each runs a test on a session in a file and on one in memory.
func each(t *testing.T, f func(t *testing.T, s *session.Session)) {
	t.Run("file", func(t *testing.T) { f(t, create(t)) })
	t.Run("memory", func(t *testing.T) { f(t, session.Memory(session.Options{Cwd: "/work"})) })
}

func TestTree(t *testing.T) {
	each(t, func(t *testing.T, s *session.Session) {
		ids := add(t, s, user("1"), user("2"), user("3"))
		if s.Leaf() != ids[2] {
			t.Errorf("leaf %s, want the last entry", s.Leaf())
		}
		if _, err := s.Navigate(ids[0], nil); err != nil {
			t.Fatal(err)
		}
		side := add(t, s, user("2b"))
		if got := context(t, s); got != "u:1 u:2b" {
			t.Errorf("context %q", got)
		}
		sum, err := s.Navigate(ids[2], &session.Summary{Text: "tried 2b", Details: jsontext.Value(`{"n":1}`), FromHook: true})
		if err != nil {
			t.Fatal(err)
		}
		if sum.FromID != side[0] || sum.ParentID != ids[2] || !sum.FromHook || s.Leaf() != sum.ID {
			t.Errorf("summary entry %+v, leaf %s", sum, s.Leaf())
		}
		if got := context(t, s); got != "u:1 u:2 u:3 u:text(tried 2b)" {
			t.Errorf("context %q", got)
		}
		children, err := s.Children(ids[0])
		if err != nil || !slices.Equal(children, []string{ids[1], side[0]}) {
			t.Errorf("children %v, %v", children, err)
		}
		if common, err := s.CommonAncestor(side[0], sum.ID); err != nil || common != ids[0] {
			t.Errorf("common ancestor %q, %v", common, err)
		}
		if _, err := s.Navigate("", nil); err != nil || s.Leaf() != "" {
			t.Errorf("navigating before the first entry: leaf %q, %v", s.Leaf(), err)
		}
		add(t, s, user("other root"))
		if got := context(t, s); got != "u:other root" {
			t.Errorf("context %q", got)
		}
		if _, err := s.Navigate("nowhere", nil); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("navigating to an entry that isn't there: %v", err)
		}
		n := 0
		for e, err := range s.Entries() {
			if err != nil || e.ID == "" || e.Time.IsZero() {
				t.Errorf("entry %+v, %v", e, err)
			}
			n++
		}
		if n != s.Len() || n != 8 {
			t.Errorf("%d entries yielded, Len %d, want 8", n, s.Len())
		}
	})
}

func TestReopenKeepsTheState(t *testing.T) {
	s := create(t)
	ids := add(t, s, user("1"), user("2"), session.Entry{Type: session.Custom, CustomType: "todo", Data: jsontext.Value(`[1,12345678901234567890,"\ud800"]`)})
	if err := s.Label(ids[0], "start"); err != nil {
		t.Fatal(err)
	}
	if err := s.Label(ids[1], "gone"); err != nil {
		t.Fatal(err)
	}
	if err := s.Label(ids[1], ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Navigate(ids[1], nil); err != nil {
		t.Fatal(err)
	}
	first, err := s.AddPending("a", "hook a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddPending("b", "hook b"); err != nil {
		t.Fatal(err)
	}
	answer := assistant(`{"type":"text","text":"x"}`)
	answer.Consumed = []string{first.ID}
	add(t, s, answer)

	r := reopen(t, s)
	if r.ID() != s.ID() || r.Leaf() != s.Leaf() || r.Len() != s.Len() || r.Header().Cwd != "/work" || len(r.Warnings()) != 0 {
		t.Errorf("reopened as %s at %s with %d entries, %v; was %s at %s with %d", r.ID(), r.Leaf(), r.Len(), r.Warnings(), s.ID(), s.Leaf(), s.Len())
	}
	if r.LabelOf(ids[0]) != "start" || r.LabelOf(ids[1]) != "" {
		t.Errorf("labels %q, %q", r.LabelOf(ids[0]), r.LabelOf(ids[1]))
	}
	if p := r.Pending(); len(p) != 1 || p[0].Text != "b" || p[0].Source != "hook b" {
		t.Errorf("pending %+v", p)
	}
	e, err := r.Entry(ids[2])
	if err != nil || string(e.Data) != `[1,12345678901234567890,"\ud800"]` || e.CustomType != "todo" {
		t.Errorf("custom entry %s %q, %v", e.Data, e.CustomType, err)
	}
	if got := context(t, r); got != "u:1 u:2 a:text()" {
		t.Errorf("context %q", got)
	}
	if fmt.Sprint(r.Header().Created) != fmt.Sprint(s.Header().Created) {
		t.Errorf("created %v, was %v", r.Header().Created, s.Header().Created)
	}
}

func TestPendingIsDeliveredOnce(t *testing.T) {
	each(t, func(t *testing.T, s *session.Session) {
		a, err := s.AddPending("a", "")
		if err != nil {
			t.Fatal(err)
		}
		if s.Leaf() != "" {
			t.Error("pending context became the leaf")
		}
		if err := s.Consume(a.ID); err != nil || len(s.Pending()) != 0 {
			t.Errorf("Consume: %v, pending %v", err, s.Pending())
		}
		if err := s.Consume(a.ID); !errors.Is(err, session.ErrConsumed) {
			t.Errorf("a second delivery: %v", err)
		}
		b, err := s.AddPending("b", "")
		if err != nil {
			t.Fatal(err)
		}
		n := s.Len()
		for _, ids := range [][]string{{b.ID, a.ID}, {b.ID, b.ID}, {b.ID, "nothing"}} {
			if err := s.Consume(ids...); err == nil {
				t.Errorf("Consume(%v) succeeded", ids)
			}
		}
		if s.Len() != n || len(s.Pending()) != 1 {
			t.Errorf("a refused delivery left a trace: %d entries, pending %v", s.Len(), s.Pending())
		}
	})
}

func TestBranch(t *testing.T) {
	each(t, func(t *testing.T, s *session.Session) {
		ids := add(t, s, user("1"), user("2"), user("3"))
		for i, l := range []string{"one", "", "three"} {
			if err := s.Label(ids[i], l); err != nil {
				t.Fatal(err)
			}
		}
		for _, title := range []string{"first", "last"} {
			if err := s.SetTitle(title); err != nil {
				t.Fatal(err)
			}
		}
		p, err := s.AddPending("for the old one", "")
		if err != nil {
			t.Fatal(err)
		}
		unknown := user("4")
		unknown.Extra = jsontext.Value(`{"later":{"x":[1]}}`)
		unknown.Consumed = []string{p.ID}
		last := add(t, s, unknown)[0]
		if _, err := s.AddPending("another", ""); err != nil {
			t.Fatal(err)
		}
		b, err := s.Branch(ids[1], session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if got := context(t, b); got != "u:1 u:2" {
			t.Errorf("context %q", got)
		}
		if b.ID() == s.ID() || b.Header().Cwd != "/work" || b.LabelOf(ids[0]) != "one" || b.Title() != "last" || len(b.Pending()) != 0 {
			t.Errorf("branch %s in %s, label %q, title %q, pending %v", b.ID(), b.Header().Cwd, b.LabelOf(ids[0]), b.Title(), b.Pending())
		}
		want := s.Path()
		if want == "" {
			want = s.ID()
		}
		if b.Header().ParentSession != want {
			t.Errorf("parent session %q, want %q", b.Header().ParentSession, want)
		}
		whole, err := s.Branch(last, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		if s.Path() != "" {
			whole = reopen(t, whole)
		}
		e, err := whole.Entry(last)
		if err != nil || string(e.Extra) != `{"later":{"x":[1]}}` || len(e.Consumed) != 0 {
			t.Errorf("copied entry %+v, %v", e, err)
		}
		add(t, whole, user("5"))
		if got := context(t, s); got != "u:1 u:2 u:3 u:4" {
			t.Errorf("the old session changed: %q", got)
		}
	})
}

func TestContextAfterCompaction(t *testing.T) {
	compaction := func(first string) session.Entry {
		return session.Entry{Type: session.Compaction, Summary: "sum", FirstKeptEntryID: first, TokensBefore: 9, FromHook: true}
	}
	custom := session.Entry{Type: session.CustomMessage, CustomType: "x", Content: jsontext.Value(`"custom"`)}
	tests := []struct {
		name    string
		before  []session.Entry
		keep    int // index into before; -1 keeps nothing
		after   []session.Entry
		want    string
		pending int
	}{
		{"kept and followed", []session.Entry{user("1"), user("2"), custom, user("3")}, 2, []session.Entry{user("4")}, "u:text(sum) u:custom u:3 u:4", 0},
		{"nothing kept", []session.Entry{user("1")}, -1, nil, "u:text(sum)", 0},
		{"a result keeps its call", []session.Entry{user("1"), assistant(call("a")), results("a"), user("2")}, 2, nil, "u:text(sum) a:call(a) u:result(a) u:2", 0},
		{"and what lies between", []session.Entry{user("1"), assistant(call("a") + "," + call("b")), results("a"), results("b")}, 3, nil, "u:text(sum) a:call(a)+call(b) u:result(a) u:result(b)", 0},
		{"two results, two calls", []session.Entry{assistant(call("a")), results("a"), assistant(call("b")), results("b")}, 3, nil, "u:text(sum) a:call(b) u:result(b)", 0},
		{"a second compaction", []session.Entry{user("0"), {Type: session.Compaction, Summary: "old"}, user("1"), user("2")}, 3, nil, "u:text(sum) u:2", 0},
		{"an older compaction in what is kept", []session.Entry{user("0"), {Type: session.Compaction, Summary: "old"}, user("1")}, 0, nil, "u:text(sum) u:0 u:1", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := session.Memory(session.Options{})
			ids := add(t, s, tt.before...)
			first := "nothing"
			if tt.keep >= 0 {
				first = ids[tt.keep]
			}
			add(t, s, compaction(first))
			add(t, s, tt.after...)
			if got := context(t, s); got != tt.want {
				t.Errorf("context %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCallsAndResultsArePaired(t *testing.T) {
	tests := []struct {
		name       string
		entries    []session.Entry
		want       string
		unanswered string
	}{
		{"complete", []session.Entry{user("1"), assistant(call("a")), results("a")}, "u:1 a:call(a) u:result(a)", ""},
		{"interrupted at the end", []session.Entry{user("1"), assistant(call("a") + "," + call("b")), results("a")}, "u:1 a:call(a)+call(b) u:result(a) u:result(b)!", "b"},
		{"interrupted before a message", []session.Entry{assistant(call("a")), user("2")}, "a:call(a) u:result(a)! u:2", ""},
		{"a result without a call", []session.Entry{user("1"), results("x"), user("2")}, "u:1 u:2", ""},
		{"one of two without a call", []session.Entry{assistant(call("a")), results("a", "x")}, "a:call(a) u:result(a)!", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := session.Memory(session.Options{})
			add(t, s, tt.entries...)
			if got := context(t, s); got != tt.want {
				t.Errorf("context %q, want %q", got, tt.want)
			}
			if got, err := s.Unanswered(); err != nil || strings.Join(got, " ") != tt.unanswered {
				t.Errorf("unanswered %v, %v; want %s", got, err, tt.unanswered)
			}
		})
	}
}

func TestAppendRefuses(t *testing.T) {
	each(t, func(t *testing.T, s *session.Session) {
		for name, e := range map[string]session.Entry{
			"no type":             {},
			"odd type":            {Type: "a\"b"},
			"no message":          {Type: session.Message},
			"message not JSON":    {Type: session.Message, Message: jsontext.Value(`{`)},
			"message no object":   {Type: session.Message, Message: jsontext.Value(`[]`)},
			"two values":          {Type: session.Message, Message: jsontext.Value(`{} {}`)},
			"custom without type": {Type: session.Custom},
			"extra overrides":     {Type: "x", Extra: jsontext.Value(`{"id":"y"}`)},
			"extra no object":     {Type: "x", Extra: jsontext.Value(`1`)},
			"label of nothing":    {Type: session.Label, TargetID: "x"},
			"leaf of nothing":     {Type: session.Leaf, TargetID: "x"},
		} {
			before := s.Len()
			if _, err := s.Append(e); err == nil {
				t.Errorf("%s: appended", name)
			}
			if s.Len() != before {
				t.Errorf("%s: %d entries, were %d", name, s.Len(), before)
			}
		}
		add(t, s, user("still works"))
		if s.Path() != "" {
			reopen(t, s)
		}
	})
}

func TestLineBreaksInPayloads(t *testing.T) {
	s := create(t)
	id := add(t, s, session.Entry{Type: session.Message, Message: jsontext.Value("{\n  \"role\": \"user\",\r\n  \"content\": \"a\\nb\"\n}")})[0]
	e, err := reopen(t, s).Entry(id)
	if err != nil || string(e.Message) != `{"role":"user","content":"a\nb"}` {
		t.Errorf("%s, %v", e.Message, err)
	}
}

func TestDamage(t *testing.T) {
	s := create(t)
	add(t, s, user("1"), user("2"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(string(good), "\n")
	head, one, two := rows[0], rows[1], rows[2]
	tests := []struct {
		name, text string
		line       int // of the damage; 0: the file opens
		entries    int
		warnings   int
	}{
		{"whole", head + one + two, 0, 2, 0},
		{"torn", head + one + two[:len(two)/2], 0, 1, 1},
		{"torn to one byte", head + one + two[:1], 0, 1, 1},
		{"torn by zeros", head + one + "\x00\x00\x00", 0, 1, 1},
		{"only the line break is missing", head + one + strings.TrimSuffix(two, "\n"), 0, 2, 0},
		{"only the header", head, 0, 0, 0},
		{"only the header, no line break", strings.TrimSuffix(head, "\n"), 0, 0, 0},
		{"empty", "", 1, 0, 0},
		{"torn header", head[:10], 1, 0, 0},
		{"another file", "{\"type\":\"user\"}\n", 1, 0, 0},
		{"half a line in the middle", head + one[:20] + "\n" + two, 2, 0, 0},
		{"an empty line", head + "\n" + one, 2, 0, 0},
		{"unknown parent", head + two, 2, 0, 0},
		{"an id twice", head + one + one, 3, 0, 0},
		{"two values in a line", head + one[:len(one)-1] + "{}\n" + two, 2, 0, 0},
		{"garbage that ends", head + one + "garbage\n", 3, 0, 0},
		{"no type", head + `{"id":"x","parentId":null}` + "\n", 2, 0, 0},
		{"version 0", strings.Replace(head, `"version":1`, `"version":0`, 1), 1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.session.jsonl")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, readOnly := range []bool{true, false} {
				s, err := session.Open(path, session.Options{ReadOnly: readOnly})
				if tt.line > 0 {
					d, ok := errors.AsType[*session.DamageError](err)
					if !ok || d.Line != tt.line {
						t.Fatalf("read-only %v: %v, want damage in line %d", readOnly, err, tt.line)
					}
					if after, _ := os.ReadFile(path); string(after) != tt.text {
						t.Fatalf("a damaged file was changed")
					}
					continue
				}
				if err != nil {
					t.Fatalf("read-only %v: %v", readOnly, err)
				}
				defer s.Close()
				if s.Len() != tt.entries || len(s.Warnings()) != tt.warnings {
					t.Errorf("%d entries, warnings %v", s.Len(), s.Warnings())
				}
				if after, _ := os.ReadFile(path); readOnly && string(after) != tt.text {
					t.Error("opening read-only changed the file")
				}
				if readOnly {
					if _, err := s.Append(user("x")); !errors.Is(err, session.ErrReadOnly) {
						t.Errorf("append to a read-only session: %v", err)
					}
					continue
				}
				add(t, s, user("next"))
				if r := reopen(t, s); r.Len() != tt.entries+1 || len(r.Warnings()) != 0 {
					t.Errorf("after one more: %d entries, warnings %v", r.Len(), r.Warnings())
				}
			}
		})
	}
}

func TestNewerVersionIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.session.jsonl")
	if err := os.WriteFile(path, []byte(`{"type":"session","version":7,"id":"x","cwd":"/","timestamp":{"new":"shape"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := session.Open(path, session.Options{})
	if v, ok := errors.AsType[*session.VersionError](err); !ok || v.Version != 7 || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("got %v", err)
	}
}

func TestUnknownTypesAndFieldsAreKept(t *testing.T) {
	s := create(t)
	first := add(t, s, user("1"))[0]
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(s.Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Members in another order, unknown ones, and a type of a later time.
	_, err = fmt.Fprintf(f, `{"timestamp":"2030-01-02T03:04:05Z","shape":{"id":"no","type":"no"},"parentId":%q,"id":"new1","type":"hologram"}`+"\n", first)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := session.Open(s.Path(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	e, err := r.Entry("new1")
	if err != nil || e.Type != "hologram" || string(e.Extra) != `{"shape":{"id":"no","type":"no"}}` || r.Leaf() != "new1" || e.ParentID != first {
		t.Errorf("%+v (%s), leaf %s, %v", e, e.Extra, r.Leaf(), err)
	}
	add(t, r, user("2"))
	if got := context(t, r); got != "u:1 u:2" {
		t.Errorf("context %q", got)
	}
}

func TestListAndResume(t *testing.T) {
	dir := t.TempDir()
	if list, err := session.List(filepath.Join(dir, "missing"), ""); err != nil || list != nil {
		t.Errorf("a directory that isn't there: %v, %v", list, err)
	}
	if _, err := session.Latest(dir, ""); !errors.Is(err, session.ErrNone) {
		t.Errorf("no session: %v", err)
	}
	var paths []string
	for i, cwd := range []string{"/a", "/b", "/a"} {
		s, err := session.Create(dir, session.Options{Cwd: cwd, ID: fmt.Sprintf("id%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		add(t, s, session.Entry{Type: session.Custom, CustomType: "x"}, assistant(`{"type":"text","text":"hi"}`), user(fmt.Sprintf("question\n %d", i)))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(s.Path(), at, at); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, s.Path())
	}
	if err := os.WriteFile(filepath.Join(dir, "bad.session.jsonl"), []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := session.List(dir, "")
	if len(list) != 3 || err == nil || !strings.Contains(err.Error(), "bad.session.jsonl") {
		t.Errorf("%d sessions, error %v", len(list), err)
	}
	if list[0].Path != paths[2] || list[0].First != "question 2" {
		t.Errorf("first is %s: %q", list[0].Path, list[0].First)
	}
	if list, _ := session.List(dir, "/b"); len(list) != 1 || list[0].Path != paths[1] {
		t.Errorf("sessions of /b: %v", list)
	}
	info, err := session.Latest(dir, "/a")
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(info.Path, session.Options{})
	if err != nil || s.Path() != paths[2] {
		t.Fatalf("resumed %v, %v", s, err)
	}
	defer s.Close()
	if info, err := session.Find(dir, "id1"); err != nil || info.Path != paths[1] {
		t.Errorf("Find: %v, %v", info, err)
	}
	if _, err := session.Find(dir, "id"); err == nil || !strings.Contains(err.Error(), "beginning of 3") {
		t.Errorf("an ambiguous id: %v", err)
	}
	if _, err := session.Find(dir, "zz"); err == nil {
		t.Error("an id that isn't there was found")
	}
}

func TestCreateRefusesOddIDs(t *testing.T) {
	for _, id := range []string{"../x", "a/b", "a b", strings.Repeat("x", 200)} {
		if _, err := session.Create(t.TempDir(), session.Options{ID: id}); err == nil {
			t.Errorf("id %q was accepted", id)
		}
	}
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits there")
	}
	s := create(t)
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestConcurrentUse(t *testing.T) {
	each(t, func(t *testing.T, s *session.Session) {
		add(t, s, user("0"))
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for range 50 {
					if i == 0 {
						add(t, s, user("x"))
						continue
					}
					if _, err := s.Context(); err != nil {
						t.Error(err)
					}
					for _, err := range s.Entries() {
						if err != nil {
							t.Error(err)
						}
					}
					s.Leaf()
					s.Pending()
				}
			})
		}
		wg.Wait()
		if s.Len() != 51 {
			t.Errorf("%d entries", s.Len())
		}
	})
}

func TestClosed(t *testing.T) {
	each(t, func(t *testing.T, s *session.Session) {
		id := add(t, s, user("1"))[0]
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(user("2")); !errors.Is(err, session.ErrClosed) {
			t.Errorf("append: %v", err)
		}
		if _, err := s.Entry(id); !errors.Is(err, session.ErrClosed) {
			t.Errorf("entry: %v", err)
		}
		if err := s.Sync(); !errors.Is(err, session.ErrClosed) {
			t.Errorf("sync: %v", err)
		}
	})
}
