package main

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

func newEventsCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "events [NAME]",
		Short: "List the events, or say all about one",
		Long: `List the events that hooks can be for. With the name of one, canonical or a dialect's:
when it happens, what a matcher is tested against, which parts of an answer count, and
what hooks of each dialect are told, with the values that 'hookline fire' fills in.`,
		Example:           "  hookline events\n  hookline events PreToolUse\n  hookline events tool_call --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeEventArg,
		RunE: func(_ *cobra.Command, args []string) error {
			evs := hook.Events()
			if len(args) == 1 {
				var err error
				if evs, err = a.parseEvents(args[0]); err != nil {
					return err
				}
			}
			dir, err := a.workDir()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.listEvents(evs, asJSON)
			}
			return a.describeEvents(evs, dir, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// eventFacts is an event as events --json prints it.
type eventFacts struct {
	Event   string   `json:"event"`
	Fires   string   `json:"fires"`
	Subject string   `json:"subject"`
	Answers []string `json:"answers"`
	Effect  string   `json:"effect"`
	// Dialects are those that have the event; their payloads are left out of the list of
	// all events.
	Dialects []eventIn `json:"dialects"`
}

// eventIn is an event in a dialect.
type eventIn struct {
	Dialect string         `json:"dialect"`
	Name    string         `json:"name"`
	Payload jsontext.Value `json:"payload,omitzero"`
}

// listEvents prints what there is to choose from.
func (a *app) listEvents(evs []hook.Event, asJSON bool) error {
	list := []eventFacts{}
	for _, ev := range evs {
		list = append(list, a.eventFacts(ev))
	}
	if asJSON {
		return a.printJSON(list)
	}
	t := &table{}
	for i := range list {
		t.row(list[i].Event, list[i].Fires)
	}
	t.print(a.streams)
	return nil
}

// describeEvents prints all about some events, with the payloads of a directory.
func (a *app) describeEvents(evs []hook.Event, dir string, asJSON bool) error {
	list := []eventFacts{}
	for _, ev := range evs {
		f := a.eventFacts(ev)
		for i := range f.Dialects {
			in := &f.Dialects[i]
			var err error
			if in.Payload, err = a.samplePayload(dialect.ByName(a.dialects, in.Dialect), ev, dir); err != nil {
				return err
			}
		}
		list = append(list, f)
	}
	if asJSON {
		return a.printJSON(list)
	}
	for i := range list {
		a.eventText(&list[i])
	}
	return nil
}

// eventFacts is what is known of an event, without payloads.
func (a *app) eventFacts(ev hook.Event) eventFacts {
	spec := ev.Spec()
	f := eventFacts{Event: ev.String(), Fires: spec.Fires, Subject: spec.Subject, Answers: append([]string{}, spec.Honours.Names()...), Effect: spec.Effect, Dialects: []eventIn{}}
	for _, d := range a.dialects {
		if name := d.EventName(ev); name != "" {
			f.Dialects = append(f.Dialects, eventIn{Dialect: d.Name(), Name: name})
		}
	}
	return f
}

// samplePayload is what hooks of a dialect are told of an event.
func (a *app) samplePayload(d dialect.Dialect, ev hook.Event, dir string) (jsontext.Value, error) {
	in, err := inputOf(ev, dir)
	if err != nil {
		return nil, err
	}
	b, err := d.Codec().EncodeInput(&hook.Call{Input: in})
	if err != nil {
		return nil, err
	}
	return jsontext.Value(strings.TrimSpace(string(b))), nil
}

func (a *app) eventText(f *eventFacts) {
	row := func(label, value string) {
		if value != "" {
			a.printf("  %s: %s\n", label, line(value))
		}
	}
	a.printf("%s\n", a.style("1", f.Event))
	row("fires", f.Fires)
	row("matchers are tested against", f.Subject)
	row("answers that count", strings.Join(f.Answers, ", "))
	row("a deny", f.Effect)
	for _, d := range f.Dialects {
		a.printf("  %s: %s\n    %s\n", d.Dialect, escaped(d.Name), line(string(d.Payload)))
	}
}
