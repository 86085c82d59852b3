package main

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/plugin"
)

// pluginListOptions are the flags of plugin list.
type pluginListOptions struct{ asJSON bool }

func newPluginListCmd(a *app) *cobra.Command {
	var o pluginListOptions
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List installed plugins",
		Example: "  hookline plugin list\n  hookline plugin list --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runPluginList(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runPluginList(ctx context.Context, a *app, o pluginListOptions) error {
	s, err := a.store("")
	if err != nil {
		return err
	}
	plugins, diags, err := s.List(ctx)
	if err != nil {
		return err
	}
	a.printDiagnostics(diags)
	if o.asJSON {
		var b bytes.Buffer
		if err := plugin.RenderJSON(&b, plugins); err != nil {
			return err
		}
		return a.writeJSON(b.Bytes())
	}
	return plugin.RenderList(a.out, plugins)
}
