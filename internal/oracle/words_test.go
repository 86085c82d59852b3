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
