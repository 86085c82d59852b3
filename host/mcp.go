package host

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// connect starts the MCP servers of the caller, those of the project that are approved, and
// those of plugins, which the person installed or approved. Of several with the same tools the
// first counts.
func (h *Agent) connect() error {
	servers, own := from("dynamic", h.opts.Servers), map[string]bool{}
	add := func(s mcp.Server, trusted bool) {
		if !slices.ContainsFunc(servers, func(o mcp.Server) bool { return mcp.SameTools(o.Name, s.Name) }) {
			servers, own[s.Name] = append(servers, s), trusted
		}
	}
	for _, s := range servers {
		own[s.Name] = true
	}
	path := filepath.Join(h.Dirs.Project, ".mcp.json")
	found, err := h.projectServers(path)
	if err != nil {
		return err
	}
	for _, s := range from("project", found) {
		add(s, false)
	}
	if !h.opts.OnlyServers {
		if err := h.pluginServers(func(s mcp.Server, project bool) { add(s, !project) }); err != nil {
			h.notify(ui.Warning, "%v", err)
		}
	}
	if len(servers) == 0 {
		return nil
	}
	h.servers = mcp.New(mcp.Options{
		Servers: servers, Dir: h.Dir, Version: h.Host.opts.Version, Elicit: h.elicit, Offer: h.offer, Wall: h.wall, Around: h.aroundServers(),
		Trusted: func(s mcp.Server) bool {
			if own[s.Name] {
				return true
			}
			ok := h.allows(h.serverArtifact(s))
			if !ok {
				h.notify(ui.Info, "The MCP server %s of %s is not approved and does not run; 'hookline trust' shows it.", s.Name, s.File)
			}
			return ok
		},
	})
	return nil
}

// from says where servers come from.
func from(source string, servers []mcp.Server) []mcp.Server {
	servers = slices.Clone(servers)
	for i := range servers {
		servers[i].Source = source
	}
	return servers
}

// projectServers reads the servers of the project's file.
func (h *Agent) projectServers(path string) ([]mcp.Server, error) {
	if h.opts.OnlyServers || !h.Dirs.Reads("project") {
		return nil, nil
	}
	data, err := readServers(path)
	if data == nil {
		return nil, err
	}
	servers, err := mcp.ParseConfig(data, path)
	if err != nil {
		h.notify(ui.Warning, "%v", err)
	}
	return servers, nil
}

// offer asks hooks about a tool that an MCP server lists. Servers are started before hooks are
// loaded, which takes as long; so it waits until they are. What cannot be asked about is left
// out.
func (h *Agent) offer(ctx context.Context, s mcp.Server, name string, listed jsontext.Value) (jsontext.Value, error) {
	select {
	case <-h.opened:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	in := &hook.ToolOffered{Common: hook.Common{MCPServer: &hook.MCPServer{Name: s.Name, Source: s.Source}}, ToolName: name, Tool: hook.RawJSON(listed)}
	was := in.Tool.String("name")
	out, err := h.Loop.Fire(ctx, in)
	why := in.LeftOut(was, &out, err)
	if why == "" {
		h.leftOut.Delete(name)
		return jsontext.Value(in.Tool.Raw()), nil
	}
	if said, _ := h.leftOut.Swap(name, why); said != why && ctx.Err() == nil { // it is offered anew when hooks are
		h.notify(ui.Warning, "MCP server %s: its tool %s is left out: %s", s.Name, was, why)
	}
	return nil, errors.New(why)
}

// elicit answers what an MCP server asks.
func (h *Agent) elicit(ctx context.Context, e mcp.Elicitation) (mcp.ElicitationAnswer, error) {
	if h.Loop == nil {
		return mcp.ElicitationAnswer{Action: "decline"}, nil
	}
	action, content, err := h.Loop.Elicit(ctx, &hook.Elicitation{
		MCPServerName: e.Server, Message: e.Message, Mode: e.Mode, URL: e.URL, ElicitationID: e.ID, RequestedSchema: hook.RawJSON(e.Schema),
	})
	return mcp.ElicitationAnswer{Action: action, Content: jsontext.Value(content.Raw())}, err
}
