package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/plugin"
)

// pluginAddOptions are the arguments and the flags of plugin add.
type pluginAddOptions struct {
	plugin.InstallOptions
	sources      []string
	host, layout string
	yes          bool
}

func newPluginAddCmd(a *app) *cobra.Command {
	var o pluginAddOptions
	cmd := &cobra.Command{
		Use:   "add SOURCE...",
		Short: "Install plugins",
		Long: `Install plugins into the project, or with --global for the person. A SOURCE is
owner/repo, owner/repo@ref (a branch, tag or commit), a git URL (https, ssh,
file), or a local directory; //DIR behind a repository is a directory in it, and
NAME@MARKETPLACE a plugin of a marketplace that was added. Nothing of a plugin
is run by installing it.`,
		Example: "  hookline plugin add jingkaihe/hooks-collection\n  hookline plugin add -g https://git.example.com/team/hooks.git@v2\n  hookline plugin add acme/tools//plugins/guard@v2\n  hookline plugin add guard@acme-tools\n  hookline plugin add ./my-plugin",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.sources = args
			return runPluginAdd(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.Global, "global", "g", false, "install for the person instead of the project")
	f.BoolVar(&o.Force, "force", false, "replace a plugin of that name")
	f.BoolVar(&o.ContinueOnError, "continue-on-error", false, "go on with the next source after a failure")
	f.BoolVar(&o.DryRun, "dry-run", false, "fetch and check, and change nothing")
	f.StringVar(&o.host, "host", "github.com", "host that owner/repo is on")
	f.StringVar(&o.layout, "layout", "hookline", "where to put them: hookline, or kodelet so that kodelet sees them too")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask before hooks are replaced")
	return cmd
}

func runPluginAdd(ctx context.Context, a *app, o pluginAddOptions) error {
	if err := a.personOnly(); err != nil {
		return err
	}
	s, err := a.store(o.layout)
	if err != nil {
		return err
	}
	dir, err := a.workDir()
	if err != nil {
		return err
	}
	var sources []plugin.Source
	for _, arg := range o.sources {
		src, offered, err := s.Offered(arg)
		if err == nil && !offered {
			src, err = plugin.ParseSource(arg, plugin.SourceOptions{Host: o.host, Dir: dir})
		}
		if err != nil {
			return &usageError{err}
		}
		sources = append(sources, src)
	}
	o.Progress = a.progress()
	if o.Force && !o.yes && a.asks {
		o.Approve = a.approveDiff
	}
	results, err := s.Install(ctx, sources, o.InstallOptions)
	for _, r := range results {
		if o.DryRun {
			a.warnf("%s: would be installed (dry run)", r.Name)
		}
		if rerr := plugin.RenderInstalled(a.out, r); rerr != nil {
			return rerr
		}
		if len(r.Diff.Modified) > 0 && !o.DryRun {
			a.warnf("%s: replaced, with what was changed on this machine: %s", r.Name, strings.Join(r.Diff.Modified, ", "))
		}
		a.printDiagnostics(r.Diagnostics)
	}
	return err
}

// progress reports what takes long, on a terminal only.
func (a *app) progress() func(plugin.Progress) {
	if !a.asks {
		return nil
	}
	last := plugin.Stage("")
	return func(p plugin.Progress) {
		if p.Stage == last {
			return
		}
		last = p.Stage
		switch p.Stage {
		case plugin.StageWait:
			a.warnf("waiting: another process changes the plugins (%s)", p.Detail)
		case plugin.StageFetch:
			a.warnf("fetching %s", p.Plugin)
		}
	}
}

// approveDiff shows a change and asks.
func (a *app) approveDiff(d plugin.Diff) (bool, error) {
	if err := plugin.RenderDiffText(a.err, d); err != nil {
		return false, err
	}
	return a.confirm(context.Background(), "Let these hooks become active?")
}
