package main

import (
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/hook"
)

// parseEvent finds an event by its canonical name or by a dialect's.
func parseEvent(name string) (hook.Event, error) {
	if ev, ok := hook.ParseEvent(name); ok {
		return ev, nil
	}
	if evs := kodelet.Events(name); evs != nil {
		return evs[0], nil
	}
	if evs := pi.Events(name); evs != nil {
		return evs[0], nil
	}
	return 0, &usageError{&hook.UnknownEventError{Name: name}}
}

func completeEvents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, ev := range hook.Events() {
		out = append(out, ev.String()+"\t"+ev.Spec().Fires)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
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
	defer w.close()
	return w.set.Names(), cobra.ShellCompDirectiveNoFileComp
}
