package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/plugin"
)

func newPluginCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plugin",
		Aliases: []string{"plugins"},
		Short:   "Install and manage plugins: skills, recipes, hooks and tools from git",
		Example: "  hookline plugin add owner/repo@v1.2\n  hookline plugin list",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginAddCmd(a), newPluginListCmd(a), newPluginShowCmd(a), newPluginRemoveCmd(a), newPluginUpdateCmd(a), newPluginVerifyCmd(a), newPluginSearchCmd(a), newMarketplaceCmd(a))
	return cmd
}

// store returns the plugins of the working directory and the person.
func (a *app) store(layout string) (*plugin.Store, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	p := dialect.PluginPlaces(a.dirs(dir), a.dialects)
	if _, err := p.Layout(layout); err != nil {
		return nil, &usageError{err}
	}
	return &plugin.Store{Places: p, InstallLayout: layout}, nil
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
