package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/plugin"
)

// pluginShowOptions are the argument and the flags of plugin show.
type pluginShowOptions struct {
	name   string
	asJSON bool
}

func newPluginShowCmd(a *app) *cobra.Command {
	var o pluginShowOptions
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a plugin in full",
		Example:           "  hookline plugin show jingkaihe/hooks-collection",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runPluginShow(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runPluginShow(ctx context.Context, a *app, o pluginShowOptions) error {
	s, err := a.store("")
	if err != nil {
		return err
	}
	details, err := s.Show(ctx, o.name)
	if err != nil {
		return err
	}
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	return a.showPlugins(w, details, o.asJSON)
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
		for _, g := range s.Granted {
			a.printf("  granted  %s\n", escaped(g))
		}
		for _, h := range s.HookFiles {
			a.printf("  hook     %s  %s, %s, sha256 %s\n", escaped(h.Name), escaped(h.Type), h.Status, h.SHA256)
		}
		for _, k := range []struct {
			kind  string
			names []string
		}{{"skill", s.Skills}, {"recipe", s.Recipes}, {"tool", s.Tools}, {"agent", s.Agents}, {"server", s.Servers}} {
			for _, n := range k.names {
				a.printf("  %-8s %s\n", k.kind, escaped(n))
			}
		}
	}
	return nil
}
