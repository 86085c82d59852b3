// Package schema describes Go types as JSON Schema, from their json and doc tags.
package schema

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookline-dev/hookline/hook"
)

// Draft is the version of JSON Schema that documents are written in.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Of returns the schema of a struct type as indented JSON, with a title and a
// description.
func Of(t reflect.Type, title, description string) ([]byte, error) {
	return Encode(Object(t, title, description))
}

// Object is Of before it is encoded, for who adds to it.
func Object(t reflect.Type, title, description string) *jsonschema.Schema {
	s := object(t)
	s.Schema, s.Title, s.Description = Draft, title, description
	return s
}

// File returns the schema of a file that people write, whose content is a struct: everything
// may be left out, nothing else may be there, and a whole number is not negative. Words that a
// text may be are in the tag words, by commas; of a map they are about its values.
func File(t reflect.Type, title, description string) *jsonschema.Schema {
	s := Object(t, title, description)
	settle(s)
	return s
}

func settle(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Required = nil; s.Properties != nil {
		s.AdditionalProperties = None()
	}
	if len(s.Types) == 2 { // of a pointer: in a file, what is not there is left out
		s.Type, s.Types = s.Types[0], nil
	}
	if s.Type == "integer" {
		zero := 0.0
		s.Minimum = &zero
	}
	for _, p := range s.Properties {
		settle(p)
	}
	settle(s.Items)
	if s.Properties == nil {
		settle(s.AdditionalProperties)
	}
}

// None is the schema that nothing fits.
func None() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// Words allows the given texts only.
func Words(s *jsonschema.Schema, words []string) {
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
}

// Keys is the schema of the names of members where those that are known matter and others may
// have a meaning for other programs: a name that is one letter off a known one is refused.
func Keys(known []string) *jsonschema.Schema {
	exact := &jsonschema.Schema{Type: "string"}
	Words(exact, known)
	var near []string
	for _, k := range known {
		near = append(near, oneOff(k)...)
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		exact, {Not: &jsonschema.Schema{Pattern: "^(" + strings.Join(near, "|") + ")$"}},
	}}
}

// oneOff are patterns for what somebody may write in the place of a name: a letter more, less
// or other, two that are exchanged, or another case.
func oneOff(name string) []string {
	fold := func(s string) string {
		var b strings.Builder
		for _, c := range s {
			if lower, upper := strings.ToLower(string(c)), strings.ToUpper(string(c)); lower != upper {
				b.WriteString("[" + lower + upper + "]")
			} else {
				b.WriteString(regexp.QuoteMeta(string(c)))
			}
		}
		return b.String()
	}
	out := []string{fold(name) + ".?"}
	for i := range len(name) {
		out = append(out, fold(name[:i])+".{0,2}"+fold(name[i+1:])) // one more, less, or other
		if i > 0 {
			out = append(out, fold(name[:i-1]+name[i:i+1]+name[i-1:i]+name[i+1:]))
		}
	}
	return out
}

// Encode returns a schema as indented JSON.
func Encode(s *jsonschema.Schema) ([]byte, error) {
	b, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode schema: %w", err)
	}
	v := jsontext.Value(b)
	if err := v.Indent(); err != nil {
		return nil, fmt.Errorf("indent schema: %w", err)
	}
	return append(v, '\n'), nil
}

// Input returns the schema of an event's input in canonical form.
func Input(ev hook.Event) *jsonschema.Schema {
	spec := ev.Spec()
	s := object(spec.Type())
	s.Title = spec.Name
	s.Description = "Input of " + spec.Name + ": " + spec.Fires + "."
	name := any(spec.Name)
	s.Properties["hook_event_name"] = &jsonschema.Schema{Const: &name, Description: "name of the event"}
	s.PropertyOrder = append([]string{"hook_event_name"}, s.PropertyOrder...)
	s.Required = append([]string{"hook_event_name"}, s.Required...)
	return s
}

func object(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	addFields(s, t)
	return s
}

func addFields(s *jsonschema.Schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			addFields(s, f.Type)
			continue
		case !f.IsExported() || name == "-":
			continue
		case strings.Contains(opts, "embed"):
			continue // members that are kept as they are
		case name == "":
			if name, opts, _ = strings.Cut(f.Tag.Get("yaml"), ","); name == "" {
				name = f.Name
			}
		}
		Member(s, name, f.Type, f.Tag.Get("doc"))
		if words := f.Tag.Get("words"); words != "" {
			p := s.Properties[name]
			if p.AdditionalProperties != nil {
				p = p.AdditionalProperties
			}
			Words(p, strings.Split(words, ","))
		}
		if !strings.Contains(opts, "omit") && f.Type.Kind() != reflect.Pointer {
			s.Required = append(s.Required, name)
		}
	}
}

// Member adds a member to the schema of an object.
func Member(s *jsonschema.Schema, name string, t reflect.Type, description string) {
	p := of(t)
	p.Description = description
	s.Properties[name] = p
	s.PropertyOrder = append(s.PropertyOrder, name)
}

func of(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[hook.Tri]():
		return nullable(&jsonschema.Schema{Type: "boolean"})
	case reflect.TypeFor[hook.Decision]():
		return &jsonschema.Schema{Type: "string"}
	case reflect.TypeFor[hook.JSON](), reflect.TypeFor[jsontext.Value]():
		return &jsonschema.Schema{} // any value
	case reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[hook.Event]():
		return &jsonschema.Schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(of(t.Elem()))
	case reflect.Struct:
		return object(t)
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: of(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: of(t.Elem())}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Uint8:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	}
	return &jsonschema.Schema{}
}

// nullable allows null beside the type.
func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Type == "" {
		return s
	}
	s.Types, s.Type = []string{s.Type, "null"}, ""
	return s
}
