package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
)

// newHook groups the commands about single hooks under the word that other tools
// use; enable and disable are there at the top level too.
func newHookCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "hook",
		Short:   "Enable, disable, list and show hooks",
		Example: "  hookline hook disable guard",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newEnableCmd(a), newDisableCmd(a), newListCmd(a), newShowCmd(a))
	return cmd
}

func newEnableCmd(a *app) *cobra.Command {
	return newToggleCmd(a, "enable", "Switch a hook on again", toggleOptions{on: true})
}

func newDisableCmd(a *app) *cobra.Command {
	return newToggleCmd(a, "disable", "Switch a hook off without removing it", toggleOptions{})
}

// toggleOptions are the arguments of enable and disable.
type toggleOptions struct {
	names   []string
	dialect string
	on      bool
}

func newToggleCmd(a *app, verb, short string, o toggleOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:               verb + " [NAME...]",
		Short:             short,
		Long:              short + ". Executable hooks are renamed to or from NAME.disable; others are listed in your config.json: those of the project in hooks.disabledIn, all others in hooks.disabled. Managed hooks cannot be switched off. With --dialect it is the hooks in another agent's own files, which do not run here otherwise: hooks.dialects of the person's config.json lists it.",
		Example:           "  hookline " + verb + " guard\n  hookline " + verb + " --dialect codex",
		ValidArgsFunction: a.completeHooks,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.names = args; len(args) == 0 && o.dialect == "" {
				return usagef("which hook? 'hookline list' has their names")
			}
			return runToggle(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.dialect, "dialect", "", "the hooks in the own files of an agent: "+strings.Join(hostDialects(a.dialects), ", "))
	_ = cmd.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions(hostDialects(a.dialects), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// hostDialects are the dialects whose hooks run only when somebody asks for them.
func hostDialects(list []dialect.Dialect) (out []string) {
	for _, d := range list {
		if d, ok := d.(dialect.Optional); ok && d.OnRequest() {
			out = append(out, d.Name())
		}
	}
	return out
}

func runToggle(ctx context.Context, a *app, o toggleOptions) error {
	if err := a.personOnly(); err != nil {
		return err
	}
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	if o.dialect != "" {
		if err := a.toggleDialect(w, o); err != nil {
			return err
		}
	}
	for _, name := range o.names {
		if err := a.toggleHook(w, name, o.on); err != nil {
			return err
		}
	}
	return nil
}

// toggleDialect lists a dialect among those whose hooks run, or takes it from there.
func (a *app) toggleDialect(w *workspace, o toggleOptions) error {
	if known := hostDialects(a.dialects); !slices.Contains(known, o.dialect) {
		return usagef("--dialect %s: there are %s", o.dialect, strings.Join(known, ", "))
	}
	changed, err := config.Edit(filepath.Join(w.Dirs.Config, config.FileName), config.HostDialects, toggled(o.dialect, o.on))
	if err != nil {
		return err
	}
	word := map[bool]string{true: "run here too", false: "do not run here"}[o.on]
	if !changed {
		word = map[bool]string{true: "run here already", false: "do not run here anyway"}[o.on]
	}
	a.printf("hooks of %s %s\n", o.dialect, word)
	return nil
}

// toggled is the change of a list in which a name is to be or not to be.
func toggled(name string, in bool) func([]string) []string {
	if !in {
		return without(name)
	}
	return func(names []string) []string {
		if slices.Contains(names, name) {
			return names
		}
		return append(names, name)
	}
}

// without is the change of a list that takes a name out.
func without(name string) func([]string) []string {
	return func(names []string) []string {
		return slices.DeleteFunc(names, func(n string) bool { return n == name })
	}
}

func (a *app) toggleHook(w *workspace, name string, on bool) error {
	hooks, err := w.named(name)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	changed := false
	for i := range hooks {
		h := &hooks[i]
		if h.Level == "managed" {
			return fmt.Errorf("hook %q is managed by the administrator and cannot be switched off", name)
		}
		if done[h.Path+h.Dialect] || h.Status == discovery.Shadowed {
			continue
		}
		done[h.Path+h.Dialect] = true
		target := h.Name
		if name == h.FullName() {
			target = name
		}
		did, err := a.toggle(w, h, target, on)
		if err != nil {
			return err
		}
		changed = changed || did
		if on && h.Earlier != "" {
			if did, err = a.toggle(w, h, h.Earlier, on); err != nil {
				return err
			}
			changed = changed || did
		}
	}
	word := map[bool]string{true: "enabled", false: "disabled"}[on]
	if !changed {
		a.printf("%s is %s already\n", escaped(name), word)
		return nil
	}
	a.printf("%s is %s\n", escaped(name), word)
	return nil
}

// toggle switches the hook of a name, in its dialect's way where that has one, and
// reports whether that changed anything. A name in hooks.disabled keeps any hook off.
func (a *app) toggle(w *workspace, h *discovery.Found, name string, on bool) (bool, error) {
	d, ok := dialect.ByName(a.dialects, h.Dialect).(dialect.Switch)
	if !ok {
		return w.toggleInConfig(h, name, on)
	}
	changed, err := d.SetEnabled(h, on)
	if err != nil || changed || !on {
		return changed, err
	}
	return w.toggleInConfig(h, name, on)
}

// toggleInConfig lists a hook in the person's configuration, or takes it out: a hook of the
// project by the project, since the project's own file has no say over guards that the
// person approved. What that file lists is taken out when the hook is switched on.
func (w *workspace) toggleInConfig(h *discovery.Found, name string, on bool) (changed bool, err error) {
	list := config.DisabledHooks
	if h.Level == "project" || h.Level == "local" {
		list = config.DisabledIn(w.Dirs.Project)
		if on {
			if changed, err = config.Edit(filepath.Join(w.Dirs.Project, ".hookline", config.FileName), config.DisabledHooks, without(name)); err != nil {
				return changed, err
			}
		}
	}
	did, err := config.Edit(filepath.Join(w.Dirs.Config, config.FileName), list, toggled(name, !on))
	return changed || did, err
}
