package model

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ParseInput checks what a model wrote as the input of a tool call. Valid
// input is a JSON object without duplicate names; it is returned unchanged but
// for blanks around it. An
// empty text counts as the empty object, because that is how several servers
// say "no arguments". Anything else is returned as a JSON string that holds the
// text, with the reason in problem.
func ParseInput(text string) (input jsontext.Value, problem string) {
	v := jsontext.Value(strings.Trim(text, " \t\r\n"))
	if len(v) == 0 {
		return jsontext.Value("{}"), ""
	}
	if problem := inputProblem(v); problem != "" {
		return quote(text), problem
	}
	return v, ""
}

func inputProblem(v jsontext.Value) string {
	dec := jsontext.NewDecoder(bytes.NewReader(v))
	if _, err := dec.ReadValue(); err != nil {
		return "not valid JSON: " + strings.TrimPrefix(err.Error(), "jsontext: ")
	}
	if rest := bytes.TrimSpace(v[dec.InputOffset():]); len(rest) > 0 {
		return "not valid JSON: text after the first value"
	}
	if v.Kind() != '{' {
		return "not a JSON object"
	}
	return ""
}

// quote returns text as a JSON string; bytes that are not UTF-8 become U+FFFD,
// as JSON has no way to hold them.
func quote(text string) jsontext.Value {
	v, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	return v
}

func unquote(v jsontext.Value) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return string(v)
	}
	return s
}
