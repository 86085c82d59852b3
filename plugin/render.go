package plugin

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/ui/clean"
)

// RenderInstalled writes what plugin add prints for a plugin:
//
//	Installed org/repo:
//	  Skills:  0
//	  Recipes: 0
//	  Hooks:   3
//
// Tools are a further line when there are any, and so is what its hooks are granted.
func RenderInstalled(w io.Writer, r InstallResult) error {
	verb := "Installed"
	if r.DryRun {
		verb = "Would install"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:\n", verb, r.Name)
	fmt.Fprintf(&b, "  Skills:  %d\n  Recipes: %d\n  Hooks:   %d\n", len(r.Skills), len(r.Recipes), len(r.Hooks))
	if len(r.Tools) > 0 {
		fmt.Fprintf(&b, "  Tools:   %d\n", len(r.Tools))
	}
	if len(r.Agents) > 0 {
		fmt.Fprintf(&b, "  Agents:  %d\n", len(r.Agents))
	}
	if len(r.Servers) > 0 {
		fmt.Fprintf(&b, "  Servers: %d (MCP)\n", len(r.Servers))
	}
	renderGranted(&b, r.Granted)
	_, err := io.WriteString(w, b.String())
	return err
}

// renderGranted writes what the hooks of a plugin are granted, a line each.
func renderGranted(b *strings.Builder, granted []string) {
	for _, g := range granted {
		fmt.Fprintf(b, "  Granted: %s\n", clean.ExactLine(g))
	}
}

// nameColumn is the least width of the first column of a list.
const nameColumn = 20

// RenderList writes plugins as the table of plugin list.
func RenderList(w io.Writer, plugins []Plugin) error {
	if len(plugins) == 0 {
		_, err := io.WriteString(w, "No plugins installed.\n")
		return err
	}
	width := nameColumn
	for _, p := range plugins {
		width = max(width, utf8.RuneCountInString(p.Name)+2)
	}
	var b strings.Builder
	row := func(name, location, skills, recipes, hooks any) {
		fmt.Fprintf(&b, "%-*v%-10v%-8v%-9v%v\n", width, name, location, skills, recipes, hooks)
	}
	row("NAME", "LOCATION", "SKILLS", "RECIPES", "HOOKS")
	row("----", "--------", "------", "-------", "-----")
	for _, p := range plugins {
		row(p.Name, p.Location, len(p.Skills), len(p.Recipes), len(p.Hooks))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// RenderJSON writes plugins as the bare array of plugin list --json. Empty
// lists are [], never null.
func RenderJSON(w io.Writer, plugins []Plugin) error {
	data, err := json.Marshal(plugins, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encoding the list of plugins: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// RenderDiff writes what an update is about to change, file by file. Files that
// can run are marked with !.
func RenderDiff(w io.Writer, d Diff) error {
	return renderDiff(w, d, func(*strings.Builder, FileDiff) {})
}

// RenderDiffText is RenderDiff with the contents, cleaned of control characters.
func RenderDiffText(w io.Writer, d Diff) error {
	return renderDiff(w, d, func(b *strings.Builder, f FileDiff) {
		for line := range strings.Lines(f.Text) {
			fmt.Fprintf(b, "    %s\n", clean.Exact(strings.TrimRight(line, "\r\n")))
		}
	})
}

func renderDiff(w io.Writer, d Diff, contents func(*strings.Builder, FileDiff)) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n", d.Name, d.Location, d.Summary())
	if d.OldSource != "" {
		fmt.Fprintf(&b, "  source: %s -> %s\n", clean.ExactLine(d.OldSource), clean.ExactLine(d.Source))
	}
	if d.OldCommit != d.NewCommit {
		fmt.Fprintf(&b, "  commit: %s -> %s\n", short(d.OldCommit), short(d.NewCommit))
	}
	if d.TagMoved {
		fmt.Fprintf(&b, "  the tag %s was MOVED: it stands for another commit than when it was installed\n", clean.ExactLine(d.Ref))
	}
	renderGranted(&b, d.Granted)
	for _, p := range d.Modified {
		fmt.Fprintf(&b, "  changed on this machine, would be overwritten: %s\n", clean.ExactLine(p))
	}
	for _, f := range d.Files {
		mark := " "
		if f.Active {
			mark = "!"
		}
		fmt.Fprintf(&b, "%s %-7s  %s", mark, f.Change, clean.ExactLine(f.Path))
		if f.Change == Changed && f.OldExecutable != f.NewExecutable {
			fmt.Fprintf(&b, " (executable: %t -> %t)", f.OldExecutable, f.NewExecutable)
		}
		b.WriteByte('\n')
		contents(&b, f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func short(commit string) string {
	if commit == "" {
		return "none"
	}
	return commit[:min(len(commit), 12)]
}
