package tool

import (
	stdjson "encoding/json" // the schema library decodes itself with it
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Validator checks inputs against a schema. It is safe for concurrent use.
type Validator struct {
	tool     string
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// NewValidator compiles a tool's schema.
func NewValidator(tool string, schema jsontext.Value) (*Validator, error) {
	var s jsonschema.Schema
	if err := stdjson.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", tool, err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", tool, err)
	}
	return &Validator{tool: tool, schema: &s, resolved: r}, nil
}

// Check returns an *InputError when the input is not a JSON object, holds a name
// twice, or does not fit the schema.
func (v *Validator) Check(input jsontext.Value) error {
	var obj map[string]any
	if err := json.Unmarshal(input, &obj); err != nil {
		return v.fail("it is not a valid JSON object: " + strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	if obj == nil {
		return v.fail("it is null, not an object")
	}
	if problems := v.fields(obj); len(problems) > 0 {
		return v.fail(problems...)
	}
	if err := v.resolved.Validate(obj); err != nil {
		return v.fail(strings.TrimPrefix(err.Error(), "validating root: "))
	}
	return nil
}

func (v *Validator) fail(problems ...string) error {
	return &InputError{Tool: v.tool, Problems: problems}
}

// fields finds the mistakes that models make most, in plain words.
func (v *Validator) fields(obj map[string]any) []string {
	var problems []string
	for _, name := range v.schema.Required {
		if _, ok := obj[name]; !ok {
			problems = append(problems, fmt.Sprintf("%q is missing", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		prop := v.schema.Properties[name]
		switch {
		case prop == nil && closed(v.schema):
			problems = append(problems, fmt.Sprintf("%q is unknown (there are %s)", name, strings.Join(slices.Sorted(maps.Keys(v.schema.Properties)), ", ")))
		case prop != nil && prop.Type != "" && !hasType(obj[name], prop.Type):
			problems = append(problems, fmt.Sprintf("%q must be %s, not %s", name, article(prop.Type), article(typeOf(obj[name]))))
		}
	}
	return problems
}

// closed reports whether a schema allows no other properties.
func closed(s *jsonschema.Schema) bool {
	a := s.AdditionalProperties
	return a != nil && a.Not != nil && len(s.PatternProperties) == 0
}

func hasType(v any, typ string) bool {
	got := typeOf(v)
	return got == typ || typ == "integer" && isInteger(v)
}

func isInteger(v any) bool {
	f, ok := v.(float64)
	return ok && f == float64(int64(f))
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func article(typ string) string {
	switch typ {
	case "null":
		return typ
	case "array", "object", "integer":
		return "an " + typ
	}
	return "a " + typ
}
