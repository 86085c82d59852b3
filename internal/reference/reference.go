package reference

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

// Pages are the generated pages by their path below the module's root. Of what one policy
// comes to behind each host, the table is given.
func Pages(policy string) map[string]string {
	return map[string]string{
		"docs/events.md":    events(),
		"docs/reference.md": reference(),
		"docs/hosts.md":     hosts(policy),
	}
}

// reference is docs/reference.md: everything else that the code has as a table.
func reference() string {
	var b strings.Builder
	b.WriteString("# Reference\n\nThis page is generated from tables in the code. Events have [a page of their own](events.md).\n")
	b.WriteString("\n## Decisions, strongest first\n\n| decision | meaning |\n|---|---|\n")
	for _, d := range []struct {
		d hook.Decision
		m string
	}{
		{hook.DecisionDeny, "do not do it"},
		{hook.DecisionDefer, "leave it undecided and end the run here"},
		{hook.DecisionAsk, "ask a person"},
		{hook.DecisionAllow, "go on without asking; a deny rule still denies"},
		{hook.DecisionNone, "no opinion: the usual rules apply"},
	} {
		fmt.Fprintf(&b, "| %s | %s |\n", d.d, d.m)
	}
	answer(&b)
	b.WriteString("\n## Exit codes of the command\n\n| code | meaning |\n|---|---|\n| 0 | fine |\n| 1 | failed |\n| 2 | called wrongly |\n| 3 | blocked by a hook |\n| 130, 143, 129 | ended by an interrupt, by SIGTERM, by the end of the terminal |\n| 141 | nobody read the output of an agent any more |\n")
	dialects(&b)
	configuration(&b)
	environment(&b)
	rules(&b, "Rules for kinds of hooks", hooktest.KindRules())
	rules(&b, "Rules for hosts", hooktest.HostRules())
	rules(&b, "Rules for dialects", hooktest.CodecRules())
	return b.String()
}

// dialects lists the dialects in the order in which their hooks run.
func dialects(b *strings.Builder) {
	b.WriteString("\n## Dialects\n\nIn the order in which their hooks run, after those of the embedding program. `hookline new` writes a hook of each that has templates.\n\n| dialect | its hooks | groups | events |\n|---|---|---|---|\n")
	for _, d := range all.Dialects() {
		var groups []string
		for _, g := range d.Groups() {
			groups = append(groups, fmt.Sprintf("%s (%s, rank %d)", g.Name, g.Flow, g.Rank))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %d |\n", d.Name(), d.Summary(), strings.Join(groups, ", "), len(d.EventNames()))
	}
}

// answer writes the answer table.
func answer(b *strings.Builder) {
	b.WriteString("\n## Parts of an answer\n\nWhat an event takes beside those that every event takes stands in [its row](events.md). The examples are as a worker writes them. Other dialects have spellings of their own, and what one cannot say is noted.\n\n| part | example | of several hooks |\n|---|---|---|\n")
	for _, p := range hook.AnswerParts() {
		name := p.Name
		if p.Everywhere() {
			name += " (every event)"
		}
		fmt.Fprintf(b, "| %s | `%s` | %s |\n", name, p.Example, p.Folds)
	}
	b.WriteString("\n| member | type | |\n|---|---|---|\n")
	for _, m := range hook.AnswerMembers() {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", m.Name, typeName(m.Type), m.Doc)
	}
}

func configuration(b *strings.Builder) {
	b.WriteString("\n## Configuration\n\n`config.json` in the managed directory, in the user's configuration directory and in `.hookline/` of a project. 'hookline schema config' prints its JSON Schema. A name in a project's file counts for the project's hooks only, and a project's file has no say in `claude`, `command`, `env`, `audit`, `permission`, `hooks.prewarm` and `modules.runtime`.\n\n| key | type | |\n|---|---|---|\n")
	keys(b, "", reflect.TypeFor[config.File]())
}

func keys(b *strings.Builder, prefix string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := prefix + f.Tag.Get("json")
		if f.Type.Kind() == reflect.Struct {
			keys(b, name+".", f.Type)
			continue
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, typeName(f.Type), f.Tag.Get("doc"))
	}
}

func environment(b *strings.Builder) {
	b.WriteString("\n## Environment of hooks\n\nHooks get the environment of the program without these; `env.allow` of the configuration lets names through.\n\n| pattern | why |\n|---|---|\n")
	for _, r := range process.EnvRules() {
		why := r.Why
		if r.Pass {
			why = "let through: " + why
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", r.Pattern, why)
	}
}

func rules(b *strings.Builder, title string, rules []hooktest.Rule) {
	fmt.Fprintf(b, "\n## %s\n\nPackage hooktest checks them.\n\n| rule | why it is there |\n|---|---|\n", title)
	for _, r := range rules {
		fmt.Fprintf(b, "| %s | %s |\n", r.Name, r.Why)
	}
}
