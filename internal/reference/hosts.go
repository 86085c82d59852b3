package reference

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
)

// proofs say how a row was checked.
var proofs = map[string]string{
	"run":       "the real program was led through a session with the bridge installed",
	"documents": "from its documents; not run",
}

// hosts is the page about the agents of other makers that hooks can stand behind. It is given
// the table of what one policy comes to behind each.
func hosts(policy string) string {
	var b strings.Builder
	b.WriteString(`# Agents of other makers

This page is generated from the rows of the hosts in the code.

` + "`hookline bridge install HOST`" + ` puts the hooks of this person and of the project behind an agent
that has hooks of its own. Hooks in the agent's own files are left to it. What an agent
cannot be told goes to the nearest stricter thing: a question becomes a deny that says so, a
guard's change of the input becomes a deny with the suggestion, an end of the run becomes a deny, and context waits
for the next event that takes it. Every such loss is in the audit log and before the person.
` + "`hookline bridge test HOST`" + ` plays the agent's events through what is installed, and says what
it would do. [How to take it out again](uninstall.md).

An agent that has no hooks can be guarded [before its MCP servers](mcp.md).

| agent | name | version | checked | how |
|---|---|---|---|---|
`)
	hosts := dialect.Hosts(all.Dialects())
	for _, h := range hosts {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", h.Title, h.Name, h.Facts.Version, h.Facts.Date, proofs[h.Facts.Proof])
	}
	fmt.Fprintf(&b, "\nThe same hooks, a guard that says five things, behind each of them. In italics is what is done in the place of what an agent cannot be told.\n\n%s", policy)
	for _, h := range hosts {
		host(&b, h)
	}
	return b.String()
}

func host(b *strings.Builder, h *dialect.Host) {
	fmt.Fprintf(b, "\n## %s\n\nFacts of version %s, %s, [source](%s).\n\n| file | level | the bridge may be installed |\n|---|---|---|\n", h.Title, h.Facts.Version, h.Facts.Date, h.Facts.Source)
	for _, f := range h.Files {
		base := map[dialect.HostBase]string{dialect.HomeBase: "~", dialect.ProjectBase: "", dialect.SystemBase: "/"}[f.Base]
		every := "*.json"
		if f.Format == dialect.FormatModule {
			every = "*"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", path.Join(base, f.Dir, cmp.Or(f.Name, every)), f.Level, map[bool]string{true: "yes", false: ""}[f.Write])
	}
	fmt.Fprintf(b, "\nA hook has %v where it says nothing; then %s. Matchers: %s.\n\n| exit code | means |\n|---|---|\n", h.Default, h.Late, h.Matcher)
	for _, e := range h.Exits {
		fmt.Fprintf(b, "| %s | %s |\n", e.Code, e.Means)
	}
	b.WriteString("\n| its event | event | what it acts on | what is lost |\n|---|---|---|---|\n")
	for i := range h.Events {
		e := &h.Events[i]
		for _, one := range append([]dialect.HostEvent{*e}, e.Also...) {
			lost := one.Event.Spec().Honours &^ one.Honours
			fmt.Fprintf(b, "| `%s` | %v | %s | %s |\n", one.Name, one.Event, dash(strings.Join(one.Honours.Names(), ", ")), dash(strings.Join(lost.Names(), ", ")))
		}
	}
	for _, l := range []struct {
		title string
		lines []string
	}{{"Before hooks run", h.Needs}, {"To know", h.Traps}, {"Ways in which one call comes twice", h.Twice}} {
		if len(l.lines) > 0 {
			fmt.Fprintf(b, "\n%s:\n\n- %s\n", l.title, strings.Join(l.lines, "\n- "))
		}
	}
	if h.ACP != nil {
		fmt.Fprintf(b, "\n[Behind an editor](acp.md), it asks permission for %s. It runs without asking: %s.\n", cmp.Or(h.ACP.Asks, "nothing by itself"), h.ACP.Seen)
	}
}
