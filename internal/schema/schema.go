// Package schema describes Go types as JSON Schema, from their json and doc tags.
package schema

import (
	"fmt"
	"reflect"
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
			name = f.Name
		}
		Member(s, name, f.Type, f.Tag.Get("doc"))
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
