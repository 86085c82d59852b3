package worker

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzPlainResult: what is read in one look reads the same as by the long way.
func FuzzPlainResult(f *testing.F) {
	for _, s := range []string{
		`{"type":"result","id":2}`, `{"type":"result","id":18446744073709551615,"reason":"x"}`, `{"type":"result","id":02}`,
		`{"type":"result","id":2,"decision":"deny","reason":"a \"type\" of"}`, `{"type":"result","id":2,"id":3}`, `{"type":"result","id":2,"i\u0064":3}`,
		`{"type":"result","id":2,"async":true}`, `{"type":"result","id":2,"as\u0079nc":true}`, `{"type":"result","id":2,}`, `{"type":"result","id":2,} `, `{"type":"result","id":2} {}`,
		`{"type":"result","id":2,"updated_input":{"a":1,"a":2}}`, `{"type":"result","id":2, "reason" : "x" }`, `{"type":"result","id":2,"reason":"` + "\xff" + `"}`,
		`{"type":"result","id":2.5,"reason":"x"}`, `{"type":"result","id":2e3}`, `{"type":"result","id":2,"reason":"x"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		plain, ok := plainResult(raw)
		if !ok {
			return
		}
		long, err := parse(raw)
		if err != nil {
			t.Fatalf("%q was read, and is not a message: %v", raw, err)
		}
		if plain.Kind != long.Kind || plain.ID != long.ID || long.Async || long.AsyncTimeout != 0 || body(t, plain) != body(t, long) {
			t.Fatalf("%q reads as %+v and as %+v", raw, plain, long)
		}
	})
}

// body is a message's body in one form.
func body(t *testing.T, m Message) string {
	t.Helper()
	v := jsontext.Value(m.Body)
	if len(v) == 0 {
		return "{}"
	}
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("body %q: %v", m.Body, err)
	}
	return string(v)
}
