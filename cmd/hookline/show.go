package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/discovery"
)

// showOptions are the argument and the flags of show.
type showOptions struct {
	name   string
	asJSON bool
}

func newShowCmd(a *app) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show one hook in full",
		Long:              "Show everything about a hook: where it comes from, what runs, its digest, timeout, failure policy, and whether it is in force. A plugin's hook is named org/repo/name.",
		Example:           "  hookline show guard\n  hookline show jingkaihe/hooks-collection/validate-output",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeHooks,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runShow(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runShow(ctx context.Context, a *app, o showOptions) error {
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	hooks, err := w.named(o.name)
	if err != nil {
		return err
	}
	if o.asJSON {
		out := []listed{}
		for i := range hooks {
			out = append(out, describe(&hooks[i]))
		}
		return a.printJSON(out)
	}
	for i := range hooks {
		if i > 0 {
			a.printf("\n")
		}
		a.showText(w, &hooks[i])
	}
	return nil
}

func (a *app) showText(w *workspace, h *discovery.Found) {
	l := describe(h)
	row := func(label, value string) {
		if value != "" {
			a.printf("%-12s %s\n", label, escaped(value))
		}
	}
	a.printf("%s\n", a.style("1", escaped(l.Name)))
	row("event", l.Event)
	row("type", l.Type)
	row("matcher", l.Matcher)
	row("dialect", l.Dialect)
	row("scope", l.Scope)
	row("plugin", l.Plugin)
	row("status", l.Status)
	row("why", l.Why)
	row("trust", l.Trust)
	row("source", w.relative(l.Source))
	row("command", l.Command)
	row("digest", l.Digest)
	if l.Timeout > 0 {
		row("timeout", fmt.Sprintf("%g s", l.Timeout))
	}
	row("on failure", l.Policy)
	for _, f := range h.Artifact.Files {
		row("file", w.relative(f))
	}
	for _, s := range l.Also {
		row("also in", w.relative(s))
	}
	for _, r := range l.Registers {
		row("registers", r)
	}
}
