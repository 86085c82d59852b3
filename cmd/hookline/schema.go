package main

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/dialect/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/report"
	"github.com/hookline-dev/hookline/internal/schema"
)

// schemas are the documents that schema prints, besides those of events.
var schemas = []struct {
	name, about string
	make        func() ([]byte, error)
}{
	{"settings", "settings files of the claude dialect", func() ([]byte, error) { return claude.Schema(), nil }},
	{"config", "Hookline's own config.json", func() ([]byte, error) {
		return schema.Of(reflect.TypeFor[config.File](), "Hookline configuration", "config.json of the managed, the user's and a project's directory.")
	}},
	{"fire", "what fire --json prints", func() ([]byte, error) {
		return schema.Of(reflect.TypeFor[report.Outcome](), "Outcome", "What the hooks of one event came to, as fire --json prints it.")
	}},
	{"events", "the canonical inputs of all events", allEvents},
	{"rpc", "the lines of hookline rpc, to the agent and from it", rpcSchema},
	{"worker", "the messages between a host and a worker", worker.Schema},
}

func allEvents() ([]byte, error) {
	s := &jsonschema.Schema{Schema: schema.Draft, Title: "Hook input", Description: "The canonical input of an event."}
	for _, ev := range hook.Events() {
		s.OneOf = append(s.OneOf, schema.Input(ev))
	}
	return schema.Encode(s)
}

func newSchema(a *app) *cobra.Command {
	names := make([]string, len(schemas))
	long := "Print a JSON Schema:\n\n"
	for i, s := range schemas {
		names[i] = s.name
		long += "  " + s.name + strings.Repeat(" ", 10-len(s.name)) + s.about + "\n"
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
			var list []string
			for _, s := range schemas {
				list = append(list, s.name+"\t"+s.about)
			}
			evs, d := completeEvents(cmd, args, s)
			return append(list, evs...), d
		},
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := findSchema(args[0], names)
			if err != nil {
				return err
			}
			_, err = a.out.Write(b)
			return err
		},
	}
}

func findSchema(name string, names []string) ([]byte, error) {
	for _, s := range schemas {
		if s.name == name {
			return s.make()
		}
	}
	ev, err := parseEvent(name)
	if err != nil {
		return nil, usagef("%w; besides events there are %s", err, strings.Join(names, ", "))
	}
	s := schema.Input(ev)
	s.Schema = schema.Draft
	return schema.Encode(s)
}
