package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// Services answers hooks that ask a model. It can be handed to whoever loads hooks
// before there is an agent: Bind says which agent it is. The zero value is ready; it
// is safe for concurrent use.
type Services struct{ agent atomic.Pointer[Agent] }

var _ prompt.Model = (*Services)(nil)

// Bind says whose model answers.
func (s *Services) Bind(a *Agent) { s.agent.Store(a) }

var errNoAgent = errors.New("there is no agent yet")

// Complete asks the model. A hook that may use tools gets those that only read and
// that permissions allow without asking. No hooks run for any of it.
func (s *Services) Complete(ctx context.Context, req prompt.Request) (string, error) {
	a := s.agent.Load()
	if a == nil {
		return "", errNoAgent
	}
	current := a.model.current()
	provider, name := current.provider, current.name
	if req.Model != "" && a.cfg.Resolve != nil {
		// Hooks written for another agent name its models; ours answers then.
		if p, n, err := a.cfg.Resolve(req.Model); err == nil {
			provider, name = p, n
		}
	}
	ask := &model.Request{Model: name, Messages: []model.Message{model.UserText(strings.ToValidUTF8(req.Prompt, "\uFFFD"))}}
	if req.System != "" {
		ask.System = append(ask.System, req.System)
	}
	if !req.Schema.IsZero() {
		ask.System = append(ask.System, "The answer is JSON that fits this schema: "+req.Schema.Raw())
	}
	q := quietLoop{a: a, provider: provider, req: ask}
	if req.Tools {
		q.tools, q.turns = readers(a.Tools()), max(req.MaxTurns, 1)
	}
	return q.run(ctx)
}

// quietLoop is a small agent without hooks.
type quietLoop struct {
	a        *Agent
	provider model.Provider
	req      *model.Request
	tools    map[string]tool.Tool
	turns    int // with tools
}

func readers(tools []tool.Tool) map[string]tool.Tool {
	out := map[string]tool.Tool{}
	for _, t := range tools {
		if t.ReadOnly() && t.Name() != agentTool {
			out[t.Name()] = t
		}
	}
	return out
}

func (q *quietLoop) run(ctx context.Context) (string, error) {
	for _, t := range q.tools {
		q.req.Tools = append(q.req.Tools, tool.Definition(t))
	}
	for turn := 0; ; turn++ {
		resp, err := model.Accumulate(q.provider.Stream(ctx, q.req), nil)
		q.a.model.used(resp.Usage)
		if err != nil {
			return "", err
		}
		calls := resp.Message.ToolUses()
		if len(calls) == 0 {
			return resp.Message.Text(), nil
		}
		if turn >= q.turns {
			return "", fmt.Errorf("the model gave no answer within %d turns", q.turns)
		}
		results := model.Message{Role: model.User}
		for _, c := range calls {
			results.Content = append(results.Content, q.call(ctx, c))
		}
		q.req.Messages = append(q.req.Messages, resp.Message, results)
	}
}

// call runs a tool that only reads.
func (q *quietLoop) call(ctx context.Context, c model.Block) model.Block {
	t := q.tools[c.Name]
	if t == nil {
		return model.ToolError(c.ID, "There is no such tool here.")
	}
	input := hook.RawJSON(c.InputText())
	if err := tool.Check(t, jsontext.Value(input.Raw())); err != nil {
		return model.ToolError(c.ID, err.Error())
	}
	if d := q.a.cfg.Permission.Decide(permission.Request{Tool: c.Name, Input: input, Cwd: q.a.Dir(), Root: q.a.Root()}); d.Decision != hook.DecisionAllow {
		return model.ToolError(c.ID, "Not allowed: "+d.Reason)
	}
	out, err := t.Run(ctx, tool.Input{JSON: jsontext.Value(input.Raw()), ID: c.ID, Source: "hook"})
	if err != nil {
		return model.ToolError(c.ID, strings.ToValidUTF8(err.Error(), "\uFFFD"))
	}
	return model.ToolResult(c.ID, out.Content...)
}

// MCPCaller calls a tool of an MCP server. A *mcp.Manager is one.
type MCPCaller interface {
	Call(ctx context.Context, server, name string, input jsontext.Value) (text string, isError bool, err error)
}

// HookMCP lets hooks call tools of MCP servers. No hooks run for these calls.
func HookMCP(c MCPCaller) prompt.MCP { return hookMCP{c} }

type hookMCP struct{ c MCPCaller }

// CallTool calls the tool.
func (m hookMCP) CallTool(ctx context.Context, server, name string, input hook.JSON) (string, bool, error) {
	return m.c.Call(ctx, server, name, jsontext.Value(input.Raw()))
}
