package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// changed is a play in which the model was told one result of a tool, and a hook of the
// batch too.
func changed(t *testing.T, tool, text string, failed bool) Facts {
	t.Helper()
	called, _ := plainJSON([]object{{"type": "tool_use", "id": "t", "name": tool}})
	result, _ := plainJSON([]object{{"type": "tool_result", "tool_use_id": "t", "is_error": failed, "content": text}})
	quoted, _ := plainJSON(text)
	p := &Play{Dir: "/room", Requests: []Request{{Messages: []Message{{"assistant", called}, {"user", result}}}}}
	p.Heard = []Heard{{Hook: "h", Payload: json.RawMessage(fmt.Sprintf(`{"tool_calls":[{"tool_name":%q,"tool_response":%s}]}`, tool, bytes.TrimSpace(quoted)))}}
	f, err := p.Facts(false)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOnlyTheWordsOfAToolAreNotCompared(t *testing.T) {
	const said = "Changed /room/project/sub/a.txt."
	want := changed(t, "Edit", said, false)
	same := changed(t, "Edit", "The file /room/project/sub/a.txt is another now. (3 lines)", false)
	if diffs := Compare("", want, same, nil); len(diffs) > 0 {
		t.Errorf("other words are a difference: %v", diffs)
	}
	for name, other := range map[string]Facts{
		"another file": changed(t, "Edit", "Changed /room/project/sub/b.txt.", false),
		"no file":      changed(t, "Edit", "Changed.", false),
		"nothing":      changed(t, "Edit", "", false),
		"a hook's":     changed(t, "Edit", said+"\nMARK-1 said", false),
	} {
		if diffs := Compare("", want, other, nil); len(diffs) != 2 {
			t.Errorf("%s: the differences are %v, not one of the model's and one of the hook's", name, diffs)
		}
	}
	if diffs := Compare("", want, changed(t, "Edit", said, true), nil); len(diffs) != 1 {
		t.Errorf("a failure: the differences are %v, not one", diffs)
	}
	if diffs := Compare("", changed(t, "Read", said, false), changed(t, "Read", "Another text", false), nil); len(diffs) != 2 {
		t.Errorf("another text of a file: the differences are %v, not two", diffs)
	}
}

func TestOnlyTheWordsOfACommandAreNotCompared(t *testing.T) {
	printed := func(role, text string) Facts {
		content, _ := plainJSON([]object{{"type": "text", "text": text}})
		p := &Play{Dir: "/room", Requests: []Request{{Messages: []Message{{role, content}}}}}
		f, err := p.Facts(false)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	want := printed("user", commandOutput+"A hook said no: MARK-1</local-command-stdout>")
	if diffs := Compare("", want, printed("user", commandOutput+"Refused by a hook (MARK-1).</local-command-stdout>"), nil); len(diffs) > 0 {
		t.Errorf("other words are a difference: %v", diffs)
	}
	for name, other := range map[string]Facts{
		"another hook's": printed("user", commandOutput+"A hook said no: MARK-2</local-command-stdout>"),
		"another role":   printed("assistant", commandOutput+"A hook said no: MARK-1</local-command-stdout>"),
		"no command's":   printed("user", "A hook said no: MARK-1"),
		"nothing":        printed("user", commandOutput+"No.</local-command-stdout>"),
	} {
		if diffs := Compare("", want, other, nil); len(diffs) != 1 {
			t.Errorf("%s: the differences are %v, not one", name, diffs)
		}
	}
}

func TestTheOrderInASuggestionIsNotCompared(t *testing.T) {
	suggested := func(update string) Facts {
		p := &Play{Dir: "/room", Heard: []Heard{{Hook: "h", Payload: json.RawMessage(`{"permission_suggestions":[` + update + `]}`)}}}
		f, err := p.Facts(false)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	want := suggested(`{"type":"addRules","rules":[{"toolName":"T","ruleContent":"c"}],"behavior":"allow"}`)
	if diffs := Compare("", want, suggested(`{"behavior":"allow","type":"addRules","rules":[{"ruleContent":"c","toolName":"T"}]}`), nil); len(diffs) > 0 {
		t.Errorf("another order is a difference: %v", diffs)
	}
	for _, other := range []string{
		`{"type":"addRules","rules":[{"toolName":"T","ruleContent":"d"}],"behavior":"allow"}`,
		`{"type":"addRules","rules":[{"toolName":"T","ruleContent":"c"}]}`,
		``,
	} {
		if diffs := Compare("", want, suggested(other), nil); len(diffs) != 1 {
			t.Errorf("%s: the differences are %v, not one", other, diffs)
		}
	}
}

func TestOnlyTheSentenceOfAFailureIsNotCompared(t *testing.T) {
	failed := func(said, kind, result string) Facts {
		p := &Play{Dir: "/room", Heard: []Heard{{Hook: "h", Payload: json.RawMessage(fmt.Sprintf(`{"hook_event_name":"StopFailure","error":%q,"last_assistant_message":%q}`, kind, said))}}}
		p.Stdout = fmt.Sprintf(`{"type":"result","subtype":"success","is_error":true,"result":%q}`, result)
		f, err := p.Facts(false)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	want := failed("It failed.", "unknown", "It failed.")
	if diffs := Compare("", want, failed("Sorry.", "unknown", "Sorry."), nil); len(diffs) > 0 {
		t.Errorf("other words are a difference: %v", diffs)
	}
	for name, other := range map[string]Facts{
		"another kind": failed("It failed.", "server_error", "It failed."),
		"no sentence":  failed("", "unknown", "It failed."),
		"no result":    failed("It failed.", "unknown", ""),
		"a hook's":     failed("It failed.", "unknown", "MARK-1"),
	} {
		if diffs := Compare("", want, other, nil); len(diffs) != 1 {
			t.Errorf("%s: the differences are %v, not one", name, diffs)
		}
	}
}
