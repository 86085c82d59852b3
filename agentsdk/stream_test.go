package agentsdk

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/registry"
	"github.com/hookline-dev/hookline/hook"
)

func TestADeferredCallIsNoTurnMore(t *testing.T) {
	r := Result{NumTurns: 2}
	r.calls(&agent.Result{StopReason: "tool_use", Deferred: &agent.Call{ID: "u", Tool: "Bash"}})
	if r.NumTurns != 1 || *r.StopReason != "tool_deferred" || r.Deferred.Name != "Bash" {
		t.Errorf("%+v", r)
	}
}

// A program counts the turns since a subagent in the background reported last.
func TestTurnsSinceTheLastReport(t *testing.T) {
	var r Result
	told, said := model.UserText("told"), model.Message{Role: model.Assistant}
	r.take(&agent.Result{End: agent.EndDone, Messages: []model.Message{told, said, told, said}, Resumed: 2}, "")
	if r.NumTurns != 1 {
		t.Errorf("%+v", r)
	}
}

// Each model that was used has its own price, the fallback and those of subagents too.
func TestUsageOfEachModel(t *testing.T) {
	got := modelUsages(map[string]registry.Use{
		"own":   {Model: registry.Model{Priced: true, Price: model.Price{Window: 1000}}, Usage: model.Usage{InputTokens: 1, CacheReadTokens: 2}, USD: 3},
		"other": {Usage: model.Usage{OutputTokens: 4, CacheWriteTokens: 5}},
	})
	want := map[string]modelUsage{
		"own":   {InputTokens: 1, CacheRead: 2, Window: 1000, CostUSD: 3, CostBasis: "list"},
		"other": {OutputTokens: 4, CacheCreation: 5, CostBasis: "unknown"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What arrives in pieces is a whole stream of the model's API: what begins ends.
func TestPiecesOfAnAnswer(t *testing.T) {
	var b bytes.Buffer
	s := NewStream(&b, "1")
	s.Partial = true
	for _, ev := range []model.Event{
		{Kind: model.Start, ID: "m", Model: "x"},
		{Kind: model.ThinkingDelta, Text: "hm"},
		{Kind: model.BlockEnd, Block: model.Block{Type: model.ThinkingBlock, Thinking: "hm", Signature: "s"}},
		{Kind: model.TextDelta, Index: 1, Text: "he"},
		{Kind: model.TextDelta, Index: 1, Text: "llo"},
		{Kind: model.BlockEnd, Index: 1, Block: model.Text("hello")},
		{Kind: model.ToolCallStart, Index: 2, ID: "u", Name: "Bash"},
		{Kind: model.ToolCallDelta, Index: 2, Text: "{}"},
		{Kind: model.BlockEnd, Index: 2, Block: model.ToolUse("u", "Bash", "{}")},
		{Kind: model.BlockEnd, Index: 3, Block: model.Block{Type: model.RedactedThinkingBlock, Data: "d"}},
		{Kind: model.UsageReport, Usage: model.Usage{OutputTokens: 7}},
		{Kind: model.Stop, Reason: model.StopToolUse},
	} {
		s.Event(agent.Event{Kind: agent.KindStream, Session: "s", Stream: &ev})
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		ev, _ := hook.RawJSON(line).Get("event")
		text := ev.String("type")
		for _, key := range []string{"index", "content_block", "delta"} {
			if v, ok := ev.Get(key); ok {
				text += " " + v.Raw()
			}
		}
		got = append(got, text)
	}
	want := []string{
		"message_start",
		`content_block_start 0 {"signature":"","thinking":"","type":"thinking"}`,
		`content_block_delta 0 {"thinking":"hm","type":"thinking_delta"}`,
		`content_block_delta 0 {"signature":"s","type":"signature_delta"}`, "content_block_stop 0",
		`content_block_start 1 {"citations":null,"text":"","type":"text"}`,
		`content_block_delta 1 {"text":"he","type":"text_delta"}`, `content_block_delta 1 {"text":"llo","type":"text_delta"}`, "content_block_stop 1",
		`content_block_start 2 {"id":"u","input":{},"name":"Bash","type":"tool_use"}`,
		`content_block_delta 2 {"partial_json":"{}","type":"input_json_delta"}`, "content_block_stop 2",
		`content_block_start 3 {"type":"redacted_thinking","data":"d"}`, "content_block_stop 3",
		`message_delta {"container":null,"stop_details":null,"stop_reason":"tool_use","stop_sequence":null}`, "message_stop",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
