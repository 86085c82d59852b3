package foreign

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// codec is the codec of a table, or of several of which each has payloads of its own; the
// first one is for inputs that came from elsewhere.
type codec struct {
	Tables []*Table
	// Row, when not nil, is the event of the hook that it is the codec of.
	Row *Event
	// Now is the clock of payloads; nil is time.Now.
	Now func() time.Time
}

var _ dialect.EventCodec = (*codec)(nil)

// row returns the row of an input and its table: that of the codec's hook, that of the
// payload which the input was read from, otherwise the first of its event; nil when the
// dialect has no such event.
func (c *codec) row(in hook.Input) (*Table, *Event) {
	e := c.Row
	if e == nil {
		e = marked(in)
	}
	for _, t := range c.Tables {
		if e != nil && t.owns(e) {
			return t, e
		}
	}
	for _, t := range c.Tables {
		for _, e := range t.rows() {
			if e.Event == in.Event() {
				return t, e
			}
		}
	}
	return c.Tables[0], nil
}

// rowMark is the metadata of an input that says which row it was read by.
const rowMark = "foreign event"

// marked is the row that an input was read by, nil for one that came from elsewhere.
func marked(in hook.Input) *Event {
	meta := in.Base().Meta
	if meta == nil {
		return nil
	}
	v, _ := meta.Get(rowMark)
	if e, ok := v.(*Event); ok && e.Event == in.Event() {
		return e
	}
	return nil
}

// DecodeInput reads what the host sends its hooks. Members that the event does not have
// are ignored and listed in notes.
func (c *codec) DecodeInput(data []byte) (in hook.Input, notes []string, err error) {
	return c.DecodeEvent("", data)
}

// DecodeEvent reads what the host sends for an event by its name of it, which counts for
// payloads that name none.
func (c *codec) DecodeEvent(name string, data []byte) (in hook.Input, notes []string, err error) {
	var members map[string]hook.JSON
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := json.Unmarshal(data, &members, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, nil, fmt.Errorf("hook input: it is not one JSON object: %s", jsonx.ErrorText(err))
	}
	payload := hook.RawJSON(data)
	if dup := payload.DuplicateKeys(); len(dup) > 0 {
		return nil, nil, fmt.Errorf("hook input: duplicate key %q", dup[0])
	}
	t, e, err := c.find(name, payload)
	if err != nil {
		return nil, nil, err
	}
	canonical, notes := t.canonical(e, payload)
	if in, err = hook.UnmarshalInput(e.Event, []byte(canonical.Raw())); err != nil {
		return nil, nil, fmt.Errorf("hook input: %w", err)
	}
	in.Base().SetMetadata(rowMark, e)
	return in, notes, nil
}

// find finds the row of a payload: what it says itself counts before the name by which it
// was sent, and that before what it looks like.
func (c *codec) find(sentFor string, payload hook.JSON) (*Table, *Event, error) {
	var names []string
	var wrong error
	key := ""
	for _, t := range c.Tables {
		key = cmp.Or(key, t.EventKey)
		for _, e := range t.rows() {
			names = append(names, e.Name)
		}
		name, ok := payload.Get(t.EventKey)
		s, isString := name.AsString()
		switch {
		case !ok || t.EventKey == "":
		case !isString:
			wrong = fmt.Errorf("hook input: %s must be a string", t.EventKey)
		default:
			if e := t.byName(s, payload); e != nil {
				return t, e, nil
			}
			wrong = &hook.UnknownEventError{Name: s, Suggestion: nearest.Spelling(s, names)}
		}
	}
	for _, t := range c.Tables {
		if t.EventKey == "" {
			if e := t.byName(sentFor, payload); e != nil {
				return t, e, nil
			}
		} else if payload.Has(t.EventKey) {
			continue
		}
		if e := t.byMarks(payload); e != nil {
			return t, e, nil
		}
	}
	return nil, nil, cmp.Or(wrong, fmt.Errorf("hook input: %s is missing", key))
}

// canonical makes of a payload the canonical form of its input.
func (t *Table) canonical(e *Event, payload hook.JSON) (out hook.JSON, notes []string) {
	known := []string{t.EventKey, t.StampKey}
	out = hook.RawJSON("{}")
	put := func(key string, v any) { _ = out.Set(key, v) } // out is an object of our own
	for _, f := range slices.Concat(t.Common, e.Fields) {
		object, _, _ := strings.Cut(f.Dialect, ".")
		known = append(known, object)
		v, ok := at(payload, f.Dialect)
		if !ok || v.Raw() == "null" || f.Canonical == "" {
			continue
		}
		if f.In != nil {
			v = f.In(v)
		}
		if have, taken := out.Get(f.Canonical); !v.IsZero() && (!taken || have.Raw() == `""`) {
			put(f.Canonical, v)
		}
	}
	if out.Has("tool_name") {
		input, _ := out.Get("tool_input")
		name, input := t.Tools.In(out.String("tool_name"), input)
		if t.ToolOf != nil {
			name = cmp.Or(t.ToolOf(payload), name)
		}
		put("tool_name", name)
		if !input.IsZero() {
			put("tool_input", input)
		}
		if response, ok := out.Get("tool_response"); ok && t.Result.In != nil {
			put("tool_response", t.Result.In(name, response))
		}
	}
	for _, key := range payload.Keys() {
		if !slices.Contains(known, key) {
			notes = append(notes, fmt.Sprintf("unknown key %q was ignored", key))
		}
	}
	return out, notes
}

// at is the member at a path of names with dots between them.
func at(v hook.JSON, path string) (hook.JSON, bool) {
	object, inside, nested := strings.Cut(path, ".")
	v, ok := v.Get(object)
	if !nested || !ok {
		return v, ok
	}
	return at(v, inside)
}

// EncodeInput returns what a hook of the dialect reads: one JSON object on one line.
func (c *codec) EncodeInput(call *hook.Call) ([]byte, error) {
	t, e := c.row(call.Input)
	if e == nil {
		return nil, fmt.Errorf("the %s dialect has no %v", t.Name, call.Input.Event())
	}
	raw, err := hook.MarshalInput(call.Input)
	if err != nil {
		return nil, fmt.Errorf("encode the input of %s: %w", e.Name, err)
	}
	from := hook.RawJSON(raw)
	if from.Has("tool_name") {
		t.toolOut(&from)
	}
	out := hook.RawJSON("{}")
	put := func(key string, v any) { _ = out.Set(key, v) } // out is an object of our own
	write := func(fields []vocab.Field) {
		for _, f := range fields {
			v, ok := from.Get(f.Canonical)
			if ok && f.Out != nil {
				v = f.Out(v)
			}
			if ok && !v.IsZero() {
				set(&out, f.Dialect, v)
			}
		}
	}
	write(t.Common)
	if t.EventKey != "" {
		put(t.EventKey, e.Name)
	}
	if t.StampKey != "" {
		now := time.Now
		if c.Now != nil {
			now = c.Now
		}
		put(t.StampKey, t.Stamp(now()))
	}
	write(e.Fields)
	return append(out.AppendTo(nil), '\n'), nil
}

// toolOut gives a canonical payload the host's names of the tool.
func (t *Table) toolOut(p *hook.JSON) {
	put := func(key string, v any) { _ = p.Set(key, v) } // MarshalInput writes an object
	tool := p.String("tool_name")
	input, _ := p.Get("tool_input")
	if input.IsZero() || input.Raw() == "null" {
		input = hook.RawJSON("{}")
	}
	name, input := t.Tools.Out(tool, input)
	put("tool_name", name)
	put("tool_input", input)
	if response, ok := p.Get("tool_response"); ok && t.Result.Out != nil && response.Raw() != "null" {
		put("tool_response", t.Result.Out(tool, response))
	}
}
