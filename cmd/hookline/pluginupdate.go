package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/plugin"
)

// pluginUpdateOptions are the arguments and the flags of plugin update.
type pluginUpdateOptions struct {
	plugin.UpdateOptions
	names       []string // none is all
	yes, asJSON bool
}

func newPluginUpdateCmd(a *app) *cobra.Command {
	var o pluginUpdateOptions
	cmd := &cobra.Command{
		Use:               "update [NAME...]",
		Short:             "Bring plugins up to date",
		Long:              "Ask the sources of plugins for what their refs stand for now, show what changed file by file, and ask before new or changed hooks become active and before files that were changed on this machine are overwritten. Without names all plugins are updated.",
		Example:           "  hookline plugin update\n  hookline plugin update jingkaihe/hooks-collection --yes",
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runPluginUpdate(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.GlobalOnly, "global", "g", false, "only plugins of the person")
	f.BoolVar(&o.DryRun, "dry-run", false, "say what there is, and change nothing")
	f.BoolVar(&o.ContinueOnError, "continue-on-error", false, "go on after a failure")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask before hooks become active or changed files are overwritten")
	f.BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runPluginUpdate(ctx context.Context, a *app, o pluginUpdateOptions) error {
	if !o.DryRun {
		if err := a.personOnly(); err != nil {
			return err
		}
	}
	s, err := a.store("")
	if err != nil {
		return err
	}
	o.Progress = a.progress()
	switch {
	case o.yes:
		o.Approve = func(d plugin.Diff) (bool, error) { return true, plugin.RenderDiff(a.err, d) }
	case a.asks:
		o.Approve = a.approveDiff
	}
	results, err := s.Update(ctx, o.names, o.UpdateOptions)
	if o.asJSON {
		if results == nil {
			results = []plugin.UpdateResult{}
		}
		return errors.Join(a.printJSON(results), err)
	}
	if o.DryRun {
		for _, r := range results {
			if r.Status == plugin.Available {
				err = errors.Join(err, plugin.RenderDiff(a.err, r.Diff))
			}
		}
	}
	if err == nil || len(results) > 0 {
		a.updated(results)
	}
	return err
}

// updated prints what became of plugins.
func (a *app) updated(results []plugin.UpdateResult) {
	a.sayNoPlugins(len(results))
	kept := false
	for _, r := range results {
		a.printf("%s: %s", escaped(r.Name), r.Status)
		if len(r.Diff.Files) > 0 {
			a.printf(" (%s)", r.Diff.Summary())
		}
		a.printf("\n")
		fate := "changed on this machine"
		switch r.Status {
		case plugin.Updated:
			fate += ", overwritten"
		case plugin.Available:
			fate += ", would be overwritten"
		default:
			kept = kept || len(r.Modified) > 0
		}
		for _, f := range r.Modified {
			a.printf("  %s: %s\n", fate, escaped(f))
		}
	}
	if kept {
		a.warnf("'hookline plugin add --force SOURCE' puts the files back that were changed on this machine.")
	}
}

// sayNoPlugins says why nothing was printed.
func (a *app) sayNoPlugins(n int) {
	if n == 0 {
		a.warnf("No plugins installed.")
	}
}
