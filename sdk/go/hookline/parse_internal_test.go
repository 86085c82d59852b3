package hookline

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzParseCall: a call that is read in one look reads the same as by the long way.
func FuzzParseCall(f *testing.F) {
	for _, s := range []string{
		`{"type":"call","id":2,"hook":0,"event":"PreToolUse","timeout_ms":20000,"input":{"session_id":"s","tool_input":{"command":"ls"}}}` + "\n",
		`{"type":"call","id":2,"hook":1,"event":"Stop","input":{}}`, `{"type":"call","id":2,"hook":0,"event":"a\"b","input":{}}`,
		`{"type":"call","id":2,"hook":0,"event":"x","input":{},"id":3}`, `{"type":"call","id":2,"hook":0,"event":"x","input":{}} `,
		`{"type":"call","id":2,"hook":0,"event":"x","input":[]}`, `{"type":"call","id":2,"event":"x","hook":0,"input":{}}`,
		`{"type":"call","id":2,"hook":0,"event":"x","timeout_ms":,"input":{}}`, `{"type":"call","id":,"hook":0,"event":"x","input":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, ok := parseCall(line)
		var want message
		if !ok || json.Unmarshal(line, &want) != nil {
			return
		}
		if got.Type != want.Type || got.ID != want.ID || got.Hook != want.Hook || got.TimeoutMS != want.TimeoutMS ||
			!bytes.Equal(bytes.TrimSpace(got.Input), bytes.TrimSpace(want.Input)) {
			t.Fatalf("%q reads as %+v and as %+v", line, got, want)
		}
		e := Event{Raw: got.Input}
		if err := json.Unmarshal(want.Input, &e); err != nil || !reflect.DeepEqual(*got.event, e) {
			t.Fatalf("%q has the event %+v and %+v, %v", line, *got.event, e, err)
		}
	})
}

// TestParseCall has the calls that Hookline writes: they are read in one look.
func TestParseCall(t *testing.T) {
	for line, want := range map[string]bool{
		`{"type":"call","id":2,"hook":0,"event":"PreToolUse","timeout_ms":20000,"input":{"session_id":"s"}}` + "\n": true,
		`{"type":"call","id":2,"hook":0,"event":"Stop","input":{}}` + "\n":                                          true,
		`{"type":"call","id":2,"hook":0,"event":"Stop","input":{"session_id":7}}` + "\n":                            false,
		`{"type":"cancel","id":2}` + "\n": false,
	} {
		if _, ok := parseCall([]byte(line)); ok != want {
			t.Errorf("%s: %v", line, ok)
		}
	}
}
