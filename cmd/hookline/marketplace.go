package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/plugin"
)

func newMarketplaceCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "marketplace",
		Short: "Lists of plugins that others keep",
		Long: `Add, list, update and remove marketplaces: repositories or directories with a
.claude-plugin/marketplace.json. Only the list is fetched; its plugins are found with
'hookline plugin search' and installed with 'hookline plugin add NAME@MARKETPLACE'.`,
		Example: "  hookline plugin marketplace add acme/tools\n  hookline plugin marketplace list",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMarketplaceAddCmd(a), newMarketplaceListCmd(a), newMarketplaceUpdateCmd(a), newMarketplaceRemoveCmd(a))
	return cmd
}

func newMarketplaceAddCmd(a *app) *cobra.Command {
	var host string
	cmd := &cobra.Command{
		Use:     "add SOURCE",
		Short:   "Fetch a marketplace's list and keep it",
		Example: "  hookline plugin marketplace add acme/tools@main\n  hookline plugin marketplace add ./tools",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMarketplaceAdd(cmd.Context(), a, args[0], host)
		},
	}
	cmd.Flags().StringVar(&host, "host", "github.com", "host that owner/repo is on")
	return cmd
}

func runMarketplaceAdd(ctx context.Context, a *app, arg, host string) error {
	s, err := a.marketplaces()
	if err != nil {
		return err
	}
	dir, err := a.workDir()
	if err != nil {
		return err
	}
	src, err := plugin.ParseSource(arg, plugin.SourceOptions{Host: host, Dir: dir})
	if err != nil {
		return &usageError{err}
	}
	m, err := s.AddMarketplace(ctx, src)
	if err != nil {
		return err
	}
	a.printf("%s: %s\n", escaped(m.Name), count(len(m.Offers), "plugin", "plugins"))
	return nil
}

// marketplaces is the store of plugins, for what changes which plugins the person is offered.
func (a *app) marketplaces() (*plugin.Store, error) {
	if err := a.personOnly(); err != nil {
		return nil, err
	}
	return a.store("")
}

// marketplaceListOptions are the flags of plugin marketplace list.
type marketplaceListOptions struct{ asJSON bool }

func newMarketplaceListCmd(a *app) *cobra.Command {
	var o marketplaceListOptions
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the marketplaces that were added",
		Example: "  hookline plugin marketplace list",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runMarketplaceList(a, o) },
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runMarketplaceList(a *app, o marketplaceListOptions) error {
	s, err := a.store("")
	if err != nil {
		return err
	}
	all, err := s.Marketplaces()
	if err != nil {
		return err
	}
	if o.asJSON {
		type row struct {
			Name    string `json:"name"`
			Source  string `json:"source"`
			Ref     string `json:"ref,omitzero"`
			Commit  string `json:"commit,omitzero"`
			Plugins int    `json:"plugins"`
		}
		rows := []row{}
		for _, m := range all {
			rows = append(rows, row{m.Name, m.Source.Address, m.Source.Ref, m.Commit, len(m.Offers)})
		}
		return a.printJSON(rows)
	}
	if len(all) == 0 {
		a.warnf("No marketplaces were added.")
		return nil
	}
	t := &table{}
	t.row("NAME", "PLUGINS", "SOURCE")
	for _, m := range all {
		t.row(m.Name, fmt.Sprint(len(m.Offers)), m.Source.Address)
	}
	t.print(a.streams)
	return nil
}

func newMarketplaceUpdateCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "update [NAME...]",
		Short:   "Fetch the lists anew",
		Long:    "Fetch the lists of marketplaces anew. Plugins that were installed are updated by 'hookline plugin update'.",
		Example: "  hookline plugin marketplace update",
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMarketplaceUpdate(cmd.Context(), a, args)
		},
	}
}

func runMarketplaceUpdate(ctx context.Context, a *app, names []string) error {
	s, err := a.marketplaces()
	if err != nil {
		return err
	}
	updated, err := s.UpdateMarketplaces(ctx, names)
	for _, m := range updated {
		a.printf("%s: %s\n", escaped(m.Name), count(len(m.Offers), "plugin", "plugins"))
	}
	return err
}

func newMarketplaceRemoveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME...",
		Aliases: []string{"rm"},
		Short:   "Forget marketplaces; installed plugins stay",
		Example: "  hookline plugin marketplace remove acme-tools",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMarketplaceRemove(cmd.Context(), a, args)
		},
	}
}

func runMarketplaceRemove(ctx context.Context, a *app, names []string) error {
	s, err := a.marketplaces()
	if err != nil {
		return err
	}
	if err := s.RemoveMarketplaces(ctx, names); err != nil {
		return err
	}
	for _, n := range names {
		a.printf("%s is forgotten\n", escaped(n))
	}
	return nil
}

// pluginSearchOptions are the arguments and the flags of plugin search.
type pluginSearchOptions struct {
	words  []string
	asJSON bool
}

func newPluginSearchCmd(a *app) *cobra.Command {
	var o pluginSearchOptions
	cmd := &cobra.Command{
		Use:     "search [WORD...]",
		Short:   "Find plugins in the marketplaces that were added",
		Long:    "List the plugins of the added marketplaces in whose name, description, category or keywords\neach of the words occurs. Nothing is fetched.",
		Example: "  hookline plugin search review\n  hookline plugin search --json",
		RunE: func(_ *cobra.Command, args []string) error {
			o.words = args
			return runPluginSearch(a, o)
		},
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runPluginSearch(a *app, o pluginSearchOptions) error {
	s, err := a.store("")
	if err != nil {
		return err
	}
	offers, err := s.Search(o.words)
	if err != nil {
		return err
	}
	if o.asJSON {
		return a.printJSON(append([]plugin.Offer{}, offers...))
	}
	if len(offers) == 0 {
		a.warnf("No plugin of the marketplaces that were added fits; 'hookline plugin marketplace list' has these.")
		return nil
	}
	t := &table{}
	t.row("NAME", "VERSION", "DESCRIPTION")
	for _, f := range offers {
		t.row(f.String(), f.Version, f.Description)
	}
	t.print(a.streams)
	return nil
}
