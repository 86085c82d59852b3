package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// parseEvent finds an event by its canonical name, in any letter case, or by a
// dialect's. Of the events of a dialect's name it is the one that is named so.
func (a *app) parseEvent(name string) (hook.Event, error) {
	evs, err := a.parseEvents(name)
	if err != nil {
		return 0, err
	}
	return evs[0], nil
}

// parseEvents finds all events of a name, of which there is at least one.
func (a *app) parseEvents(name string) ([]hook.Event, error) {
	var known []string
	for _, ev := range hook.Events() {
		if strings.EqualFold(ev.String(), name) {
			return []hook.Event{ev}, nil
		}
		known = append(known, ev.String())
	}
	for _, d := range a.dialects {
		if evs := d.EventsOf(name); evs != nil {
			return evs, nil
		}
		known = append(known, d.EventNames()...)
	}
	unknown := &hook.UnknownEventError{Name: name, Suggestion: nearest.Name(name, known)}
	if unknown.Suggestion != "" {
		return nil, &usageError{unknown}
	}
	return nil, usagef("%w; 'hookline events' lists all", unknown)
}

// eventName is the flag --event. That it is given without a name is not the same as that
// it is left out.
type eventName struct {
	name  string
	given bool
}

func (e *eventName) String() string { return e.name }

// Type is what the help calls the value.
func (e *eventName) Type() string { return "string" }

// Set takes over the name.
func (e *eventName) Set(name string) error {
	*e = eventName{name, true}
	return nil
}

// eventsOf is parseEvents of a flag; nil, for all events, when it is not given.
func (a *app) eventsOf(e eventName) ([]hook.Event, error) {
	if !e.given {
		return nil, nil
	}
	return a.parseEvents(e.name)
}

func completeEvents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, ev := range hook.Events() {
		out = append(out, ev.String()+"\t"+ev.Spec().Fires)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeHookFlag completes the value of a flag that names a hook.
func (a *app) completeHookFlag(cmd *cobra.Command, _ []string, s string) ([]string, cobra.ShellCompDirective) {
	return a.completeHooks(cmd, nil, s)
}

// completeHooks offers the names of the hooks of the working directory.
func (a *app) completeHooks(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	w, err := a.open(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer w.Close()
	return w.Set().Names(), cobra.ShellCompDirectiveNoFileComp
}
