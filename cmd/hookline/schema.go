package main

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/schema"
	"github.com/hookline-dev/hookline/recipe"
)

// schemas are the documents that schema prints, besides those of events and those of
// dialects.
var schemas = []dialect.Schema{
	{Name: "config", About: "Hookline's own config.json", Make: func() ([]byte, error) {
		return schema.Encode(schema.File(reflect.TypeFor[config.File](), "Hookline configuration", "config.json of the managed, the user's and a project's directory."))
	}},
	{Name: "hooktest", About: "files of cases, NAME.hooktest.yaml", Make: testSchema},
	{Name: "recipe", About: "the header of a recipe", Make: func() ([]byte, error) { return schema.Encode(recipe.Schema()) }},
	{Name: "fire", About: "what fire --json prints", Make: report.Schema},
	{Name: "events", About: "the canonical inputs of all events", Make: allEvents},
	{Name: "rpc", About: "the lines of hookline rpc, to the agent and from it", Make: rpcSchema},
}

// testSchema is the schema of files of cases.
func testSchema() ([]byte, error) {
	s := schema.File(reflect.TypeFor[testFile](), "Cases of hooks", "A file of cases that hookline test runs.")
	s.Required = []string{"tests"}
	test := s.Properties["tests"].Items
	test.Required = []string{"event", "expect"}
	expect, one := test.Properties["expect"], 1
	expect.MinProperties = &one
	schema.Words(expect.Properties["decision"], decisionWords)
	return schema.Encode(s)
}

func allEvents() ([]byte, error) {
	s := &jsonschema.Schema{Schema: schema.Draft, Title: "Hook input", Description: "The canonical input of an event."}
	for _, ev := range hook.Events() {
		s.OneOf = append(s.OneOf, schema.Input(ev))
	}
	return schema.Encode(s)
}

// schemas are all documents that schema prints besides those of events.
func (a *app) schemas() []dialect.Schema {
	list := schemas
	for _, d := range a.dialects {
		if s, ok := d.(dialect.Schemas); ok {
			list = append(list[:len(list):len(list)], s.Schemas()...)
		}
	}
	return list
}

// schemaOptions are the argument of schema.
type schemaOptions struct{ name string }

func newSchemaCmd(a *app) *cobra.Command {
	list := a.schemas()
	long := "Print a JSON Schema:\n\n"
	for _, s := range list {
		long += "  " + s.Name + strings.Repeat(" ", 10-len(s.Name)) + s.About + "\n"
	}
	return &cobra.Command{
		Use:     "schema NAME|EVENT",
		Short:   "Print a JSON Schema",
		Long:    long + "  EVENT     the canonical input of one event",
		Example: "  hookline schema settings > settings.schema.json\n  hookline schema PreToolUse",
		Args:    cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, s string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, s := range list {
				names = append(names, s.Name+"\t"+s.About)
			}
			evs, d := completeEvents(cmd, args, s)
			return append(names, evs...), d
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return runSchema(a, schemaOptions{args[0]})
		},
	}
}

func runSchema(a *app, o schemaOptions) error {
	b, err := a.findSchema(o.name, a.schemas())
	if err != nil {
		return err
	}
	_, err = a.out.Write(b)
	return err
}

func (a *app) findSchema(name string, list []dialect.Schema) ([]byte, error) {
	var names []string
	for _, s := range list {
		if s.Name == name {
			return s.Make()
		}
		names = append(names, s.Name)
	}
	ev, err := a.parseEvent(name)
	if err != nil {
		return nil, usagef("%w; besides events there are %s", err, strings.Join(names, ", "))
	}
	s := schema.Input(ev)
	s.Schema = schema.Draft
	return schema.Encode(s)
}
