package pi

import (
	"testing"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// conversation is one with everything that messages of this dialect and of the engine
// differ in.
const conversation = `[
{"role":"user","content":[{"type":"text","text":"go"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"xyz"},{"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls","timeout":2000}},{"type":"tool_use","id":"2","name":"mcp__a__b","input":{"n":12345678901234567890}}],"model":"m","effort":"high","stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4,"cache_read_input_tokens":5},"cost":{"input":0.5,"output":2},"duration_ms":7},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"a"}]},{"type":"tool_result","tool_use_id":"2","content":[{"type":"text","text":"b"}],"is_error":true,"details":{"n":1}}]},
{"role":"custom","content":"note","customType":"c","display":true}]`

func decodeMessages(t *testing.T, text string) []hook.Message {
	t.Helper()
	var out []hook.Message
	if err := hook.RawJSON(text).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMessagesHaveTheDialectsShape(t *testing.T) {
	got := messagesOut(decodeMessages(t, conversation))
	want := []string{
		`{"role":"user","content":[{"type":"text","text":"go"},{"data":"aGk=","mimeType":"image/png","type":"image"}]}`,
		`{"model":"m","rawStopReason":"tool_use","usage":{"cacheRead":5,"cacheWrite":0,"cacheWrite1h":0,"cost":{"cacheRead":0,"cacheWrite":0,"input":0.5,"output":2,"total":2.5,"totalFromProvider":false},"input":3,"output":4,"totalTokens":12},"durationMs":7,"stopReason":"toolUse","thinkingLevel":"high","role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"sig"},{"redacted":true,"thinking":"","thinkingSignature":"xyz","type":"thinking"},{"arguments":{"command":"ls","timeout":2},"id":"1","name":"bash","type":"toolCall"},{"arguments":{"n":12345678901234567890},"id":"2","name":"mcp__a__b","type":"toolCall"}]}`,
		`{"content":[{"type":"text","text":"a"}],"isError":false,"role":"toolResult","toolCallId":"1","toolName":"bash"}`,
		`{"content":[{"type":"text","text":"b"}],"details":{"n":1},"isError":true,"role":"toolResult","toolCallId":"2","toolName":"mcp__a__b"}`,
		`{"customType":"c","display":true,"role":"custom","content":"note"}`,
	}
	if len(got) != len(want) {
		t.Fatalf("%d messages: %v", len(got), got)
	}
	for i := range want {
		if !sameMembers(t, got[i], hook.RawJSON(want[i])) {
			t.Errorf("message %d\n got %s\nwant %s", i, got[i].Raw(), want[i])
		}
	}
}

func TestOnlyAnAnswerThatIsWholeHasALevel(t *testing.T) {
	list := decodeMessages(t, `[{"role":"assistant","content":[],"stop_reason":"end_turn"},{"role":"assistant","content":[],"model":"m"}]`)
	for i, want := range []string{noThinking, ""} {
		if got := messagesOut(list)[i].String("thinkingLevel"); got != want {
			t.Errorf("message %d has the level %q, want %q", i, got, want)
		}
	}
}

// Of a turn in which the model did not answer to the end modules are told what there is: an
// answer with all that they may count on.
func TestATurnEndsWithoutAnAnswer(t *testing.T) {
	c, _ := newCodec("turn_end", script.FamilyPi, script.KindExtension)
	half := &hook.Message{Role: "assistant", Content: hook.RawJSON(`[{"type":"text","text":"ha"}]`)}
	for _, in := range []*hook.TurnEnd{{Outcome: "error"}, {Outcome: "aborted", Message: half}} {
		text, err := c.Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := hook.RawJSON(text).Get("message")
		usage, _ := m.Get("usage")
		content, _ := m.Get("content")
		want := map[bool]string{true: "[]", false: `[{"type":"text","text":"ha"}]`}[in.Message == nil]
		if m.String("role") != "assistant" || m.String("stopReason") != in.Outcome || content.Raw() != want || !usage.Has("cost") {
			t.Errorf("%s: %s", in.Outcome, text)
		}
	}
}

func TestMessagesComeBack(t *testing.T) {
	list := decodeMessages(t, conversation)
	back := messagesIn(hook.MustJSON(messagesOut(list)))
	if len(back) != len(list) {
		t.Fatalf("%d messages came back: %v", len(back), back)
	}
	for i := range list {
		if !sameMembers(t, hook.MustJSON(back[i]), hook.MustJSON(list[i])) {
			t.Errorf("message %d\n got %s\nwant %s", i, hook.MustJSON(back[i]).Raw(), hook.MustJSON(list[i]).Raw())
		}
	}
}

// sameMembers compares values, whatever the order of their members.
func sameMembers(t *testing.T, a, b hook.JSON) bool {
	t.Helper()
	var x, y any
	if a.Decode(&x) != nil || b.Decode(&y) != nil {
		t.Fatalf("%s and %s", a.Raw(), b.Raw())
	}
	return hook.MustJSON(x) == hook.MustJSON(y)
}

func TestEntriesHaveTheDialectsShape(t *testing.T) {
	entries := `[{"type":"title","id":"t","text":"name"},
{"type":"model_change","id":"o","parentId":"t","modelId":"m","requestedModel":"anthropic/m"},
{"type":"message","id":"a","parentId":"t","timestamp":"2026-11-28T12:00:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"f"}},{"type":"tool_use","id":"2","name":"Read","input":{}}]}},
{"type":"message","id":"r","parentId":"a","timestamp":"2026-11-28T12:00:01Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x","details":{"todos":[1]}},{"type":"tool_result","tool_use_id":"2","content":"y"}]}},
{"type":"custom_message","id":"c","parentId":"r","customType":"n","content":"hi"}]`
	var got []hook.JSON
	if err := hook.RawJSON(Speech().Answer("getEntries", []byte(entries))).Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"type":"session_info","id":"t","name":"name","parentId":null}`,
		`{"type":"model_change","id":"o","parentId":"t","provider":"anthropic","modelId":"m"}`,
		`{"type":"message","id":"a","parentId":"t","timestamp":"2026-11-28T12:00:00Z","message":{"role":"assistant","timestamp":1795867200000,"content":[{"type":"toolCall","id":"1","name":"read","arguments":{"path":"f"}},{"type":"toolCall","id":"2","name":"read","arguments":{}}]}}`,
		`{"type":"message","id":"r#1","parentId":"a","timestamp":"2026-11-28T12:00:01Z","message":{"role":"toolResult","timestamp":1795867201000,"toolCallId":"1","toolName":"read","isError":false,"content":[{"type":"text","text":"x"}],"details":{"todos":[1]}}}`,
		`{"type":"message","id":"r","parentId":"r#1","timestamp":"2026-11-28T12:00:01Z","message":{"role":"toolResult","timestamp":1795867201000,"toolCallId":"2","toolName":"read","isError":false,"content":[{"type":"text","text":"y"}]}}`,
		`{"type":"custom_message","id":"c","parentId":"r","customType":"n","content":"hi","display":false}`,
	}
	if len(got) != len(want) {
		t.Fatalf("%d entries: %v", len(got), got)
	}
	for i := range want {
		if !sameMembers(t, got[i], hook.RawJSON(want[i])) {
			t.Errorf("entry %d\n got %s\nwant %s", i, got[i].Raw(), want[i])
		}
	}
	if q := Speech().Question("getEntry", []byte(`["r#1"]`)); string(q) != `["r"]` {
		t.Errorf("asked for %s", q)
	}
}

func TestToolsHaveTheDialectsNames(t *testing.T) {
	s := Speech()
	if got := s.Question("activeTools", []byte(`["read","bash","find","ls","mine"]`)); string(got) != `["Read","Bash","Glob","LS","mine"]` {
		t.Errorf("set %s", got)
	}
	if got := s.Answer("activeTools", []byte(`["Read","Task"]`)); string(got) != `["read","Task"]` {
		t.Errorf("active %s", got)
	}
	all := s.Answer("allTools", []byte(`[{"name":"Read","parameters":{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}}]`))
	if string(all) != `[{"name":"read","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]` {
		t.Errorf("all %s", all)
	}
}
