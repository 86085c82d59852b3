package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// allows is an allow rule for a tool.
func allows(t *testing.T, text string) []permission.Rule {
	t.Helper()
	r, err := permission.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return []permission.Rule{r}
}

// What a tool grants holds from then on, in subagents too, until the next prompt.
func TestGrantsOfATool(t *testing.T) {
	const turns = `
turns:
  - when: {system: "You are a subagent", last_user: look}
    tool_calls: [{name: Do, input: {at: in a subagent}}]
  - when: {system: "You are a subagent"}
    text: "looked"
  - tool_calls: [{name: Do, input: {at: before}}, {name: Load, input: {}}, {name: Do, input: {at: after}}]
  - tool_calls: [{name: Agent, input: {prompt: look}}, {name: Do, input: {at: a turn later}}]
  - text: "one"
  - tool_calls: [{name: Do, input: {at: a prompt later}}]
  - text: "two"
  - tool_calls: [{name: Do, input: {at: with a prompt of its own}}]
  - text: "three"
  - tool_calls: [{name: Do, input: {at: with a message that waited}}]
  - text: "four"
`
	var ran []string
	b := newBench(t, turns, func(_ *bench, cfg *agent.Config) {
		load := echoTool("Load", true)
		load.run = func(context.Context, tool.Input) (tool.Result, error) {
			r := textResult("loaded")
			r.Granted = allows(t, "Do")
			return r, nil
		}
		do := echoTool("Do", false)
		do.run = func(_ context.Context, in tool.Input) (tool.Result, error) {
			ran = append(ran, hook.RawJSON(in.JSON).String("at"))
			return textResult("done"), nil
		}
		cfg.Tools = []tool.Tool{load, do}
		checker, err := permission.New(permission.Config{ReadOnlyTools: []string{"Load"}})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Permission = checker
	})
	b.prompt("one")
	b.prompt("two")
	if _, err := b.a.Run(t.Context(), agent.Prompt{Text: "three", Granted: allows(t, "Do")}); err != nil {
		t.Fatal(err)
	}
	b.a.QueueGranted("four", allows(t, "Do"), agent.Steer)
	b.prompt("and")
	want := []string{"after", "in a subagent", "a turn later", "with a prompt of its own", "with a message that waited"}
	if !slices.Equal(ran, want) {
		t.Errorf("what ran: %q, want %q", ran, want)
	}
}
