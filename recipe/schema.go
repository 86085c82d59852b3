package recipe

import (
	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schema of a recipe's header.
func Schema() *jsonschema.Schema {
	none := &jsonschema.Schema{Not: &jsonschema.Schema{}}
	text := func(doc string) *jsonschema.Schema {
		return &jsonschema.Schema{Types: []string{"string", "null"}, Description: doc}
	}
	words := func(doc string) *jsonschema.Schema {
		return &jsonschema.Schema{Description: doc, AnyOf: []*jsonschema.Schema{
			{Type: "array", Items: &jsonschema.Schema{Type: "string"}}, {Types: []string{"string", "null"}},
		}}
	}
	scalar := &jsonschema.Schema{Types: []string{"string", "number", "boolean", "null"}}
	argument := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{scalar, {Type: "object", AdditionalProperties: none, Properties: map[string]*jsonschema.Schema{
		"description": text("what it means"), "default": scalar, "required": {Type: "boolean"},
	}}}}
	handler := &jsonschema.Schema{Type: "object", Required: []string{"handler"}, AdditionalProperties: none, Properties: map[string]*jsonschema.Schema{
		"handler": {Type: "string", Description: "name of a built-in handler"},
		"once":    {Type: "boolean", Description: "for the first turn only"},
	}}
	hint, tools, commands := text("what to write behind the name"), words("tools that may be used"), words("shell commands that may be run")
	return &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema", Title: "Recipe", Description: "The header of a recipe",
		Type: "object", AdditionalProperties: none, PropertyOrder: []string{"$schema", "name", "description"},
		Properties: map[string]*jsonschema.Schema{
			"$schema":       text("where the JSON Schema of the header is, for editors"),
			"name":          text("a title"),
			"description":   text("what the recipe is for"),
			"model":         text("model that it is for"),
			"argument-hint": hint, "argument_hint": hint,
			"allowed-tools": tools, "allowed_tools": tools,
			"allowed-commands": commands, "allowed_commands": commands,
			"arguments": {Description: "arguments, by name or as a list of names", AnyOf: []*jsonschema.Schema{
				{Type: "object", AdditionalProperties: argument}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}}, {Types: []string{"string", "null"}},
			}},
			"defaults": {Types: []string{"object", "null"}, AdditionalProperties: scalar, Description: "defaults of arguments, by name"},
			"hooks": {Types: []string{"object", "null"}, Description: "hooks of the session, by event", AdditionalProperties: &jsonschema.Schema{
				AnyOf: []*jsonschema.Schema{handler, {Type: "array", Items: handler}},
			}},
		},
	}
}
