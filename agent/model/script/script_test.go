package script_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t *testing.T, text string) *script.Provider {
	t.Helper()
	p, err := script.Parse([]byte(text), script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ask(t *testing.T, p model.Provider, msgs ...model.Message) (*model.Response, error) {
	t.Helper()
	return model.Accumulate(p.Stream(t.Context(), &model.Request{Model: "script", System: []string{"sys"}, Messages: msgs}), nil)
}

func TestTurns(t *testing.T) {
	p := parse(t, `
turns:
  - thinking: hm
    text: "I'll look ✓ around."
    tool_calls:
      - {name: Bash, input: {command: ls, n: 9007199254740993, z: [1, 2.50, true, null, "x"], a: {}}}
      - {name: Read, raw: '{"file_path": "/x'}
      - {name: LS, id: mine}
    chunks: 4
  - expect: {last_tool_result: "^error: .*gone", tools: []}
    text: Done.
    usage: {input: 5, output: 6}
`)
	got, err := ask(t, p, model.UserText("go"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Message.Text() != "I'll look ✓ around." || got.Message.Content[0].Thinking != "hm" || got.Reason != model.StopToolUse {
		t.Errorf("got %+v", got)
	}
	calls := got.Message.ToolUses()
	if want := `{"command":"ls","n":9007199254740993,"z":[1,2.50,true,null,"x"],"a":{}}`; string(calls[0].Input) != want {
		t.Errorf("input %s, want %s", calls[0].Input, want)
	}
	if calls[1].InputError == "" || calls[1].InputText() != `{"file_path": "/x` || calls[2].ID != "mine" || calls[0].ID == calls[1].ID {
		t.Errorf("got %+v", calls)
	}
	if p.Remaining() != 1 {
		t.Errorf("%d turns remain", p.Remaining())
	}
	result := model.Message{Role: model.User, Content: []model.Block{model.ToolError(calls[0].ID, "file is gone")}}
	got, err = ask(t, p, model.UserText("go"), result)
	if err != nil || got.Message.Text() != "Done." || got.Reason != model.StopEndTurn || got.Usage.OutputTokens != 6 {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = ask(t, p, model.UserText("again"))
	if err == nil || !strings.Contains(err.Error(), "run out of turns") || !strings.Contains(err.Error(), "call 3") || model.IsRetryable(err) {
		t.Errorf("got %v", err)
	}
}

func TestExpect(t *testing.T) {
	tests := []struct{ expect, problem string }{
		{`{last_user: "^hello$", first_user: hello, system: sys, any: hel, model: script, messages: 1}`, ""},
		{`{last_user: bye}`, `last_user does not match "bye": "hello"`},
		{`{last_tool_result: x}`, `last_tool_result does not match "x": ""`},
		{`{not: "h.l"}`, `it holds "hel", which matches "h.l"`},
		{`{tools: [Bash]}`, "the tool Bash is not offered"},
		{`{messages: 2}`, "it has 1 messages, not 2"},
	}
	for _, tt := range tests {
		p := parse(t, "turns:\n  - {text: ok, expect: "+tt.expect+"}\n")
		_, err := ask(t, p, model.UserText("hello"))
		if (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s: got %v, want %q", tt.expect, err, tt.problem)
		}
	}
}

func TestWhenAndRepeat(t *testing.T) {
	p := parse(t, `
turns:
  - {when: {first_user: alpha}, text: "for alpha"}
  - {when: {first_user: beta}, text: "for beta", repeat: 2}
  - {text: "for anyone", repeat: -1}
`)
	var got []string
	for _, who := range []string{"beta", "alpha", "beta", "beta", "gamma"} {
		r, err := ask(t, p, model.UserText(who))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Message.Text())
	}
	if want := []string{"for beta", "for alpha", "for beta", "for anyone", "for anyone"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if p.Remaining() != 0 {
		t.Errorf("%d remain", p.Remaining())
	}
}

func TestErrors(t *testing.T) {
	p := parse(t, `
turns:
  - error: {status: 529, retry_after: 0.01}
  - error: {status: 401, type: authentication_error, message: no}
  - {text: half of this, error: {type: overloaded_error}}
  - {text: "0123456789", truncate: true, chunks: 2}
  - {text: whole, tool_calls: [{name: Bash, input: {command: ls}}], truncate: true}
`)
	tests := []struct {
		kind  model.ErrorKind
		after time.Duration
		text  string
	}{
		{model.KindOverloaded, 10 * time.Millisecond, ""},
		{model.KindAuth, 0, ""},
		{model.KindOverloaded, 0, "half of this"},
		{model.KindTruncated, 0, "01234"},
		{model.KindTruncated, 0, "whole"},
	}
	for i, tt := range tests {
		got, err := ask(t, p, model.UserText("x"))
		e, ok := errors.AsType[*model.APIError](err)
		if !ok || e.Kind != tt.kind || e.RetryAfter != tt.after || got.Message.Text() != tt.text || len(got.Message.ToolUses()) != 0 {
			t.Errorf("turn %d: got %+v, %v", i+1, got, err)
		}
	}
}

func TestDelayEndsWithTheContext(t *testing.T) {
	for _, text := range []string{"{text: x, delay: 1h}", "{text: xyz, chunks: 3, chunk_delay: 3600}"} {
		p := parse(t, "turns:\n  - "+text+"\n")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := model.Accumulate(p.Stream(ctx, &model.Request{}), nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestBadScripts(t *testing.T) {
	tests := []struct{ text, problem string }{
		{"", "no documents"},
		{"turns: []", "no turns"},
		{"turns:\n  - {}\n", "turn 1: it has no text"},
		{"turns:\n  - {text: a}\n  - {txt: b}\n", "line 3"},
		{"turns:\n  - {text: a, text: b}\n", "line 2"},
		{"turns:\n  - {text: a, expect: {last_user: '('}}\n", "line 2"},
		{"turns:\n  - {text: a, delay: soon}\n", "line 2"},
		{"turns:\n  - tool_calls: [{input: {}}]\n", "turn 1: tool call 1: it has no name"},
		{"turns:\n  - tool_calls: [{name: X, input: {}, raw: x}]\n", "not both"},
		{"turns:\n  - tool_calls: [{name: X, input: {a: .inf}}]\n", "no JSON form"},
		{"turns: [{text: a}]\n---\nturns: []\n", "document"},
	}
	for _, tt := range tests {
		_, err := script.Parse([]byte(tt.text), script.Options{})
		if err == nil || !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.problem)
		}
	}
}

func TestLog(t *testing.T) {
	var log bytes.Buffer
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte("turns: [{text: a}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := script.Load(file, script.Options{Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, p, model.UserText("one"))
	ask(t, p, model.UserText("two"))
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `{"call":1,"turn":1,"request":{"model":"script","system":["sys"],`) ||
		!strings.Contains(lines[1], `"error":"script: invalid request: the script has run out`) {
		t.Errorf("got %q", lines)
	}
	if _, err := script.Load(file+".none", script.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentCallsGetEachTurnOnce(t *testing.T) {
	p := parse(t, "turns: [{text: a, repeat: 100, tool_calls: [{name: X}]}]")
	var mu sync.Mutex
	ids := map[string]bool{}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			got, err := model.Accumulate(p.Stream(t.Context(), &model.Request{}), nil)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			ids[got.Message.ToolUses()[0].ID] = true
		})
	}
	wg.Wait()
	if len(ids) != 100 || p.Remaining() != 0 {
		t.Errorf("%d ids, %d turns remain", len(ids), p.Remaining())
	}
}

func TestDemo(t *testing.T) {
	p, err := script.Demo(script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := ask(t, p, model.UserText("x")); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkTurn(b *testing.B) {
	p, err := script.Parse([]byte("turns: [{repeat: -1, text: hello, tool_calls: [{name: Bash, input: {command: ls}}]}]"), script.Options{})
	if err != nil {
		b.Fatal(err)
	}
	req := &model.Request{Messages: []model.Message{model.UserText("x")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := model.Accumulate(p.Stream(b.Context(), req), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"turns: [{text: a}]", "turns: [{tool_calls: [{name: X, input: {a: 0x10, b: 1_0, c: .nan}}]}]",
		"turns:\n  - &a {text: x}\n  - *a\n", "turns: [{text: x, expect: {any: '('}}]", "a: &a [*a]",
		"turns: [{tool_calls: [{name: X, input: &i {self: *i}}]}]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := script.Parse([]byte(s), script.Options{})
		if err != nil {
			return
		}
		if p == nil {
			t.Fatal("no provider and no error")
		}
	})
}
