package frontmatter

import (
	"fmt"
	"strconv"

	"github.com/hookline-dev/hookline/diag"
)

// Kind says what a Value is.
type Kind uint8

// The kinds of values. The zero Kind is Null, so that the zero Value is null.
const (
	Null Kind = iota
	String
	Bool
	Number
	List
	Map
)

// String names the kind as an error message does.
func (k Kind) String() string {
	switch k {
	case Null:
		return "nothing"
	case String:
		return "text"
	case Bool:
		return "a true/false value"
	case Number:
		return "a number"
	case List:
		return "a list"
	case Map:
		return "a map"
	}
	return "kind " + strconv.Itoa(int(k))
}

// Value is one value of a header, with its place in the file.
type Value struct {
	File   string
	Line   int // from 1
	Column int // from 1
	Kind   Kind

	text    string
	items   []Value
	entries []Entry
}

// Entry is one key of a Map with its value. Line and Column are the key's.
type Entry struct {
	Key    string
	Line   int
	Column int
	Value  Value
}

// Errorf makes an error at the value's place.
func (v Value) Errorf(remedy, format string, args ...any) *diag.Diagnostic {
	return &diag.Diagnostic{Path: v.File, Line: v.Line, Column: v.Column, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

// Text gives the text of a String, and the spelling of a Bool or Number as it
// stands in the file: people leave the quotes off. Other kinds are errors that
// call the value what.
func (v Value) Text(what string) (string, error) {
	switch v.Kind {
	case String, Bool, Number:
		return v.text, nil
	}
	return "", v.Errorf("write "+what+": some text", "%s must be text, not %s", what, v.Kind)
}

// Bool gives the value of a Bool. Other kinds are errors.
func (v Value) Bool(what string) (bool, error) {
	if v.Kind != Bool {
		return false, v.Errorf("write true or false without quotes", "%s must be true or false, not %s", what, v.Kind)
	}
	return v.text == "true" || v.text == "True" || v.text == "TRUE", nil
}

// Entries gives the keys of a Map in the order of the file. Null is an empty
// map; other kinds are errors.
func (v Value) Entries(what string) ([]Entry, error) {
	switch v.Kind {
	case Map, Null:
		return v.entries, nil
	}
	return nil, v.Errorf("", "%s must be a map, not %s", what, v.Kind)
}

// Items gives the elements of a List. Null is an empty list; other kinds are
// errors.
func (v Value) Items(what string) ([]Value, error) {
	switch v.Kind {
	case List, Null:
		return v.items, nil
	}
	return nil, v.Errorf("", "%s must be a list, not %s", what, v.Kind)
}

// Strings gives a list of texts. A single text is cut by sep (as in
// "allowed-tools: Read, Grep"); with sep nil it is a list of one.
func (v Value) Strings(what string, sep func(string) []string) ([]string, error) {
	if v.Kind == String || v.Kind == Number || v.Kind == Bool {
		if sep == nil {
			return []string{v.text}, nil
		}
		return sep(v.text), nil
	}
	items, err := v.Items(what)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(items))
	for i, item := range items {
		s, err := item.Text(fmt.Sprintf("entry %d of %s", i+1, what))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Get gives the value of a key of a Map; ok is false when the key is absent or
// the value is not a Map.
func (v Value) Get(key string) (value Value, ok bool) {
	for _, e := range v.entries {
		if e.Key == key {
			return e.Value, true
		}
	}
	return Value{}, false
}

// Any gives the value as plain Go data: nil, string, bool, int64 or float64,
// []any, map[string]any. A number that fits neither int64 nor float64 exactly
// is given as its text.
func (v Value) Any() any {
	switch v.Kind {
	case String:
		return v.text
	case Bool:
		b, _ := v.Bool("")
		return b
	case Number:
		return number(v.text)
	case List:
		list := make([]any, len(v.items))
		for i, item := range v.items {
			list[i] = item.Any()
		}
		return list
	case Map:
		m := make(map[string]any, len(v.entries))
		for _, e := range v.entries {
			m[e.Key] = e.Value.Any()
		}
		return m
	}
	return nil
}

func number(text string) any {
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && f-f == 0 {
		return f
	}
	return text
}
