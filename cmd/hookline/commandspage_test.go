package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hookline-dev/hookline/dialect/all"
)

// A command that had another name in the list would not be found by its own.
func TestCommandsAreListedByTheirNames(t *testing.T) {
	for _, c := range commands {
		if got := c.make(&app{streams: &streams{getenv: func(string) string { return "" }}, dialects: all.Dialects()}).Name(); got != c.name {
			t.Errorf("the command %s is listed as %s", got, c.name)
		}
	}
}

// TestCommandsPageIsFresh compares docs/commands.md with the commands; UPDATE_DOCS=1
// writes it.
func TestCommandsPageIsFresh(t *testing.T) {
	want := commandsPage(newRoot(&streams{in: strings.NewReader(""), out: &strings.Builder{}, err: &strings.Builder{}, getenv: func(string) string { return "" }}, nil))
	page := filepath.Join("..", "..", "docs", "commands.md")
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != want {
		t.Errorf("docs/commands.md is stale (%v); run 'make docs'", err)
	}
}

func commandsPage(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(`# Commands

This page is generated from the commands themselves; ` + "`hookline COMMAND --help`" + ` says the same
with examples. Data goes to stdout, everything else to stderr. Exit codes are
[0, 1, 2 and 3](reference.md#exit-codes-of-the-command). ` + "`hookline completion --help`" + ` says how
your shell completes commands, events and names of hooks.

## Flags of every command

`)
	flagTable(&b, root.PersistentFlags())
	for _, cmd := range root.Commands() {
		commandSection(&b, cmd, "##")
	}
	return b.String()
}

func commandSection(b *strings.Builder, cmd *cobra.Command, level string) {
	if cmd.Hidden || cmd.Name() == "help" || cmd.Name() == "completion" {
		return
	}
	fmt.Fprintf(b, "\n%s %s\n\n", level, strings.TrimPrefix(cmd.CommandPath(), "hookline "))
	fmt.Fprintf(b, "    %s\n", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	fmt.Fprintf(b, "\n%s\n", asMarkdown(cmd))
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(b, "\nOther names: `%s`.\n", strings.Join(cmd.Aliases, "`, `"))
	}
	if cmd.LocalNonPersistentFlags().HasAvailableFlags() {
		b.WriteString("\n")
		flagTable(b, cmd.LocalNonPersistentFlags())
	}
	for _, sub := range cmd.Commands() {
		commandSection(b, sub, level+"#")
	}
}

// asMarkdown is what a command says of itself. Indented lines stay as they are.
func asMarkdown(cmd *cobra.Command) string {
	if cmd.Long == "" {
		return cmd.Short + "."
	}
	var lines []string
	indented := false
	for line := range strings.Lines(strings.TrimSpace(cmd.Long)) {
		line = strings.TrimRight(line, "\n")
		if now := strings.HasPrefix(line, "  "); now != indented {
			lines, indented = append(lines, "```"), now
		}
		lines = append(lines, line)
	}
	if indented {
		lines = append(lines, "```")
	}
	return strings.Join(lines, "\n")
}

func flagTable(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| flag | |\n|---|---|\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "`--" + f.Name
		switch value {
		case "":
		case "string", "stringArray":
			name += " TEXT"
		case "int":
			name += " N"
		default:
			name += " " + value
		}
		name += "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		switch f.DefValue {
		case "", "false", "0", "[]":
		default:
			usage += " (" + f.DefValue + " when left out)"
		}
		fmt.Fprintf(b, "| %s | %s |\n", name, strings.ReplaceAll(usage, "|", "\\|"))
	})
}
