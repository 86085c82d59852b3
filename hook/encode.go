package hook

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MarshalInput encodes an input in its canonical form: one JSON object on one
// line with hook_event_name and the input's own members. Raw values keep their
// bytes. A tool input that is not valid JSON becomes a string, with the reason in
// tool_input_error.
func MarshalInput(in Input) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(512 + in.cells().size())
	b.WriteString(`{"hook_event_name":"`)
	b.WriteString(in.Event().String()) // needs no escapes
	b.WriteByte('"')
	if c := in.cells().input; c != nil && !c.IsZero() && !c.Valid() {
		b.WriteString(`,"tool_input_error":"the tool input is not valid JSON; it is given as a string"`)
	}
	at := b.Len()
	if err := json.MarshalWrite(&b, in, EncodeOptions()); err != nil {
		return nil, fmt.Errorf("encode %v input: %w", in.Event(), err)
	}
	out := b.Bytes()
	out[at] = ',' // the object goes on instead of opening anew
	return out, nil
}

func (c cells) size() int {
	n := 0
	if c.input != nil {
		n += len(c.input.text)
	}
	if c.output != nil {
		n += len(c.output.text)
	}
	if c.prompt != nil {
		n += len(*c.prompt)
	}
	return n
}

// UnmarshalInput decodes the canonical form of an event's input. Members that the
// event does not have are ignored. Duplicate keys at the top are an error; raw
// values inside keep theirs.
func UnmarshalInput(ev Event, data []byte) (Input, error) {
	if !ev.Valid() {
		return nil, fmt.Errorf("decode input: %v is not an event", ev)
	}
	raw := RawJSON(data)
	if dup := raw.DuplicateKeys(); len(dup) > 0 {
		return nil, fmt.Errorf("decode %v input: duplicate key %q", ev, dup[0])
	}
	in := ev.spec().New()
	if err := json.Unmarshal(data, in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, fmt.Errorf("decode %v input: %w", ev, err)
	}
	if c := in.cells().input; c != nil && raw.Has("tool_input_error") {
		if s, ok := c.AsString(); ok {
			*c = RawJSON(s)
		}
	}
	return in, nil
}
