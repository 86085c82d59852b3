package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui"
)

// addHook registers a handler for PreToolUse of Do.
func addHook(t *testing.T, b *bench, h hook.Handler) {
	t.Helper()
	m, err := hook.ParseMatcher("Do")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.reg.Add(hook.Registration{Event: hook.EventPreToolUse, Name: "asks", Handler: h, Matcher: m, OnFailure: hook.FailClosed}); err != nil {
		t.Fatal(err)
	}
}

func TestPromptHookAsksTheAgentsModel(t *testing.T) {
	services := &agent.Services{}
	if _, err := services.Complete(t.Context(), prompt.Request{}); err == nil {
		t.Error("an answer without an agent")
	}
	b := newBench(t, `
turns:
  - when: {any: "is this wise"}
    expect: {system: "You decide for a hook"}
    text: '{"ok": false, "reason": "it is not wise"}'
  - tool_calls: [{name: Do, input: {x: 1}}]
  - text: ok
`)
	services.Bind(b.a)
	fired := 0
	hook.OnEvent(b.reg, func(context.Context, hook.Input) (hook.Result, error) { fired++; return hook.None(), nil }, []hook.Event{hook.EventContext})
	addHook(t, b, &prompt.Hook{Prompt: "is this wise? $ARGUMENTS", Model: services, Codec: &claude.Codec{}})
	b.prompt("go")
	expect(t, b.lastResult(), "it is not wise", "!ran {")
	if fired != 2 {
		t.Errorf("hooks ran for %d calls: those of hooks are none of them", fired)
	}
}

func TestAgentHookUsesToolsThatOnlyRead(t *testing.T) {
	services := &agent.Services{}
	b := newBench(t, `
turns:
  - when: {system: "You decide for a hook", not: "ran [{]"}
    tool_calls: [{name: Look, input: {a: 1}}, {name: Do, input: {}}]
  - when: {system: "You decide for a hook"}
    text: '{"ok": true}'
  - tool_calls: [{name: Do, input: {x: 1}}]
  - text: ok
`, withPermission(rules(t, permission.Allow, "Look", "Do")...))
	services.Bind(b.a)
	calls := 0
	hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) { calls++; return hook.None(), nil })
	addHook(t, b, &prompt.Hook{Prompt: "check", Agent: true, MaxTurns: 3, Model: services, Codec: &claude.Codec{}})
	b.prompt("go")
	expect(t, b.lastResult(), "ran {")
	if calls != 1 {
		t.Errorf("hooks saw %d calls", calls)
	}
	second := b.model.texts()[2]
	expect(t, second, `ran {"a":1}`, "There is no such tool here")
}

// callerFunc is an MCP client.
type callerFunc func(server, name, input string) (string, bool, error)

func (f callerFunc) Call(_ context.Context, server, name string, input jsontext.Value) (string, bool, error) {
	return f(server, name, string(input))
}

func TestMCPToolHook(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	mcp := agent.HookMCP(callerFunc(func(server, name, input string) (string, bool, error) {
		b.note("%s %s %s", server, name, input)
		return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the server says no"}}`, false, nil
	}))
	addHook(t, b, &prompt.Tool{Server: "policy", Tool: "check", Input: hook.RawJSON(`{"command":"${tool_input.command}"}`), MCP: mcp, Codec: &claude.Codec{}})
	b.prompt("go")
	expect(t, b.lastResult(), "the server says no")
	expect(t, strings.Join(b.noted(), ""), `policy check {"command":"original"}`)
}

// mcpResult is what tools of MCP servers return to hooks.
const mcpResult = `{"content":[{"type":"text","text":"the key is 4711"}]}`

func TestUpdatedOutputOfAnMCPTool(t *testing.T) {
	for name, updated := range map[string]string{
		"in its own shape": `{"content":[{"type":"text","text":"the key is [gone]"}]}`,
		"as blocks":        `[{"type":"text","text":"the key is [gone]"}]`,
		"with an image":    `{"content":[{"type":"text","text":"[gone]"},{"type":"image","data":"aGk=","mimeType":"image/png"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "turns:\n  - tool_calls: [{name: mcp__vault__read, input: {}}]\n  - text: ok\n", func(_ *bench, cfg *agent.Config) {
				cfg.Sources = []agent.ToolSource{sourceOf{&funcTool{name: "mcp__vault__read", run: func(context.Context, tool.Input) (tool.Result, error) {
					return tool.Result{Content: []model.Block{model.Text("the key is 4711")}, Response: jsontext.Value(mcpResult)}, nil
				}}}}
			}).allowAll()
			hook.On(b.reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
				if in.MCPServer == nil || in.MCPServer.Name != "vault" || in.ToolResponse.Raw() != mcpResult {
					t.Errorf("%+v", in)
				}
				return hook.Result{UpdatedOutput: hook.RawJSON(updated)}, nil
			}, hook.Match("mcp__vault__*"))
			b.prompt("go")
			expect(t, b.all(), "[gone]", "!4711")
			if name == "with an image" {
				expect(t, b.lastResult(), `"type":"image"`, `"data":"aGk="`)
			}
		})
	}
}

type sourceOf []tool.Tool

func (s sourceOf) Tools() []tool.Tool { return s }

func TestElicitation(t *testing.T) {
	form := hook.RawJSON(`{"type":"object","properties":{"name":{"type":"string"},"sure":{"type":"boolean"},"size":{"type":"integer"},"where":{"type":"string","enum":["here","there"]}}}`)
	person := ui.NewRecorder(ui.Type("x"), ui.Yes(), ui.Type("3"), ui.Choose(1))
	b := newBench(t, talk, withUI(person))
	ask := func() (string, hook.JSON) {
		t.Helper()
		action, content, err := b.a.Elicit(t.Context(), &hook.Elicitation{MCPServerName: "srv", Message: "who?", Mode: "form", RequestedSchema: form})
		if err != nil {
			t.Fatal(err)
		}
		return action, content
	}
	if action, content := ask(); action != agent.Accept || content.Raw() != `{"name":"x","sure":true,"size":3,"where":"there"}` {
		t.Errorf("%s %s", action, content.Raw())
	}
	for _, answers := range [][]ui.Answer{
		{ui.Dismiss()},
		{ui.Type("x"), ui.Yes(), ui.Type("3"), ui.Dismiss()},
	} {
		person.Add(answers...)
		if action, _ := ask(); action != agent.Cancel {
			t.Errorf("dismissed at value %d: %s", len(answers), action)
		}
	}
	h := hook.On(b.reg, func(context.Context, *hook.Elicitation) (hook.Result, error) {
		return hook.Result{Host: &hook.HostEffects{ElicitationAction: "accept", ElicitationContent: hook.RawJSON(`{"name":"hook"}`)}}, nil
	})
	if action, content := ask(); action != agent.Accept || content.Raw() != `{"name":"hook"}` {
		t.Errorf("%s %s", action, content.Raw())
	}
	hook.On(b.reg, func(_ context.Context, in *hook.ElicitationResult) (hook.Result, error) {
		b.note("%s %s", in.Action, in.Content.Raw())
		return hook.Deny("not to this server"), nil
	})
	if action, content := ask(); action != agent.Decline || !content.IsZero() {
		t.Errorf("%s %s", action, content.Raw())
	}
	expect(t, strings.Join(b.noted(), ""), `accept {"name":"hook"}`)
	h.Remove()
	hook.On(b.reg, func(context.Context, *hook.Elicitation) (hook.Result, error) { return hook.Deny("no questions"), nil })
	if action, _ := ask(); action != agent.Decline || person.Remaining() != 0 {
		t.Errorf("%s", action)
	}
}

func TestNewNeedsAModel(t *testing.T) {
	if _, err := agent.New(agent.Config{}); !errors.Is(err, agent.ErrNoModel) {
		t.Error(err)
	}
}
