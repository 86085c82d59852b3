package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/bridge/mcpproxy"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

func newMCPWrapCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "wrap FILE",
		Short: "Put hooks before the MCP servers of a file",
		Long: strings.TrimSpace(`
Change a file that names MCP servers (.mcp.json, claude_desktop_config.json, the mcp.json
of Cursor or VS Code, or Codex's config.toml) so that each server that is started as a
program is started behind 'hookline mcp'. Everything else in the file stays as it is;
'hookline mcp unwrap FILE' gives it back. Servers that are reached by HTTP are left alone.`),
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runMCPWrap(a, args[0]) },
	}
}

func newMCPUnwrapCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "unwrap FILE",
		Short: "Take hooks away from before the MCP servers of a file",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return runMCPUnwrap(a, args[0]) },
	}
}

func runMCPWrap(a *app, path string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	return a.editServers(path, "wrapped", func(src []byte) ([]byte, []string, []mcpproxy.Left, error) {
		return mcpproxy.Wrap(path, src, program)
	})
}

func runMCPUnwrap(a *app, path string) error {
	return a.editServers(path, "unwrapped", func(src []byte) ([]byte, []string, []mcpproxy.Left, error) {
		out, done, err := mcpproxy.Unwrap(path, src)
		return out, done, nil, err
	})
}

// editServers changes the servers of a file, and says which.
func (a *app) editServers(path, did string, change func([]byte) ([]byte, []string, []mcpproxy.Left, error)) error {
	if err := a.personOnly(); err != nil {
		return err
	}
	path = a.inDir(path)
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file; name the file itself")
	}
	if err != nil {
		return fmt.Errorf("MCP servers of %s: %w", path, err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read MCP servers: %w", err)
	}
	out, done, left, err := change(src)
	if err != nil {
		if at, ok := errors.AsType[*jsonx.Error](err); ok {
			return fmt.Errorf("%s:%w", path, at)
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(done) > 0 {
		if err := fsx.WriteFile(path, out, info.Mode().Perm()); err != nil {
			return fmt.Errorf("write MCP servers: %w", err)
		}
	}
	for _, name := range done {
		a.printf("%s: %s\n", did, escaped(name))
	}
	for _, l := range left {
		a.printf("left as it is: %s (%s)\n", escaped(l.Name), l.Why)
	}
	if len(done)+len(left) == 0 {
		a.printf("nothing to change in %s\n", escaped(path))
	}
	return nil
}
