package agent_test

import (
	"context"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model/script"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// benchLoop measures one prompt of b.N turns with one tool call each.
func benchLoop(b *testing.B, hooks int, s *session.Session) {
	p, err := script.Parse([]byte("turns:\n  - tool_calls: [{name: Do, input: {command: ls}}]\n    usage: {input: 1, output: 1}\n    repeat: -1\n"), script.Options{})
	if err != nil {
		b.Fatal(err)
	}
	reg := hook.NewRegistry()
	if hooks > 0 {
		hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.Allow(), nil })
		hook.On(reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) { return hook.None(), nil })
		hook.On(reg, func(context.Context, *hook.TurnEnd) (hook.Result, error) { return hook.None(), nil })
	}
	eng := hook.New(reg)
	defer eng.Close()
	a, err := agent.New(agent.Config{
		Model: p, Hooks: eng, Session: s, Dir: b.TempDir(), MaxTurns: b.N,
		Tools:      []tool.Tool{&funcTool{name: "TodoWrite", run: nil}, &funcTool{name: "Do", run: func(context.Context, tool.Input) (tool.Result, error) { return textResult("ok"), nil }}},
		Permission: allowing{},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := a.Prompt(context.Background(), "go"); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	if err := a.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// allowing permits everything at no cost, so that the loop alone is measured.
type allowing struct{ agent.Permission }

func (allowing) Decide(permissionRequest) permissionDecision {
	return permissionDecision{Decision: hook.DecisionAllow}
}
func (allowing) Mode() permissionMode { return "default" }

// BenchmarkToolCall is the loop's overhead for a turn with one tool call and no
// hooks.
func BenchmarkToolCall(b *testing.B) { benchLoop(b, 0, nil) }

// BenchmarkTurns is a turn with three Go hooks, in memory and in files.
func BenchmarkTurns(b *testing.B) {
	b.Run("memory", func(b *testing.B) { benchLoop(b, 3, nil) })
	for name, noSync := range map[string]bool{"file": true, "synced": false} {
		b.Run(name, func(b *testing.B) {
			s, err := session.Create(b.TempDir(), session.Options{NoSync: noSync})
			if err != nil {
				b.Fatal(err)
			}
			benchLoop(b, 3, s)
		})
	}
}
