package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/plugin"
)

func newPlugin(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plugin",
		Aliases: []string{"plugins"},
		Short:   "Install and manage plugins: skills, recipes, hooks and tools from git",
		Example: "  hookline plugin add owner/repo@v1.2\n  hookline plugin list",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginAdd(a), newPluginList(a), newPluginShow(a), newPluginRemove(a), newPluginUpdate(a), newPluginVerify(a))
	return cmd
}

// store returns the plugins of the working directory and the person.
func (a *app) store(layout string) (*plugin.Store, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	p := a.places(a.dirs(dir))
	if _, err := p.Layout(layout); err != nil {
		return nil, &usageError{err}
	}
	return &plugin.Store{Places: p, InstallLayout: layout}, nil
}

func newPluginAdd(a *app) *cobra.Command {
	var o plugin.InstallOptions
	var host, layout string
	var yes bool
	cmd := &cobra.Command{
		Use:   "add SOURCE...",
		Short: "Install plugins",
		Long: `Install plugins into the project, or with --global for the person. A SOURCE is
owner/repo, owner/repo@ref (a branch, tag or commit), a git URL (https, ssh,
file), or a local directory. Nothing of a plugin is run by installing it.`,
		Example: "  hookline plugin add jingkaihe/hooks-collection\n  hookline plugin add -g https://git.example.com/team/hooks.git@v2\n  hookline plugin add ./my-plugin",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.store(layout)
			if err != nil {
				return err
			}
			dir, err := a.workDir()
			if err != nil {
				return err
			}
			var sources []plugin.Source
			for _, arg := range args {
				src, err := plugin.ParseSource(arg, plugin.SourceOptions{Host: host, Dir: dir})
				if err != nil {
					return &usageError{err}
				}
				sources = append(sources, src)
			}
			o.Progress = a.progress()
			if o.Force && !yes && a.asks {
				o.Approve = a.approveDiff
			}
			results, err := s.Install(cmd.Context(), sources, o)
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
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.Global, "global", "g", false, "install for the person instead of the project")
	f.BoolVar(&o.Force, "force", false, "replace a plugin of that name")
	f.BoolVar(&o.ContinueOnError, "continue-on-error", false, "go on with the next source after a failure")
	f.BoolVar(&o.DryRun, "dry-run", false, "fetch and check, and change nothing")
	f.StringVar(&host, "host", "github.com", "host that owner/repo is on")
	f.StringVar(&layout, "layout", "hookline", "where to put them: hookline, or kodelet so that kodelet sees them too")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask before hooks are replaced")
	return cmd
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
	if err := plugin.RenderDiff(a.err, d, true); err != nil {
		return false, err
	}
	return a.confirm(context.Background(), "Let these hooks become active?")
}

// confirm asks a yes-or-no question on a terminal.
func (a *app) confirm(ctx context.Context, question string) (bool, error) {
	if !a.asks {
		return false, fmt.Errorf("%s There is nobody to ask here; --yes answers yes", question)
	}
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // ends with its line, or with the program
		s, err := bufio.NewReader(a.in).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			s = ""
		}
		answer <- s
	}()
	select {
	case s := <-answer:
		s = strings.ToLower(strings.TrimSpace(s))
		return s == "y" || s == "yes", nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

func newPluginList(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List installed plugins",
		Example: "  hookline plugin list\n  hookline plugin list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.store("")
			if err != nil {
				return err
			}
			plugins, diags, err := s.List(cmd.Context())
			if err != nil {
				return err
			}
			a.printDiagnostics(diags)
			if asJSON {
				var b bytes.Buffer
				if err := plugin.RenderJSON(&b, plugins); err != nil {
					return err
				}
				return a.writeJSON(b.Bytes())
			}
			return plugin.RenderList(a.out, plugins)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newPluginShow(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a plugin in full",
		Example:           "  hookline plugin show jingkaihe/hooks-collection",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.store("")
			if err != nil {
				return err
			}
			details, err := s.Show(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			w, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer w.Close()
			return a.showPlugins(w, details, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// shownHook is a hook of a plugin with its type, which only discovery knows.
type shownHook struct {
	plugin.HookFile
	Type   string `json:"type"`
	Status string `json:"status"`
}

func (a *app) showPlugins(w *workspace, details []plugin.Detail, asJSON bool) error {
	type shown struct {
		plugin.Plugin
		HookFiles []shownHook       `json:"hook_files"`
		ToolFiles []plugin.HookFile `json:"tool_files"`
		Verify    plugin.Report     `json:"verify"`
	}
	var out []shown
	for _, d := range details {
		s := shown{Plugin: d.Plugin, ToolFiles: d.ToolFiles, Verify: d.Report, HookFiles: []shownHook{}}
		for _, h := range d.HookFiles {
			sh := shownHook{HookFile: h, Type: "unknown", Status: "unknown"}
			for _, f := range w.Set().Hooks {
				if f.Path == h.Path {
					sh.Type, sh.Status = f.Type, string(f.Status)
				}
			}
			s.HookFiles = append(s.HookFiles, sh)
		}
		out = append(out, s)
	}
	if asJSON {
		return a.printJSON(out)
	}
	for _, s := range out {
		a.printf("%s  (%s)\n", a.style("1", escaped(s.Name)), s.Location)
		for _, kv := range [][2]string{{"path", w.relative(s.Path)}, {"source", s.Source}, {"ref", s.Ref}, {"commit", s.Commit}, {"files", string(s.Verify.Status)}} {
			if kv[1] != "" {
				a.printf("  %-8s %s\n", kv[0], line(kv[1]))
			}
		}
		for _, h := range s.HookFiles {
			a.printf("  hook     %s  %s, %s, sha256 %s\n", escaped(h.Name), escaped(h.Type), h.Status, h.SHA256)
		}
		for kind, names := range map[string][]string{"skill": s.Skills, "recipe": s.Recipes, "tool": s.Tools} {
			for _, n := range names {
				a.printf("  %-8s %s\n", kind, escaped(n))
			}
		}
	}
	return nil
}

func newPluginRemove(a *app) *cobra.Command {
	var global bool
	cmd := &cobra.Command{
		Use:               "remove NAME...",
		Aliases:           []string{"rm"},
		Short:             "Remove plugins",
		Long:              "Remove plugins of the project, or with --global of the person. When one of the names is not installed, nothing is removed.",
		Example:           "  hookline plugin remove jingkaihe/hooks-collection",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.store("")
			if err != nil {
				return err
			}
			if _, err := s.Remove(cmd.Context(), args, plugin.RemoveOptions{Global: global, Progress: a.progress()}); err != nil {
				return err
			}
			for _, n := range args {
				a.printf("Removed %s\n", escaped(n))
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&global, "global", "g", false, "remove plugins of the person")
	return cmd
}

// completePlugins offers the names of installed plugins.
func (a *app) completePlugins(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	s, err := a.store("")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	plugins, _, err := s.List(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, p := range plugins {
		out = append(out, p.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
