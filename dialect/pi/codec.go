package pi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// codec translates between the engine and the handlers of one event of one
// module. Make one with newCodec.
type codec struct {
	name  string
	row   *event
	rules rules
	kind  script.Kind
}

var _ script.Codec = (*codec)(nil)

// newCodec returns the codec for a module's handlers of an event; ok is false
// when the dialect has no such event, or the engine nothing that corresponds.
func newCodec(name string, family script.Family, kind script.Kind) (c *codec, ok bool) {
	row := eventTable().byName[name]
	if row == nil {
		return nil, false
	}
	return &codec{name: name, row: row, rules: rulesOf(family, kind), kind: kind}, true
}

// Track names the property of the payload whose changes in place count.
func (c *codec) Track() string { return c.row.track }

// EncodeInput returns the event that the handler gets.
func (c *codec) EncodeInput(call *hook.Call) ([]byte, error) { return c.Encode(call.Input) }

// Encode returns the event for an input.
func (c *codec) Encode(in hook.Input) ([]byte, error) {
	payload := any(struct{}{})
	if c.row.encode != nil {
		var err error
		if payload, err = c.row.encode(c, in); err != nil {
			return nil, fmt.Errorf("encode %s: %w", c.name, err)
		}
	}
	text, err := json.Marshal(payload, hook.EncodeOptions())
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", c.name, err)
	}
	head, err := json.Marshal(c.name)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", c.name, err)
	}
	out := append([]byte(`{"type":`), head...)
	if len(text) > 2 { // more than {}
		out = append(out, ',')
	}
	return append(out, text[1:]...), nil
}

// DecodeResult reads what the handler returned.
func (c *codec) DecodeResult(call *hook.Call, a handler.Answer) (res hook.Result, notes []string, err error) {
	answer := hook.RawJSON(a.Stdout)
	if answer.IsZero() || c.row.result == nil {
		if !answer.IsZero() && c.row.result == nil {
			notes = append(notes, "what the handler returned means nothing here")
		}
		return res, notes, nil
	}
	if !answer.Valid() {
		return res, nil, hook.Failf(hook.FailureAnswer, "the handler's answer is not JSON")
	}
	if c.row.keys != nil {
		if !strings.HasPrefix(answer.Raw(), "{") {
			return res, []string{"the handler returned no object: it means nothing"}, nil
		}
		for _, key := range answer.Keys() {
			if !slices.Contains(c.row.keys, key) && key != script.InPlace+c.row.track {
				notes = append(notes, fmt.Sprintf("unknown key %q means nothing%s", key, didYouMean(key, c.row.keys)))
			}
		}
	}
	if !c.rules.inputCounts && answer.Has(script.InPlace+"input") {
		notes = append(notes, "the handler changed event.input: in a hook for oh-my-pi that has no effect")
		answer.Delete(script.InPlace + "input")
	}
	c.row.result(c, call.Input, answer, &res)
	if res.Fields() == 0 && wants(answer) {
		notes = append(notes, "the answer has no effect here")
	}
	return res, notes, nil
}

// didYouMean names the known word that an unknown one was probably to be.
func didYouMean(word string, known []string) string {
	if near := nearest.Name(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// wants reports whether an answer asks for anything.
func wants(answer hook.JSON) bool {
	for _, key := range answer.Keys() {
		if flag(answer, key) {
			return true
		}
	}
	return false
}

// truthy is JavaScript's idea of a value that counts.
func truthy(v hook.JSON) bool {
	switch v.Raw() {
	case "", "null", "false", "0", "-0", `""`:
		return false
	}
	return true
}

// flag reads a member that JavaScript would take for true.
func flag(v hook.JSON, key string) bool {
	m, _ := v.Get(key)
	return truthy(m)
}

// member returns a member that is there and not null.
func member(v hook.JSON, key string) (hook.JSON, bool) {
	m, ok := v.Get(key)
	return m, ok && m.Raw() != "null"
}

// note marks an input, for the handlers of this event that come later, and
// reports whether it had been marked before.
func note(in hook.Input, key string) (already bool) {
	base := in.Base()
	if base.Meta == nil {
		base.Meta = &hook.Metadata{}
	}
	_, already = base.Meta.Get(key)
	base.Meta.Set(key, true)
	return already
}

// unexpected is the error for an input of another event.
func unexpected(in hook.Input) error {
	return fmt.Errorf("an input of %v has no such form", in.Event())
}
