package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/plugin"
)

// pluginRemoveOptions are the arguments and the flags of plugin remove.
type pluginRemoveOptions struct {
	names  []string
	global bool
}

func newPluginRemoveCmd(a *app) *cobra.Command {
	var o pluginRemoveOptions
	cmd := &cobra.Command{
		Use:               "remove NAME...",
		Aliases:           []string{"rm"},
		Short:             "Remove plugins",
		Long:              "Remove plugins of the project, or with --global of the person. When one of the names is not installed, nothing is removed.",
		Example:           "  hookline plugin remove jingkaihe/hooks-collection",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runPluginRemove(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVarP(&o.global, "global", "g", false, "remove plugins of the person")
	return cmd
}

func runPluginRemove(ctx context.Context, a *app, o pluginRemoveOptions) error {
	if err := a.personOnly(); err != nil {
		return err
	}
	s, err := a.store("")
	if err != nil {
		return err
	}
	if _, err := s.Remove(ctx, o.names, plugin.RemoveOptions{Global: o.global, Progress: a.progress()}); err != nil {
		return err
	}
	for _, n := range o.names {
		a.printf("Removed %s\n", escaped(n))
	}
	return nil
}
