package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	agentmcp "github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/bridge/mcpproxy"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// mcpOptions are the arguments and flags of mcp.
type mcpOptions struct {
	name    string
	server  []string
	url     string
	headers []string
}

func newMCPCmd(a *app) *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use:   "mcp {-- SERVER [ARGS...] | --url URL}",
		Short: "Put hooks between an agent and an MCP server",
		Long: strings.TrimSpace(`
Start an MCP server and stand between it and the agent that speaks to this command, so
that hooks guard an agent which has none. A call of a tool fires PreToolUse and
PostToolUse of mcp__NAME__TOOL, a resource is a Read, a prompt of the server fires
UserPromptExpansion. What a hook asks goes to the person through the agent, where that
can ask; else the call is refused. All else passes through as it is.

With --url the server is one that is reached by (streamable) HTTP, and the agent speaks to
this command as to a local one.

'hookline mcp wrap FILE' puts this command before the servers of a file such as
.mcp.json, and 'hookline mcp unwrap FILE' gives the file back.

Each tool that the server offers fires ToolOffered, where a hook may change it or leave it
out. What a server says of its tools when it is first seen counts as approved; that it says
something else later is told, and 'hookline mcp approve' shows and approves it.`),
		Example: "  hookline mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .\n  hookline mcp --name docs --url https://example.com/mcp --header 'Authorization: Bearer ${TOKEN}'\n  hookline mcp wrap .mcp.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.server = args
			return runMCP(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.name, "name", "", "the server's name in mcp__NAME__TOOL (default: the base name of SERVER, or the host of URL)")
	cmd.Flags().StringVar(&o.url, "url", "", "the address of a server that is reached by HTTP, in place of SERVER")
	cmd.Flags().StringArrayVar(&o.headers, "header", nil, "a header, as 'NAME: VALUE', of each request to URL; ${VAR} is a variable of the environment (repeatable)")
	cmd.AddCommand(newMCPWrapCmd(a), newMCPUnwrapCmd(a), newMCPApproveCmd(a))
	return cmd
}

func runMCP(ctx context.Context, a *app, o mcpOptions) error {
	if (len(o.server) == 0) == (o.url == "") {
		return usagef("say which server to start or to reach: hookline mcp -- SERVER [ARGS...], or hookline mcp --url URL")
	}
	if o.url == "" && len(o.headers) > 0 {
		return usagef("--header is for a server that --url names")
	}
	w, err := a.openProxied(ctx, "")
	if err != nil {
		return err
	}
	defer w.Close()
	if o.url != "" {
		return a.proxyRemote(ctx, w, o)
	}
	o.name = cmp.Or(o.name, strings.TrimSuffix(filepath.Base(o.server[0]), filepath.Ext(o.server[0])))
	server, end, err := a.startProxied(ctx, o.server, "the MCP server")
	if err != nil {
		return err
	}
	return end(a.proxyMCP(ctx, w, o.name, o.server, server), mcpproxy.ErrServerGone)
}

// proxyRemote stands before a server that is reached by HTTP.
func (a *app) proxyRemote(ctx context.Context, w *workspace, o mcpOptions) error {
	s := agentmcp.Server{Name: o.url, Type: "http", URL: o.url, Headers: map[string]string{}}
	for _, text := range o.headers {
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return usagef("--header %q: it is written NAME: VALUE", name)
		}
		s.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	s, err := s.Expand(os.LookupEnv)
	if err != nil {
		return usagef("%v", err)
	}
	if u, err := url.Parse(s.URL); err == nil && o.name == "" {
		o.name = u.Hostname()
	}
	return a.proxyMCP(ctx, w, o.name, []string{s.URL}, mcpproxy.HTTP(ctx, mcpproxy.HTTPOptions{URL: s.URL, Headers: s.Headers, Notify: a.proxyNotice}))
}

// openProxied loads the hooks of a directory, "" for the one that the command works in, for
// what the command stands before.
func (a *app) openProxied(ctx context.Context, dir string) (*workspace, error) {
	w, err := a.openHost(ctx, nil, func(o *host.Options) {
		if dir != "" {
			o.Dir = dir
		}
	})
	if err != nil {
		return nil, err
	}
	if err := a.checkTrusted(w); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	a.printDiagnostics(w.Set().Diagnostics)
	a.untrustedLine(w.Set())
	return w, nil
}

// proxyMCP passes messages between the agent and a server until one side has no more. start
// is how the server is started or reached.
func (a *app) proxyMCP(ctx context.Context, w *workspace, name string, start []string, server jsonrpc.Conn) error {
	var memory *mcpproxy.Memory
	if dir := toolMemory(w.Dirs); dir != "" {
		memory = mcpproxy.Remember(dir, name, start, a.proxyNotice)
	}
	return mcpproxy.Run(ctx, mcpproxy.Options{
		Server: name, ToolName: func(tool string) string { return agentmcp.ToolName(name, tool) },
		Hears: w.Registry.Has, Common: hook.Common{SessionID: uuid.NewString(), CWD: w.Dir, PermissionMode: "default", InvokedBy: "main"},
		Fire: w.fireFresh, Notify: a.proxyNotice, Memory: memory,
	}, a.client(), server)
}

// fireFresh fires an event with the hooks as their files are now.
func (w *workspace) fireFresh(ctx context.Context, in hook.Input) (hook.Outcome, error) {
	if err := w.Refresh(ctx); err != nil {
		return hook.Outcome{}, err
	}
	return w.Fire(ctx, in)
}

// client is the agent at the other end of standard input and output.
func (a *app) client() jsonrpc.Conn {
	a.reads("the messages that a program, such as an editor, writes to this command")
	r, w := io.Pipe() // a read of standard input cannot be ended, and one of the pipe can
	go func() {
		_, err := io.Copy(w, a.in)
		_ = w.CloseWithError(err)
	}()
	return jsonrpc.Lines(r, open{a.out})
}

// open is a writer that stays open.
type open struct{ io.Writer }

func (open) Close() error { return nil }
