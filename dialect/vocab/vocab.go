// Package vocab translates the tool names and input fields of one dialect to the
// canonical ones and back, so that a hook that looks at its own dialect's names
// works unchanged.
package vocab

import (
	"slices"

	"github.com/hookline-dev/hookline/hook"
)

// Field pairs a canonical input field with a dialect's.
type Field struct {
	Canonical, Dialect string
	// Out and In convert the value; nil leaves it.
	Out, In func(hook.JSON) hook.JSON
}

// Tool pairs a canonical tool with a dialect's. Fields that are not listed are the
// same in both.
type Tool struct {
	Canonical, Dialect string
	Fields             []Field
}

// Vocabulary is the tools of a dialect. Tools that are not listed keep their names
// and fields.
type Vocabulary []Tool

// Out translates a canonical tool name and input to the dialect's.
func (v Vocabulary) Out(name string, input hook.JSON) (string, hook.JSON) {
	for _, t := range v {
		if t.Canonical != name {
			continue
		}
		for _, f := range t.Fields {
			convert(&input, f.Canonical, f.Dialect, f.Out)
		}
		return t.Dialect, input
	}
	return name, input
}

// In translates a dialect's tool name and input to the canonical ones.
func (v Vocabulary) In(name string, input hook.JSON) (string, hook.JSON) {
	for _, t := range v {
		if t.Dialect != name {
			continue
		}
		for _, f := range t.Fields {
			convert(&input, f.Dialect, f.Canonical, f.In)
		}
		return t.Canonical, input
	}
	return name, input
}

// Renames are the fields of a canonical tool that have another name in the dialect:
// the canonical one and the dialect's.
func (v Vocabulary) Renames(name string) (out [][2]string) {
	for _, t := range v {
		if t.Canonical != name {
			continue
		}
		for _, f := range t.Fields {
			if f.Canonical != f.Dialect {
				out = append(out, [2]string{f.Canonical, f.Dialect})
			}
		}
	}
	return out
}

// RenameParameters renames properties of a JSON schema for objects, each pair from the first
// name to the second. What is not such a schema is returned as it is.
func RenameParameters(schema hook.JSON, renames [][2]string) hook.JSON {
	properties, ok := schema.Get("properties")
	if !ok || len(renames) == 0 {
		return schema
	}
	required := schema.Strings("required")
	for _, r := range renames {
		properties.Rename(r[0], r[1])
		if i := slices.Index(required, r[0]); i >= 0 {
			required[i] = r[1]
		}
	}
	out := schema
	if out.Set("properties", properties) != nil || out.Has("required") && out.Set("required", required) != nil {
		return schema
	}
	return out
}

// CanonicalName translates a dialect's tool name alone.
func (v Vocabulary) CanonicalName(name string) string {
	name, _ = v.In(name, hook.JSON{})
	return name
}

// DialectName translates a canonical tool name alone.
func (v Vocabulary) DialectName(name string) string {
	name, _ = v.Out(name, hook.JSON{})
	return name
}

func convert(input *hook.JSON, from, to string, value func(hook.JSON) hook.JSON) {
	if value != nil {
		if old, ok := input.Get(from); ok {
			_ = input.Set(from, value(old)) // an object, since Get found a member
		}
	}
	if from != to {
		input.Rename(from, to)
	}
}
