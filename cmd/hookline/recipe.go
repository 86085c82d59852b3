package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/recipe"
	"github.com/hookline-dev/hookline/skill"
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

func newRecipe(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "recipe", Aliases: []string{"recipes"}, Short: "List and show recipes: prompts with arguments", Args: cobra.NoArgs,
		Example: "  hookline recipe list\n  hookline recipe show code-review --arg target=main",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(listItems(a, "recipes", func(cmd *cobra.Command) ([]item, error) {
		set, err := a.recipes(cmd)
		if err != nil {
			return nil, err
		}
		a.printDiagnostics(set.Diagnostics)
		var out []item
		for _, r := range set.All {
			i := item{Name: r.Name, Description: r.Description, Location: string(r.Location), Plugin: r.Plugin, Path: r.Path}
			i.judge(r.Err, r.ShadowedBy)
			out = append(out, i)
		}
		return out, nil
	}), newRecipeShow(a))
	return cmd
}

func (a *app) recipes(cmd *cobra.Command) (*recipe.Set, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	d := a.dirs(dir)
	return recipe.Discover(cmd.Context(), recipe.Options{Places: a.places(d)})
}

func (a *app) skills(cmd *cobra.Command) (*skill.Set, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	d := a.dirs(dir)
	return skill.Discover(cmd.Context(), skill.Options{Places: a.places(d)})
}

// listItems is the list subcommand of recipes and skills.
func listItems(a *app, what string, find func(*cobra.Command) ([]item, error)) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List " + what, Args: cobra.NoArgs,
		Example: "  hookline " + strings.TrimSuffix(what, "s") + " list --all",
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := find(cmd)
			if err != nil {
				return err
			}
			items := []item{}
			for _, i := range found {
				if all || i.Status == "active" {
					items = append(items, i)
				}
			}
			if asJSON {
				return a.printJSON(items)
			}
			if len(found) == 0 {
				a.warnf("No %s here. They come with plugins, and are files in .hookline/%s of the project or the home directory.", what, what)
			}
			if hidden := len(found) - len(items); hidden > 0 {
				a.warnf("%s; --all shows them and why.", count(hidden, "more cannot be used", "more cannot be used"))
			}
			a.itemTable(items, all)
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that are shadowed or broken, and why")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
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

func newRecipeShow(a *app) *cobra.Command {
	var args []string
	var raw bool
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Show a recipe, rendered with arguments", Args: cobra.ExactArgs(1),
		Example: "  hookline recipe show code-review --arg target=main\n  hookline recipe show code-review --raw",
		RunE: func(cmd *cobra.Command, pos []string) error {
			set, err := a.recipes(cmd)
			if err != nil {
				return err
			}
			r, err := set.Lookup(pos[0])
			if err != nil {
				return err
			}
			for _, kv := range [][2]string{{"name", r.Name}, {"description", r.Description}, {"file", r.Path}, {"tools", strings.Join(r.AllowedTools, ", ")}} {
				if kv[1] != "" {
					a.warnf("%-12s %s", kv[0], kv[1])
				}
			}
			for _, h := range r.Hooks {
				a.warnf("%-12s %s: %s (once: %v)", "hook", h.Event, h.Handler, h.Once)
			}
			if raw {
				a.printf("%s", r.Body)
				return nil
			}
			values, err := parseArgs(args)
			if err != nil {
				return err
			}
			text, err := r.Render(cmd.Context(), recipe.RenderOptions{Args: values})
			if err != nil {
				return err
			}
			a.printf("%s\n", strings.TrimRight(text, "\n"))
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&args, "arg", nil, "an argument: NAME=VALUE (repeatable)")
	cmd.Flags().BoolVar(&raw, "raw", false, "print the body as it is")
	return cmd
}

// parseArgs reads NAME=VALUE arguments.
func parseArgs(args []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range args {
		k, v, ok := strings.Cut(s, "=")
		if !ok || k == "" {
			return nil, usagef("--arg %s: write NAME=VALUE", s)
		}
		out[k] = v
	}
	return out, nil
}

func newSkill(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "skill", Aliases: []string{"skills"}, Short: "List and show skills: instructions that the model may load", Args: cobra.NoArgs,
		Example: "  hookline skill list\n  hookline skill show pdf",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(listItems(a, "skills", func(cmd *cobra.Command) ([]item, error) {
		set, err := a.skills(cmd)
		if err != nil {
			return nil, err
		}
		a.printDiagnostics(set.Diagnostics)
		var out []item
		for _, s := range set.All {
			i := item{Name: s.Name, Description: s.Description, Location: string(s.Location), Plugin: s.Plugin, Path: s.Path}
			i.judge(s.Err, s.ShadowedBy)
			out = append(out, i)
		}
		return out, nil
	}), newSkillShow(a))
	return cmd
}

func newSkillShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a skill", Args: cobra.ExactArgs(1),
		Example: "  hookline skill show pdf",
		RunE: func(cmd *cobra.Command, pos []string) error {
			set, err := a.skills(cmd)
			if err != nil {
				return err
			}
			s, err := set.Lookup(pos[0])
			if err != nil {
				return err
			}
			a.warnf("%-12s %s", "name", s.Name)
			a.warnf("%-12s %s", "description", s.Description)
			a.warnf("%-12s %s", "file", s.Path)
			resources, _, err := s.Resources(cmd.Context())
			if err != nil {
				return err
			}
			for _, r := range resources {
				a.warnf("%-12s %s (%d bytes)", "resource", r.Path, r.Size)
			}
			a.printf("%s\n", strings.TrimRight(s.Body, "\n"))
			return nil
		},
	}
}
