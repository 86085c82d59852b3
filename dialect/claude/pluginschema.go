package claude

import (
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookline-dev/hookline/internal/schema"
	"github.com/hookline-dev/hookline/sandbox"
)

// pluginSchema is the JSON Schema of a plugin's manifest. What it has beyond what is read here
// is of Claude Code.
func pluginSchema() ([]byte, error) {
	text := func(doc string) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Description: doc} }
	paths := func(doc string) *jsonschema.Schema {
		return &jsonschema.Schema{Description: doc + ": a path, or a list of paths, in the plugin", AnyOf: []*jsonschema.Schema{{Type: "string"}, stringList(""), {Type: "object"}}}
	}
	s := &jsonschema.Schema{
		Schema: schema.Draft, Title: "Plugin", Description: "The manifest .claude-plugin/plugin.json of a plugin",
		Type: "object", Required: []string{"name"}, PropertyOrder: []string{"$schema", "name", "version", "description"},
		Properties: map[string]*jsonschema.Schema{
			"$schema":     text("where the JSON Schema of the file is, for editors"),
			"name":        text("what the plugin is called"),
			"version":     text("the version, such as 1.2.0"),
			"description": text("what it is for"),
			"author": {AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "object", AdditionalProperties: schema.None(), Properties: map[string]*jsonschema.Schema{
				"name": {Type: "string"}, "email": {Type: "string"}, "url": {Type: "string"},
			}}}},
			"homepage":   text("where it is described"),
			"repository": {AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "object"}}, Description: "where its source is"},
			"license":    text("such as MIT"),
			"keywords":   stringList("words that it is found by"),
			"commands":   paths("commands"), "agents": paths("subagents"), "skills": paths("skills"),
			"hooks":      {AnyOf: []*jsonschema.Schema{{Type: "string"}, stringList(""), pluginHooks()}, Description: "hooks, or files with hooks"},
			"mcpServers": paths("MCP servers"), "lspServers": paths("language servers"), "outputStyles": paths("output styles"),
			"sandbox": needsSchema("what the hooks of the plugin need where they run in the sandbox"),
		},
		Defs: definitions(),
	}
	s.PropertyNames = schema.Keys(slices.Sorted(maps.Keys(s.Properties)))
	return schema.Encode(s)
}

// needsSchema is the schema of what hooks need of their sandbox.
func needsSchema(doc string) *jsonschema.Schema {
	s := schema.File(reflect.TypeFor[sandbox.Needs](), "", doc)
	s.Schema = "" // of the whole document
	return s
}

// pluginHooks are hooks in a manifest: by event, or below the key hooks, as in a hooks.json.
func pluginHooks() *jsonschema.Schema {
	whole := &jsonschema.Schema{Type: "object", Required: []string{"hooks"}, AdditionalProperties: schema.None(), Properties: map[string]*jsonschema.Schema{
		"description": {Type: "string"}, "hooks": hooksSchema(),
	}}
	return &jsonschema.Schema{Type: "object", AnyOf: []*jsonschema.Schema{whole, hooksSchema()}}
}
