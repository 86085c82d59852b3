package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/internal/nearest"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui/clean"
)

// clientName is the program that hosts start, where it is installed beside this one.
const clientName = "hookline-hook"

// installer knows the files of hosts and what they are to start.
func (a *app) installer() (*bridge.Installer, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	in := &bridge.Installer{Dialects: a.dialects, Dirs: a.dirs(dir), Getenv: a.getenv, Client: self, Args: []string{"bridge", "run"}}
	name := clientName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if client := filepath.Join(filepath.Dir(self), name); isProgram(client) {
		in.Client, in.Args = client, nil
	}
	return in, nil
}

func isProgram(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}

// hostNamed finds a host.
func (a *app) hostNamed(name string) (*dialect.Host, error) {
	h, _ := dialect.HostByName(a.dialects, name)
	if h != nil {
		return h, nil
	}
	names := hostNames(a)
	if near := nearest.Name(name, names); near != "" {
		return nil, usagef("there is no host %s (did you mean %s?)", name, near)
	}
	return nil, usagef("there is no host %s; there are %s", name, strings.Join(names, ", "))
}

// outsideAgents refuses what changes whether an agent is guarded to the agent.
func (a *app) outsideAgents() error {
	if sign := trust.InsideAgent(a.getenv); sign != "" {
		return fmt.Errorf("this is for the person to do: %s says that an agent started it; call it in a terminal of your own", sign)
	}
	return nil
}

// installOptions are the flags of install and remove.
type installOptions struct {
	host                      string
	user, project, local, all bool
	events                    []string
	eventsWanted, dry         bool
}

// level is the level of the flags, "" for the host's first one.
func (o *installOptions) level() (string, error) {
	level, n := "", 0
	for _, l := range []struct {
		on   bool
		name string
	}{{o.user, "user"}, {o.project, "project"}, {o.local, "local"}} {
		if l.on {
			level, n = l.name, n+1
		}
	}
	if n > 1 {
		return "", usagef("choose one of --user, --project and --local")
	}
	return level, nil
}

func (o *installOptions) add(cmd *cobra.Command, verb string) {
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, verb+" the person's own file")
	f.BoolVar(&o.project, "project", false, verb+" the project's file")
	f.BoolVar(&o.local, "local", false, verb+" the project's file that is not shared, where the host has one")
	f.BoolVar(&o.dry, "dry-run", false, "print what would change, and change nothing")
}

func newBridgeInstallCmd(a *app) *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use:   "install HOST",
		Short: "Let an agent of another maker ask the hooks",
		Long: `Put an entry for each event into the host's own file. Everything else in the file
keeps its bytes; a second install changes nothing; 'hookline bridge remove' gives the
file back as it was. If hookline is not there any more, what the host asks is refused.
Hooks that are in the host's own files are left to it. Without --project or --local it is
the person's file, or the project's where a person has none.`,
		Example: `  hookline bridge install claude
  hookline bridge install claude --project --events PreToolUse,Stop --dry-run`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeHost,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.host, o.eventsWanted = args[0], cmd.Flags().Changed("events")
			return runBridgeInstall(cmd.Context(), a, o)
		},
	}
	o.add(cmd, "write")
	cmd.Flags().StringSliceVar(&o.events, "events", nil, "only these events, by the host's names")
	return cmd
}

func (a *app) completeHost(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return hostNames(a), cobra.ShellCompDirectiveNoFileComp
}

func runBridgeInstall(ctx context.Context, a *app, o installOptions) error {
	h, err := a.hostNamed(o.host)
	if err != nil {
		return err
	}
	level, err := o.level()
	if err != nil {
		return err
	}
	if err := a.outsideAgents(); err != nil {
		return err
	}
	in, err := a.installer()
	if err != nil {
		return err
	}
	in.Dry = o.dry
	if !o.eventsWanted {
		o.events = nil
	}
	c, err := in.Install(ctx, h, level, o.events)
	if err != nil {
		return err
	}
	switch {
	case o.dry:
		a.printf("%s", clean.Exact(c.Diff()))
		return nil
	case c.Nothing():
		a.printf("%s has the bridge already: %s\n", h.Title, escaped(c.Path))
	default:
		a.printf("%s asks the hooks from its next session on: %s\n", h.Title, escaped(c.Path))
	}
	for _, n := range h.Needs {
		a.printf("  %s\n", n)
	}
	return nil
}

func newBridgeRemoveCmd(a *app) *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use:   "remove HOST",
		Short: "Take the bridge out of an agent's files",
		Long: `Take the bridge out of the host's files here: the person's and the project's, or the one
that a flag names. One that nobody changed since is what it was before, byte for byte; in
others, our entries go and all else stays.`,
		Example:           "  hookline bridge remove claude\n  hookline bridge remove --all",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeHost,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == o.all {
				return usagef("name a host, or give --all")
			}
			if len(args) == 1 {
				o.host = args[0]
			}
			return runBridgeRemove(cmd.Context(), a, o)
		},
	}
	o.add(cmd, "change")
	cmd.Flags().BoolVar(&o.all, "all", false, "take it out of every file that it was installed into")
	return cmd
}

func runBridgeRemove(ctx context.Context, a *app, o installOptions) error {
	if err := a.outsideAgents(); err != nil {
		return err
	}
	in, err := a.installer()
	if err != nil {
		return err
	}
	in.Dry = o.dry
	var paths []string
	if o.all {
		paths, err = in.Installed()
	} else {
		paths, err = a.pathsOf(in, o)
	}
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		a.warnf("the bridge is not installed")
	}
	var errs []error // one that cannot be changed keeps no other one
	for _, path := range paths {
		c, err := in.Remove(ctx, path)
		switch {
		case err != nil:
			errs = append(errs, err)
		case o.dry:
			a.printf("%s", clean.Exact(c.Diff()))
		case c.Nothing():
			a.printf("the bridge is not in %s\n", escaped(c.Path))
		default:
			a.printf("removed from %s\n", escaped(c.Path))
		}
	}
	return errors.Join(errs...)
}

// pathsOf are the files of the host that have the bridge here, or the one of the level that
// the flags name.
func (a *app) pathsOf(in *bridge.Installer, o installOptions) ([]string, error) {
	h, err := a.hostNamed(o.host)
	if err != nil {
		return nil, err
	}
	if o.user || o.project || o.local {
		level, err := o.level()
		if err != nil {
			return nil, err
		}
		path, err := in.Path(h, level)
		return []string{path}, err
	}
	places, err := in.Places(h)
	var paths []string
	for _, p := range places {
		paths = append(paths, p.Path)
	}
	return paths, err
}
