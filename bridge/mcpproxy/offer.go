package mcpproxy

import (
	"fmt"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// listGuard shows hooks what a server says of its tools, and leaves out what they deny.
var listGuard = guard{before: func(*proxy, *call) []byte { return nil }, after: afterList}

// afterList compares a server's tools with those that were approved, and asks hooks about
// each.
func afterList(p *proxy, c *call, m *jsonrpc.Message) []byte {
	result := m.Content()
	list, ok := result.Get("tools")
	if m.Failed || !ok {
		return m.Raw
	}
	var tools []hook.JSON
	if err := list.Decode(&tools); err != nil {
		return c.refuse("the list of tools cannot be read: " + err.Error())
	}
	changes := p.compare(c, tools)
	kept, changed := make([]hook.JSON, 0, len(tools)), false
	for _, tool := range tools {
		now, why := p.offer(tool, changes[tool.String("name")])
		p.drop(tool.String("name"), why)
		if why == "" {
			kept = append(kept, now)
		}
		changed = changed || why != "" || now != tool
	}
	if !changed {
		return m.Raw
	}
	if err := result.Set("tools", kept); err != nil {
		return c.refuse("the list of tools cannot be put together: " + err.Error())
	}
	return m.With(result)
}

// compare returns how tools differ from those that were approved, by their names.
func (p *proxy) compare(c *call, tools []hook.JSON) map[string]Change {
	if p.Memory == nil {
		return nil
	}
	changes, err := p.Memory.Look(c.ctx, tools)
	if err != nil {
		p.Notify(fmt.Sprintf("MCP server %s: what was approved of its tools is not known: %v", p.Server, err))
		changes = map[string]Change{}
		for _, tool := range tools {
			changes[tool.String("name")] = Change{Kind: changeNew}
		}
	}
	return changes
}

// offer asks hooks about a tool. It returns the tool as they left it, or why it is left out.
func (p *proxy) offer(tool hook.JSON, change Change) (now hook.JSON, why string) {
	name := tool.String("name")
	in := &hook.ToolOffered{Common: p.Common, ToolName: p.ToolName(name), Tool: tool, Change: change.Kind, Approved: change.Before}
	out, err := p.fire(p.ctx, in)
	if why = in.LeftOut(name, &out, err); why != "" {
		p.Notify(fmt.Sprintf("MCP server %s: its tool %s is left out: %s", p.Server, name, why))
	}
	return in.Tool, why
}

// drop remembers why a tool is left out; without a reason it is not, any more.
func (p *proxy) drop(name, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if why == "" {
		delete(p.dropped, name)
	} else {
		p.dropped[name] = why
	}
}

// whyDropped is why the tool of a call is left out, "" when it is not.
func (p *proxy) whyDropped(c *call) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.request.Method != methodCall {
		return ""
	}
	return p.dropped[c.params.String("name")]
}
