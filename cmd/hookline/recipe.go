package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/recipe"
)

func newRecipeCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "recipe", Aliases: []string{"recipes"}, Short: "List and show recipes: prompts with arguments", Args: cobra.NoArgs,
		Example: "  hookline recipe list\n  hookline recipe show code-review --arg target=main",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newItemsCmd(a, itemsOptions{what: "recipes", find: a.recipeItems}), newRecipeShowCmd(a))
	return cmd
}

func (a *app) recipeItems(ctx context.Context) ([]item, error) {
	set, err := a.recipes(ctx)
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
}

func (a *app) recipes(ctx context.Context) (*recipe.Set, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	places, err := a.places(a.dirs(dir))
	if err != nil {
		return nil, err
	}
	return recipe.Discover(ctx, recipe.Options{Places: places})
}

// recipeShowOptions are the argument and the flags of recipe show.
type recipeShowOptions struct {
	name string
	args []string
	raw  bool
}

func newRecipeShowCmd(a *app) *cobra.Command {
	var o recipeShowOptions
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Show a recipe, rendered with arguments", Args: cobra.ExactArgs(1),
		Example: "  hookline recipe show code-review --arg target=main\n  hookline recipe show code-review --raw",
		RunE: func(cmd *cobra.Command, pos []string) error {
			o.name = pos[0]
			return runRecipeShow(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringArrayVar(&o.args, "arg", nil, "an argument: NAME=VALUE (repeatable)")
	cmd.Flags().BoolVar(&o.raw, "raw", false, "print the body as it is")
	return cmd
}

func runRecipeShow(ctx context.Context, a *app, o recipeShowOptions) error {
	set, err := a.recipes(ctx)
	if err != nil {
		return err
	}
	r, err := set.Lookup(o.name)
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
	if o.raw {
		a.printf("%s", r.Body)
		return nil
	}
	values, err := parseArgs(o.args)
	if err != nil {
		return err
	}
	text, err := r.Render(ctx, recipe.RenderOptions{Args: values})
	if err != nil {
		return err
	}
	a.printf("%s\n", strings.TrimRight(text, "\n"))
	return nil
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
