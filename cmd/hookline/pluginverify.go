package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/plugin"
)

// pluginVerifyOptions are the arguments and the flags of plugin verify.
type pluginVerifyOptions struct {
	names  []string // none is all
	asJSON bool
}

func newPluginVerifyCmd(a *app) *cobra.Command {
	var o pluginVerifyOptions
	cmd := &cobra.Command{
		Use:               "verify [NAME...]",
		Short:             "Compare installed files with plugins.lock",
		Example:           "  hookline plugin verify",
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runPluginVerify(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runPluginVerify(ctx context.Context, a *app, o pluginVerifyOptions) error {
	s, err := a.store("")
	if err != nil {
		return err
	}
	reports, err := s.Verify(ctx, o.names...)
	if err != nil {
		return err
	}
	return a.verified(reports, o.asJSON)
}

func (a *app) verified(reports []plugin.Report, asJSON bool) error {
	clean := true
	for _, r := range reports {
		clean = clean && r.Clean()
	}
	if asJSON {
		if reports == nil {
			reports = []plugin.Report{}
		}
		if err := a.printJSON(reports); err != nil {
			return err
		}
	} else {
		a.sayNoPlugins(len(reports))
		for _, r := range reports {
			a.printf("%s: %s\n", escaped(r.Name), r.Status)
			for _, l := range []struct {
				word  string
				files []string
			}{{"modified", r.Modified}, {"mode changed", r.Mode}, {"missing", r.Missing}, {"extra", r.Extra}} {
				for _, f := range l.files {
					a.printf("  %s: %s\n", l.word, escaped(f))
				}
			}
		}
	}
	if !clean {
		return errSilent
	}
	return nil
}
