package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// item is a recipe or skill as its list prints it.
type item struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Location    string `json:"location"`
	Plugin      string `json:"plugin,omitzero"`
	Path        string `json:"path"`
	Status      string `json:"status"` // active, shadowed or broken
	Why         string `json:"why,omitzero"`
}

func (i *item) judge(err error, shadowedBy string) {
	i.Status = "active"
	switch {
	case err != nil:
		i.Status, i.Why = "broken", err.Error()
	case shadowedBy != "":
		i.Status, i.Why = "shadowed", "shadowed by "+shadowedBy
	}
}

// itemsOptions say what the list subcommand of recipes and skills lists.
type itemsOptions struct {
	what        string // recipes or skills
	find        func(context.Context) ([]item, error)
	all, asJSON bool
}

func newItemsCmd(a *app, o itemsOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List " + o.what, Args: cobra.NoArgs,
		Example: "  hookline " + strings.TrimSuffix(o.what, "s") + " list --all",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runItems(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "also those that are shadowed or broken, and why")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runItems(ctx context.Context, a *app, o itemsOptions) error {
	found, err := o.find(ctx)
	if err != nil {
		return err
	}
	items := []item{}
	for _, i := range found {
		if o.all || i.Status == "active" {
			items = append(items, i)
		}
	}
	if o.asJSON {
		return a.printJSON(items)
	}
	if len(found) == 0 {
		a.warnf("No %s here. They come with plugins, and are files in .hookline/%s of the project or the home directory.", o.what, o.what)
	}
	if hidden := len(found) - len(items); hidden > 0 {
		a.warnf("%s; --all shows them and why.", count(hidden, "more cannot be used", "more cannot be used"))
	}
	a.itemTable(items, o.all)
	return nil
}

func (a *app) itemTable(items []item, all bool) {
	t := &table{}
	if len(items) > 0 {
		t.row("NAME", "LOCATION", "STATUS", "DESCRIPTION")
	}
	for _, i := range items {
		t.row(i.Name, i.Location, i.Status, line(i.Description))
		if all && i.Why != "" {
			t.remark(firstLine(i.Why))
		}
	}
	t.print(a.streams)
}
