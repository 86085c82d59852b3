package claude

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/schema"
)

// fileSchema returns the JSON Schema (draft 2020-12) of settings files and of plugins'
// hooks.json, made from the tables that reading them goes by. Keys that do not
// concern hooks are let through, unless they are one letter off one that does.
func fileSchema() []byte {
	s := &jsonschema.Schema{
		Schema:      "https://json-schema.org/draft/2020-12/schema",
		Title:       "Hooks of the claude dialect",
		Description: "A settings.json file, or a plugin's hooks/hooks.json",
		Type:        "object",
		Properties: map[string]*jsonschema.Schema{
			"$schema":                       {Type: "string", Description: "where the JSON Schema of the file is, for editors"},
			"description":                   {Type: "string"},
			"hooks":                         hooksSchema(),
			"modules":                       {Description: "modules for Claude Code's own runtime; they do not run here"},
			"disableAllHooks":               {Type: "boolean", Description: "turn off hooks of this level and of those below it"},
			"allowManagedHooksOnly":         {Type: "boolean", Description: "managed settings only: run no hooks but the administrator's"},
			"strictPluginOnlyCustomization": {Type: "boolean", Description: "managed settings only: run no hooks but plugins'"},
			"allowedHttpHookUrls":           stringList("URLs that http hooks may call; * stands for any characters"),
			"httpHookAllowedEnvVars":        stringList("variables that the headers of http hooks may use"),
		},
		PropertyOrder: []string{"$schema", "description", "hooks"},
		Defs:          definitions(),
	}
	s.PropertyNames = schema.Keys(slices.Sorted(maps.Keys(s.Properties)))
	b, err := json.Marshal(s, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		// The schema is made of constants.
		panic(fmt.Sprintf("claude: encode the schema: %v", err))
	}
	return append(b, '\n')
}

func stringList(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Description: doc, Items: &jsonschema.Schema{Type: "string"}}
}

// hooksSchema is the schema of hooks by event, which definitions has.
func hooksSchema() *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/hooks"} }

// definitions are the parts that schemas of hooks refer to.
func definitions() map[string]*jsonschema.Schema {
	hooks := &jsonschema.Schema{
		Type: "object", Description: "hooks by event", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: schema.None(),
	}
	for _, ev := range hook.Events() {
		spec := ev.Spec()
		matcher := "there is nothing for a matcher to match"
		if spec.Subject != "" {
			matcher = "a matcher is tested against " + spec.Subject
		}
		hooks.Properties[ev.String()] = &jsonschema.Schema{Type: "array", Description: spec.Fires + "; " + matcher, Items: &jsonschema.Schema{Ref: "#/$defs/group"}}
		hooks.PropertyOrder = append(hooks.PropertyOrder, ev.String())
	}
	group := &jsonschema.Schema{
		Type: "object", Required: []string{"hooks"},
		Properties: map[string]*jsonschema.Schema{
			"matcher": {Type: "string", Description: "names with | between them, or a regular expression"},
			"hooks":   {Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/hook"}},
		},
		PropertyOrder:        []string{"matcher", "hooks"},
		AdditionalProperties: schema.None(),
	}
	return map[string]*jsonschema.Schema{"hooks": hooks, "group": group, "hook": handlerSchema()}
}

// handlerSchema describes one hook: members of all types, and for each type those
// that it needs.
func handlerSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: schema.None()}
	for _, f := range handlerFields {
		s.Properties[f.name] = fieldSchema(f)
		s.PropertyOrder = append(s.PropertyOrder, f.name)
		if f.required && f.types == nil {
			s.Required = append(s.Required, f.name)
		}
	}
	for _, typ := range typeNames() {
		then := &jsonschema.Schema{}
		for _, f := range handlerFields {
			if f.required && slices.Contains(f.types, HandlerType(typ)) {
				then.Required = append(then.Required, f.name)
			}
		}
		var constant any = typ
		s.AllOf = append(s.AllOf, &jsonschema.Schema{
			If:   &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"type": {Const: &constant}}},
			Then: then,
		})
	}
	return s
}

func fieldSchema(f field) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: f.kind, Description: f.doc}
	for _, w := range f.words {
		s.Enum = append(s.Enum, w)
	}
	switch {
	case f.name == "sandbox":
		return needsSchema(f.doc)
	case f.name == "timeout":
		zero, most := 0.0, float64(maxTimeout)
		s.ExclusiveMinimum, s.Maximum = &zero, &most
	case f.kind == "array":
		s.Items = &jsonschema.Schema{Type: "string"}
	case f.name == "env" || f.name == "headers":
		s.AdditionalProperties = &jsonschema.Schema{Type: "string"}
	case f.required && f.kind == "string" && f.words == nil:
		one := 1
		s.MinLength = &one
	}
	return s
}
