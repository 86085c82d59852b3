package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/bridge/mcpproxy"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui/clean"
)

func newMCPApproveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "approve [DIGEST]",
		Short: "Show and approve what MCP servers say of their tools now",
		Long: strings.TrimSpace(`
Show which tools of the servers behind 'hookline mcp' are not as they were approved, with
what has changed. With the digest that stands there, approve what it stands for: tools that
have changed again since have another one.`),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return runMCPChanged(a)
			}
			return runMCPApprove(cmd.Context(), a, args[0])
		},
	}
}

// toolMemory is where it is kept what was approved of the tools of MCP servers, "" without
// a state directory.
func toolMemory(d dialect.Dirs) string { return dialect.Join(d.State, "mcp-tools") }

func runMCPChanged(a *app) error {
	list, err := mcpproxy.Changed(toolMemory(a.dirs(a.dir)))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		a.printf("The tools of all servers are as they were approved.\n")
	}
	for _, p := range list {
		a.printf("%s: hookline mcp approve %s\n", escaped(p.Server), p.Digest)
		for _, name := range slices.Sorted(maps.Keys(p.Changes)) {
			c := p.Changes[name]
			a.printf("\n  %s (%s)\n", escaped(name), c.Kind)
			diff := udiff.Unified("approved", "now", indented(c.Before), indented(c.Now))
			a.printf("%s", clean.Exact(diff))
		}
	}
	return nil
}

// indented is a text of a tool that has a line for each member.
func indented(tool hook.JSON) string {
	v := jsontext.Value(tool.Raw())
	if tool.IsZero() || v.Indent() != nil {
		return tool.Raw()
	}
	return string(v) + "\n"
}

func runMCPApprove(ctx context.Context, a *app, digest string) error {
	if err := a.personOnly(); err != nil {
		return err
	}
	p, err := mcpproxy.Approve(ctx, toolMemory(a.dirs(a.dir)), digest)
	if err != nil {
		return fmt.Errorf("approve %s: %w", digest, err)
	}
	a.printf("approved: %s of %s\n", escaped(strings.Join(slices.Sorted(maps.Keys(p.Changes)), ", ")), escaped(p.Server))
	return nil
}
