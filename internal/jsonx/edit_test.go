package jsonx_test

import (
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/jsonx"
)

func TestEditsKeepWhatTheyDoNotName(t *testing.T) {
	type item struct {
		A []string `json:"a"`
	}
	for name, tt := range map[string]struct {
		before string
		edit   func(*jsonx.Doc) error
		want   string
	}{
		"a value in the file's own indentation": {
			"// mine\n{\n\t\"x\" : [1,2], // odd\n}\n",
			func(d *jsonx.Doc) error { return d.Set([]string{"a", "b"}, "h", "off") },
			"// mine\n{\n\t\"x\" : [1,2], // odd\n\t\"h\": {\n\t\t\"off\": [\"a\", \"b\"]\n\t}\n}\n",
		},
		"a value replaced between comments": {
			`{"h": /* 1 */ "old" /* 2 */}`,
			func(d *jsonx.Doc) error { return d.Set("new", "h") },
			`{"h": /* 1 */ "new" /* 2 */}`,
		},
		"an item in a line of its own": {
			"{\n    \"l\": [\n        {\"a\": []} // first\n    ]\n}",
			func(d *jsonx.Doc) error { return d.Append(item{[]string{"b"}}, "l") },
			"{\n    \"l\": [\n        {\"a\": []}, // first\n        {\n            \"a\": [\n                \"b\"\n            ]\n        }\n    ]\n}",
		},
		"an item in the line of the others": {
			`{"l":[{"a":[]}]}`,
			func(d *jsonx.Doc) error { return d.Append(item{[]string{"b"}}, "l") },
			`{"l":[{"a":[]}, {"a": ["b"]}]}`,
		},
		"removed, and nothing made": {
			`{"l":["a",1,"b"]}`,
			func(d *jsonx.Doc) error {
				if err := d.Remove(func(string) bool { return true }, "none", "l"); err != nil {
					return err
				}
				return d.Remove(func(s string) bool { return s == "a" }, "l")
			},
			`{"l":[1,"b"]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := jsonx.Edit([]byte(tt.before))
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.edit(doc); err != nil || string(doc.Bytes()) != tt.want {
				t.Errorf("%v, got:\n%s\nwant:\n%s", err, doc.Bytes(), tt.want)
			}
		})
	}
}

func TestAnEditThatFailsChangesNothing(t *testing.T) {
	for _, text := range []string{`[]`, `{"h":1}`, `{"h":{"l":{}}}`, `{"h":{},"h":{}}`, `{"h":{"l":["a"],"l":[]}}`} {
		doc, err := jsonx.Edit([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for verb, err := range map[string]error{
			"add": doc.Append("a", "h", "l"), "remove": doc.Remove(func(string) bool { return true }, "h", "l"),
			"add what is not JSON": doc.Append("\xff", "new"), "set what is not JSON": doc.Set("\xff", "new"),
		} {
			if err == nil || string(doc.Bytes()) != text {
				t.Errorf("%s: %s: %v, now %s", text, verb, err, doc.Bytes())
			}
		}
	}
	for _, text := range []string{"", "{", strings.Repeat("[", 1e6), "{\"a\":\"\xff\"}"} {
		if _, err := jsonx.Edit([]byte(text)); err == nil {
			t.Errorf("%.20q can be edited", text)
		}
	}
}

func TestPurgeTakesOutWhatHoldsAString(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"h":{"E":[{"m":"*","l":[{"c":"gone"}]}],"F":[{"c":"stays"}]},"x":1}`, `{"h":{"F":[{"c":"stays"}]},"x":1}`},
		{`{"h":{"E":[{"l":[{"c":"gone"},{"c":"stays"}]}]}}`, `{"h":{"E":[{"l":[{"c":"stays"}]}]}}`},
		{`{"x":1,"h":{"E":[{"c":"gone"}]}}`, `{"x":1}`},
		{"{\"h\":{\"E\":[]}} // kept\n", "{\"h\":{\"E\":[]}} // kept\n"},
		{`{"h":"gone"}`, `{"h":"gone"}`},
		{`{}`, `{}`},
	} {
		d, err := jsonx.Edit([]byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		found, err := d.Purge(func(s string) bool { return s == "gone" }, "h")
		if got := string(d.Bytes()); err != nil || got != tt.want || found != (got != tt.text) {
			t.Errorf("%s became %s, %t, %v", tt.text, got, found, err)
		}
	}
	d, err := jsonx.Edit([]byte(`{"h":{},"h":{"E":[{"c":"gone"}]}}`))
	if err == nil {
		_, err = d.Purge(func(string) bool { return true }, "h")
	}
	if err == nil {
		t.Error("a key that stands twice was taken for one")
	}
}
