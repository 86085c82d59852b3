package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/skill"
)

func (a *app) skills(ctx context.Context) (*skill.Set, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	places, err := a.places(a.dirs(dir))
	if err != nil {
		return nil, err
	}
	return skill.Discover(ctx, skill.Options{Places: places})
}

func newSkillCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "skill", Aliases: []string{"skills"}, Short: "List and show skills: instructions that the model may load", Args: cobra.NoArgs,
		Example: "  hookline skill list\n  hookline skill show pdf",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newItemsCmd(a, itemsOptions{what: "skills", find: a.skillItems}), newSkillShowCmd(a))
	return cmd
}

func (a *app) skillItems(ctx context.Context) ([]item, error) {
	set, err := a.skills(ctx)
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
}

// skillShowOptions are the argument of skill show.
type skillShowOptions struct{ name string }

func newSkillShowCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a skill", Args: cobra.ExactArgs(1),
		Example: "  hookline skill show pdf",
		RunE: func(cmd *cobra.Command, pos []string) error {
			return runSkillShow(cmd.Context(), a, skillShowOptions{pos[0]})
		},
	}
}

func runSkillShow(ctx context.Context, a *app, o skillShowOptions) error {
	set, err := a.skills(ctx)
	if err != nil {
		return err
	}
	s, err := set.Lookup(o.name)
	if err != nil {
		return err
	}
	a.warnf("%-12s %s", "name", s.Name)
	a.warnf("%-12s %s", "description", s.Description)
	a.warnf("%-12s %s", "file", s.Path)
	resources, _, err := s.Resources(ctx)
	if err != nil {
		return err
	}
	for _, r := range resources {
		a.warnf("%-12s %s (%d bytes)", "resource", r.Path, r.Size)
	}
	a.printf("%s\n", strings.TrimRight(s.Body, "\n"))
	return nil
}
