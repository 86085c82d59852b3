package jsonx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/internal/jsonx"
)

func TestErrorText(t *testing.T) {
	type inner struct {
		N int `json:"n"`
	}
	type doc struct {
		Text  string  `json:"text"`
		On    bool    `json:"on"`
		List  []inner `json:"list"`
		Point *inner  `json:"point"`
	}
	for in, want := range map[string]string{
		`[]`:                      "it must be an object, not an array",
		`{"text":1}`:              "/text must be a string, not this number",
		`{"on":"yes"}`:            "/on must be true or false, not a string",
		`{"list":{}}`:             "/list must be an array, not an object",
		`{"list":[{"n":"x"}]}`:    "/list/0/n must be a whole number, not a string",
		`{"list":[{"n":1.5}]}`:    "/list/0/n must be a whole number, not this number",
		`{"point":true}`:          "/point must be an object, not true or false",
		`{"txt":"x"}`:             `there is no member "txt"`,
		`{"text":"a","text":"b"}`: `duplicate object member name in /text`,
		`{`:                       "unexpected EOF",
		`hello`:                   "invalid character 'h' at start of value",
		"{\"text\":\"\xff\"}":     "invalid UTF-8 in /text",
	} {
		var d doc
		err := json.Unmarshal([]byte(in), &d, json.RejectUnknownMembers(true))
		if err == nil {
			t.Errorf("%s: no error", in)
			continue
		}
		got := jsonx.ErrorText(err)
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
		for _, word := range []string{"Go ", "json", "struct"} {
			if strings.Contains(got, word) {
				t.Errorf("%s: %q speaks of Go", in, got)
			}
		}
	}
	if got := jsonx.ErrorText(errors.New("another")); got != "another" {
		t.Errorf("%q", got)
	}
}
