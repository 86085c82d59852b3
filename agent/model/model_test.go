package model_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/agent/model"
)

func TestParseInput(t *testing.T) {
	tests := []struct {
		text, want string
		invalid    bool
	}{
		{`{"a":1}`, `{"a":1}`, false},
		{" {\"id\": 9007199254740993}\n", "{\"id\": 9007199254740993}", false},
		{"", "{}", false},
		{" \n", "{}", false},
		{`{"a":`, `"{\"a\":"`, true},
		{`{"a":1} x`, `"{\"a\":1} x"`, true},
		{`{"a":1}{"a":2}`, `"{\"a\":1}{\"a\":2}"`, true},
		{`{"a":1,"a":2}`, `"{\"a\":1,\"a\":2}"`, true},
		{`[1]`, `"[1]"`, true},
		{`"s"`, `"\"s\""`, true},
		{`null`, `"null"`, true},
		{"{\"a\":\"\xff\"}", `"{\"a\":\"` + "\uFFFD" + `\"}"`, true},
	}
	for _, tt := range tests {
		got, problem := model.ParseInput(tt.text)
		if string(got) != tt.want || (problem != "") != tt.invalid {
			t.Errorf("ParseInput(%q) = %s, %q; want %s, invalid %v", tt.text, got, problem, tt.want, tt.invalid)
		}
		if !got.IsValid() {
			t.Errorf("ParseInput(%q) is not valid JSON: %s", tt.text, got)
		}
	}
}

func FuzzParseInput(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":`, "", `{"a":1,"a":2}`, "\xff", `[[[[`, "{} {}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, problem := model.ParseInput(text)
		if !v.IsValid() {
			t.Fatalf("not valid JSON: %s", v)
		}
		b := model.ToolUse("id", "T", text)
		if obj := b.ObjectInput(); obj.Kind() != '{' || !obj.IsValid() {
			t.Fatalf("ObjectInput is not an object: %s", obj)
		}
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		var back model.Block
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		compact := b.Input.Clone()
		if err := compact.Compact(); err != nil {
			t.Fatal(err)
		}
		if string(back.Input) != string(compact) || (problem != "") != (back.InputError != "") {
			t.Fatalf("round trip: %+v, want %+v", back, b)
		}
	})
}

func TestMessageJSON(t *testing.T) {
	m := model.Message{Role: model.Assistant, Content: []model.Block{
		{Type: model.ThinkingBlock, Thinking: "hm", Signature: "sig"},
		model.Text("hello <b>"),
		model.ToolUse("toolu_1", "Bash", `{"command":"\u006cs\/", "n":9007199254740993, "f":1.50}`),
		model.ToolError("toolu_1", "no"),
	}}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},` +
		`{"type":"text","text":"hello <b>"},` +
		`{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"\u006cs\/","n":9007199254740993,"f":1.50}},` +
		`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"no"}],"is_error":true}]}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

func events(err error, evs ...model.Event) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		for _, ev := range evs {
			if !yield(ev, nil) {
				return
			}
		}
		if err != nil {
			yield(model.Event{}, err)
		}
	}
}

func TestAccumulate(t *testing.T) {
	call := model.ToolUse("1", "Bash", `{}`)
	whole := []model.Event{
		{Kind: model.Start, ID: "m", Model: "x"},
		{Kind: model.TextDelta, Index: 0, Text: "he"},
		{Kind: model.ToolCallStart, Index: 1, ID: "1", Name: "Bash"},
		{Kind: model.BlockEnd, Index: 1, Block: call}, // blocks may interleave
		{Kind: model.TextDelta, Index: 0, Text: "llo"},
		{Kind: model.BlockEnd, Index: 0, Block: model.Text("hello")},
		{Kind: model.UsageReport, Usage: model.Usage{InputTokens: 3}},
		{Kind: model.Stop, Reason: model.StopToolUse},
	}
	t.Run("whole", func(t *testing.T) {
		got, err := model.Accumulate(events(nil, whole...), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := &model.Response{
			ID: "m", Model: "x", Usage: model.Usage{InputTokens: 3}, Reason: model.StopToolUse,
			Message: model.Message{Role: model.Assistant, Content: []model.Block{model.Text("hello"), call}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("no stop", func(t *testing.T) {
		_, err := model.Accumulate(events(nil, whole[:7]...), nil)
		if e, ok := errors.AsType[*model.APIError](err); !ok || e.Kind != model.KindTruncated || !model.IsRetryable(err) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cut call is dropped, cut text kept", func(t *testing.T) {
		fail := errors.New("cut")
		got, err := model.Accumulate(events(fail, whole[:3]...), nil)
		if !errors.Is(err, fail) {
			t.Errorf("got %v", err)
		}
		want := model.Message{Role: model.Assistant, Content: []model.Block{model.Text("he")}}
		if diff := cmp.Diff(want, got.Message); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("observer ends it", func(t *testing.T) {
		enough := errors.New("enough")
		n := 0
		_, err := model.Accumulate(events(nil, whole...), func(model.Event) error {
			if n++; n == 2 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || n != 2 {
			t.Errorf("got %v after %d events", err, n)
		}
	})
}

func TestPrices(t *testing.T) {
	p := model.DefaultPrices()
	p["openai/gpt-5"] = model.Price{Input: 100, Output: 1}
	tests := []struct {
		name  string
		input float64
		ok    bool
	}{
		{"anthropic/claude-sonnet-4-5-20250929", 3, true},
		{"anthropic/claude-sonnet-4-5", 3, true},
		{"anthropic/claude-opus-4-5-20251101", 5, true},
		{"anthropic/claude-opus-4-20250514", 15, true},
		{"anthropic/claude-opus-4-99", 0, false},
		{"openai/gpt-5-2025-08-07", 100, true},
		{"openai/gpt-5-pro", 0, false},
		{"ollama/qwen3:8b", 0, true},
		{"script:x.yaml", 0, true},
		{"nobody/nothing", 0, false},
	}
	for _, tt := range tests {
		got, ok := p.Lookup(tt.name)
		if got.Input != tt.input || ok != tt.ok {
			t.Errorf("Lookup(%s) = %v, %v; want %v, %v", tt.name, got.Input, ok, tt.input, tt.ok)
		}
	}
	cost := p["openai/gpt-5"].Cost(model.Usage{InputTokens: 10_000, OutputTokens: 1_000_000})
	if cost != 2 {
		t.Errorf("cost = %v", cost)
	}
}

func TestEstimateTokens(t *testing.T) {
	got := model.EstimateTokens(
		model.UserText("12345678"),
		model.Message{Content: []model.Block{
			model.ToolUse("id", "Bash", `{"a":1}`),
			model.ToolResult("id", model.Text("1234"), model.Block{Type: model.ImageBlock, Source: &model.Image{Data: "xxxxxxxxxxxx"}}),
		}},
	)
	if want := int64((8+4+7+4+3)/4 + 1500); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}
