package claude

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// inputError is a fault in what a host sent.
type inputError struct {
	// Line and Column count from 1; a column counts characters.
	Line, Column int
	// Pointer is the JSON pointer of the value, "" for the whole.
	Pointer string
	Err     error
}

func (e *inputError) Error() string {
	at := fmt.Sprintf("hook input: %d:%d: ", e.Line, e.Column)
	if e.Pointer != "" {
		at += e.Pointer + ": "
	}
	return at + e.Err.Error()
}

// Unwrap returns the cause.
func (e *inputError) Unwrap() error { return e.Err }

// DecodeInput reads what a host of this dialect, or one that resembles it, sends
// to its hooks. Members that the event does not have are ignored and listed in
// notes. A host that writes event for hook_event_name is understood. An error says
// where the fault is.
func (c *Codec) DecodeInput(data []byte) (in hook.Input, notes []string, err error) {
	d := inputDecoder{data: bytes.TrimPrefix(data, utf8BOM)}
	if err := d.scan(); err != nil {
		return nil, nil, err
	}
	ev, err := d.event()
	if err != nil {
		return nil, nil, err
	}
	in, err = hook.UnmarshalInput(ev, d.data)
	if err != nil {
		return nil, nil, d.place(err)
	}
	known := inputKeys(ev)
	for _, key := range d.keys {
		if !slices.Contains(known, key.name) {
			d.notes = append(d.notes, fmt.Sprintf("unknown key %s was ignored", shown(key.name)))
		}
	}
	return in, d.notes, nil
}

type inputKey struct {
	name   string
	offset int
}

type inputDecoder struct {
	data  []byte
	keys  []inputKey
	notes []string
}

// scan looks at the keys at the top and at the syntax of the whole.
func (d *inputDecoder) scan() error {
	dec := jsontext.NewDecoder(bytes.NewReader(d.data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	tok, err := dec.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return d.fail(0, "", errors.New("there is none: stdin was empty"))
	case err != nil:
		return d.place(err)
	case tok.Kind() != '{':
		return d.fail(0, "", errors.New("it must be a JSON object"))
	}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return d.place(err)
		}
		name := tok.String()
		at := int(dec.InputOffset()) - len(name) - 2
		if slices.ContainsFunc(d.keys, func(k inputKey) bool { return k.name == name }) {
			return d.fail(at, "/"+name, fmt.Errorf("duplicate key %q", name))
		}
		d.keys = append(d.keys, inputKey{name, at})
		if err := dec.SkipValue(); err != nil {
			return d.place(err)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return d.place(err)
	}
	end := int(dec.InputOffset())
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return d.fail(end, "", errors.New("there is more after the object"))
	}
	return nil
}

// event finds the event's name.
func (d *inputDecoder) event() (hook.Event, error) {
	obj := hook.RawJSON(d.data)
	key := "hook_event_name"
	name, ok := obj.Get(key)
	if !ok {
		key = "event"
		name, ok = obj.Get(key)
	}
	s, isString := name.AsString()
	switch {
	case !ok:
		return 0, d.fail(0, "", errors.New("hook_event_name is missing"))
	case !isString:
		return 0, d.fail(d.offset(key), "/"+key, errors.New("it must be a string"))
	}
	ev, known := hook.ParseEvent(s)
	if !known {
		return 0, d.fail(d.offset(key), "/"+key, nearest.Event(s))
	}
	if key == "event" {
		d.notes = append(d.notes, "the host writes event for hook_event_name")
	}
	return ev, nil
}

func (d *inputDecoder) offset(key string) int {
	for _, k := range d.keys {
		if k.name == key {
			return k.offset
		}
	}
	return 0
}

func (d *inputDecoder) fail(offset int, pointer string, err error) *inputError {
	before := d.data[:min(max(offset, 0), len(d.data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &inputError{Line: line, Column: column, Pointer: pointer, Err: err}
}

// place finds the position that an error of a decoder names.
func (d *inputDecoder) place(err error) *inputError {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		want := "another type"
		if e.GoType != nil {
			want = jsonType(e.GoType)
		}
		offset := int(e.ByteOffset)
		// The decoder points behind the value or before it, with blanks between.
		for offset < len(d.data) && bytes.IndexByte([]byte(" \t\r\n:,"), d.data[offset]) >= 0 {
			offset++
		}
		return d.fail(offset, string(e.JSONPointer), fmt.Errorf("it must be %s", want))
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return d.fail(int(e.ByteOffset), string(e.JSONPointer), complaint(err))
	}
	return d.fail(0, "", err)
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// inputKeys returns the names of the members that an event's input has.
func inputKeys(ev hook.Event) []string {
	out := []string{"hook_event_name", "event", "tool_input_error"}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous {
				add(f.Type)
				continue
			}
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				out = append(out, name)
			}
		}
	}
	add(ev.Spec().Type())
	return out
}
