package plugin

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/hookline-dev/hookline/ui/clean"
)

// RenderDetail writes what plugin show prints. types gives the event of a hook
// by its name (org/repo/name), as far as it is known.
func RenderDetail(w io.Writer, d Detail, types map[string]string) error {
	var b strings.Builder
	line := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s%s\n", label+":", clean.ExactLine(value))
		}
	}
	line("Name", d.Name)
	line("Location", fmt.Sprintf("%s (%s layout)", d.Location, d.Layout))
	line("Path", d.Path)
	line("Source", cmp.Or(d.Source, "not recorded"))
	line("Ref", d.Ref)
	line("Commit", d.Commit)
	if d.Entry != nil {
		line("Installed", d.Entry.InstalledAt.Format("2006-01-02 15:04:05 MST"))
	}
	line("Files", string(d.Report.Status))
	if c := d.Content.Claude; c != nil {
		line("Claude Code", strings.TrimSpace(c.Name+" "+c.Version))
		line("Description", c.Description)
	}
	items := func(label string, names []string) {
		if len(names) == 0 {
			return
		}
		fmt.Fprintf(&b, "%s:\n", label)
		for _, n := range names {
			fmt.Fprintf(&b, "  %s\n", clean.ExactLine(n))
		}
	}
	items("Skills", d.Skills)
	items("Recipes", d.Recipes)
	items("Agents", d.Agents)
	if d.Content.Claude.declaresHooks() {
		items("Hooks", d.Hooks)
		items("Hook files", d.HookConfigs)
	}
	programs(&b, "Hooks", d.HookFiles, types)
	programs(&b, "Tools", d.ToolFiles, nil)
	_, err := io.WriteString(w, b.String())
	return err
}

// programs writes a table of programs with their digests.
func programs(b *strings.Builder, label string, files []HookFile, types map[string]string) {
	if len(files) == 0 {
		return
	}
	width := 0
	for _, f := range files {
		width = max(width, len(clean.ExactLine(f.Name)))
	}
	fmt.Fprintf(b, "%s:\n", label)
	for _, f := range files {
		fmt.Fprintf(b, "  %-*s", width, clean.ExactLine(f.Name))
		if types != nil {
			fmt.Fprintf(b, "  %-17s", clean.ExactLine(cmp.Or(types[f.Name], "unknown")))
		}
		fmt.Fprintf(b, "  sha256:%s", f.SHA256)
		if f.Disabled {
			b.WriteString("  disabled")
		}
		b.WriteByte('\n')
	}
}

// RenderReports writes what plugin verify prints: a line for each plugin, and
// one for each file that is not as recorded.
func RenderReports(w io.Writer, reports []Report) error {
	var b strings.Builder
	for _, r := range reports {
		fmt.Fprintf(&b, "%s (%s): %s\n", r.Name, r.Location, r.Status)
		if r.Status == StatusMissing {
			continue
		}
		for _, group := range []struct {
			label string
			paths []string
		}{{"modified", r.Modified}, {"mode", r.Mode}, {"missing", r.Missing}, {"extra", r.Extra}, {"disabled", r.Disabled}} {
			for _, p := range group.paths {
				fmt.Fprintf(&b, "  %-9s %s\n", group.label, clean.ExactLine(p))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
