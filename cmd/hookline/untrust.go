package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/trust"
)

// untrustOptions are the arguments and the flags of untrust.
type untrustOptions struct {
	names []string // of hooks, or paths
	all   bool
}

func newUntrustCmd(a *app) *cobra.Command {
	var o untrustOptions
	cmd := &cobra.Command{
		Use:               "untrust [NAME|PATH...]",
		Short:             "End approvals of hooks of the project",
		Example:           "  hookline untrust guard\n  hookline untrust --all",
		ValidArgsFunction: a.completeHooks,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runUntrust(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "all hooks of the project")
	return cmd
}

func runUntrust(ctx context.Context, a *app, o untrustOptions) error {
	if err := a.personOnly(); err != nil {
		return err
	}
	if len(o.names) == 0 && !o.all {
		return usagef("name hooks, or say --all")
	}
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	artifacts, err := w.artifacts(ctx, o.names)
	if err != nil {
		return err
	}
	ended, err := trust.NewStore(discovery.TrustDir(w.Dirs)).Revoke(ctx, artifacts...)
	if err != nil {
		return err
	}
	for _, e := range ended {
		a.printf("%s is not approved any more\n", escaped(e.Name))
	}
	if len(ended) == 0 {
		a.warnf("None of them was approved.")
	}
	return nil
}
