package hook_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hookline-dev/hookline/hook"
)

// awkward holds what JSON libraries like to change: key order, big integers,
// HTML characters, escapes, duplicates and an unpaired surrogate.
const awkward = `{"z":1,"a":9007199254740993,"html":"<&>","esc":"\u0041\ud800\/","dup":1,"dup":2,"f":1.0,"e":1E2,"nested":{"k":[1,2,{"x":null}]}}`

func TestRawJSONSurvivesARoundTrip(t *testing.T) {
	in := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(awkward)}
	b, err := hook.MarshalInput(in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := hook.UnmarshalInput(hook.EventPreToolUse, b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(awkward, got.(pre).ToolInput.Raw()); d != "" {
		t.Error(d)
	}
}

func TestSettersChangeOnlyWhatTheySet(t *testing.T) {
	tests := []struct {
		name, in string
		change   func(*hook.JSON) error
		want     string
	}{
		{"replace", `{"a":1, "b" : 9007199254740993 }`, set("a", "x"), `{"a":"x", "b" : 9007199254740993 }`},
		{"add", `{"a":1}`, set("b", true), `{"a":1,"b":true}`},
		{"add to empty", `{ }`, set("b", 1), `{"b":1}`},
		{"add to absent", ``, set("b", 1), `{"b":1}`},
		{"escaped key", `{"\u0061":1}`, set("a", 2), `{"\u0061":2}`},
		{"key to escape", `{}`, set(`a"b`, 2), `{"a\"b":2}`},
		{"dotted key is literal", `{"a":{"b":1}}`, set("a.b", 2), `{"a":{"b":1},"a.b":2}`},
		{"last of duplicates", `{"d":1,"x":0,"d":2}`, set("d", 3), `{"x":0,"d":3}`},
		{"delete first", `{"a":1,"b":2}`, del("a"), `{"b":2}`},
		{"delete last", `{"a":1 , "b":2}`, del("b"), `{"a":1 }`},
		{"delete only", `{"a":1}`, del("a"), `{}`},
		{"delete duplicates", `{"a":1,"b":2,"a":3}`, del("a"), `{"b":2}`},
		{"delete nothing", `{"a":1}`, del("z"), `{"a":1}`},
		{"rename", `{"x":0, "a" : 1}`, rename("a", "b"), `{"x":0, "b" : 1}`},
		{"rename to a taken key", `{"a":1,"b":2}`, rename("a", "b"), `{"a":1,"b":2}`},
		{"merge", `{"a":1,"b":2}`, merge(`{"b":null,"c":3}`), `{"a":1,"c":3}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := hook.RawJSON(tt.in)
			if err := tt.change(&j); err != nil {
				t.Fatal(err)
			}
			if j.Raw() != tt.want {
				t.Errorf("got %s, want %s", j.Raw(), tt.want)
			}
		})
	}
	for _, bad := range []string{`[1]`, `"s"`, `{"a":`, `{"a":1}}`} {
		j := hook.RawJSON(bad)
		if j.Set("a", 1) == nil || j.Raw() != bad {
			t.Errorf("%s was changed to %s", bad, j.Raw())
		}
	}
}

func set(k string, v any) func(*hook.JSON) error {
	return func(j *hook.JSON) error { return j.Set(k, v) }
}

func del(k string) func(*hook.JSON) error {
	return func(j *hook.JSON) error { j.Delete(k); return nil }
}

func rename(k, to string) func(*hook.JSON) error {
	return func(j *hook.JSON) error { j.Rename(k, to); return nil }
}

func merge(p string) func(*hook.JSON) error {
	return func(j *hook.JSON) error { return j.Merge(hook.RawJSON(p)) }
}

func TestGetters(t *testing.T) {
	j := hook.RawJSON(`{"s":"a\n\u00e9","i":-9223372036854775808,"big":9223372036854775808,"f":1.5,"b":true,"l":["x","y"],"n":null,"o":{"s":"deep"},"d":1,"d":2}`)
	if s := j.String("s"); s != "a\né" {
		t.Errorf("string %q", s)
	}
	if n, ok := j.Int("i"); !ok || n != -9223372036854775808 {
		t.Errorf("int %d %v", n, ok)
	}
	if _, ok := j.Int("big"); ok {
		t.Error("2^63 passed as an int64")
	}
	if f, ok := j.Float("f"); !ok || f != 1.5 {
		t.Errorf("float %v %v", f, ok)
	}
	if d := cmp.Diff([]string{"x", "y"}, j.Strings("l")); d != "" || !j.Bool("b") || j.String("n") != "" {
		t.Error(d)
	}
	if d, _ := j.Int("d"); d != 2 {
		t.Errorf("of duplicates %d was read", d)
	}
	if d := cmp.Diff([]string{"d"}, j.DuplicateKeys()); d != "" {
		t.Error(d)
	}
	o, _ := j.Get("o")
	if o.String("s") != "deep" {
		t.Errorf("nested %q", o.Raw())
	}
}

func TestInvalidToolInputReachesHooksAsAStringWithAMark(t *testing.T) {
	in := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command": rm -rf`)}
	b, err := hook.MarshalInput(in)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Input string `json:"tool_input"`
		Error string `json:"tool_input_error"`
	}
	if err := json.Unmarshal(b, &got, json.RejectUnknownMembers(false)); err != nil || got.Input != in.ToolInput.Raw() || got.Error == "" {
		t.Errorf("%s: %+v, %v", b, got, err)
	}
	back, err := hook.UnmarshalInput(hook.EventPreToolUse, b)
	if err != nil || back.(pre).ToolInput != in.ToolInput {
		t.Errorf("back: %+v, %v", back, err)
	}
}

func TestInputIsOneLine(t *testing.T) {
	b, err := hook.MarshalInput(&hook.PreToolUse{ToolInput: hook.RawJSON("{\n\t\"a\": [1,\r\n2]\n}")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b {
		if c == '\n' || c == '\r' {
			t.Fatalf("%q", b)
		}
	}
}

func TestSetAgreesWithDecodedObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOfN(rapid.String(), rapid.Int64(), 0, 5).Draw(t, "object")
		key, val := rapid.String().Draw(t, "key"), rapid.Int64().Draw(t, "value")
		j := hook.MustJSON(m)
		if err := j.Set(key, val); err != nil {
			t.Fatal(err)
		}
		m[key] = val
		var got map[string]int64
		if err := j.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, got); d != "" {
			t.Fatal(d)
		}
		if n, ok := j.Int(key); !ok || n != val {
			t.Fatalf("get %s: %d", strconv.Quote(key), n)
		}
		j.Delete(key)
		if j.Has(key) || !j.Valid() {
			t.Fatalf("after delete: %s", j.Raw())
		}
	})
}

// FuzzJSON feeds any text to the getters and setters: they must not panic or
// hang, and a set must leave valid JSON valid.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{awkward, `{"a":1}`, `{"a"`, `{"a":"\`, `{"a":[{]}`, "", "null", `{"":{}}`, `{"a":1,}`} {
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		j := hook.RawJSON(text)
		valid := j.Valid()
		j.Keys()
		_, _ = j.Get(key)
		_, _ = j.Int(key)
		_ = j.String(key)
		err := j.Set(key, 1)
		if valid && err == nil && !j.Valid() {
			t.Fatalf("set %q made %q invalid: %q", key, text, j.Raw())
		}
		j.Delete(key)
		if valid && err == nil && (!j.Valid() || j.Has(key) && !hasInvalid(key)) {
			t.Fatalf("delete %q from %q: %q", key, text, j.Raw())
		}
	})
}

// hasInvalid reports whether a key cannot be written as JSON as it is.
func hasInvalid(key string) bool {
	return fmt.Sprintf("%q", key) != strconv.QuoteToASCII(key) && key != string([]rune(key))
}

// FuzzUnmarshalInput feeds any bytes to the payload decoder of every event.
func FuzzUnmarshalInput(f *testing.F) {
	for _, ev := range hook.Events() {
		b, err := hook.MarshalInput(ev.Spec().New())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(ev), b)
	}
	f.Fuzz(func(t *testing.T, ev uint8, data []byte) {
		in, err := hook.UnmarshalInput(hook.Event(ev), data)
		if err != nil {
			return
		}
		if _, err := hook.MarshalInput(in); err != nil {
			t.Fatalf("decoded %q, but encoding fails: %v", data, err)
		}
	})
}

func TestTextThatIsNoUTF8IsEncoded(t *testing.T) {
	if got := hook.MustJSON([]string{"a\xebb"}).Raw(); got != "[\"a\uFFFDb\"]" {
		t.Errorf("encoded as %q", got)
	}
	if got := hook.UserMessage("\xff").Text(); got != "\uFFFD" {
		t.Errorf("message text %q", got)
	}
}
