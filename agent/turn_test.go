package agent_test

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	rulefiles "github.com/hookline-dev/hookline/agent/rules"
	"github.com/hookline-dev/hookline/hook"
)

// noteTurns notes where turns begin and how they end.
func noteTurns(b *bench) {
	hook.On(b.reg, func(context.Context, *hook.AgentStart) (hook.Result, error) { b.note("agent"); return hook.None(), nil })
	hook.On(b.reg, func(_ context.Context, in *hook.TurnStart) (hook.Result, error) {
		b.note("turn %d", in.TurnIndex)
		return hook.None(), nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.TurnEnd) (hook.Result, error) {
		b.note("end %d %s %s%t", in.TurnIndex, in.Outcome, in.Response, in.Message != nil)
		return hook.None(), nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.AgentEnd) (hook.Result, error) {
		b.note("agent %s", in.Outcome)
		return hook.None(), nil
	})
}

// halts are hooks that end the prompt at an event.
func halts[T any, I interface {
	*T
	hook.Input
}](b *bench, _ *agent.Config) {
	hook.On(b.reg, func(context.Context, I) (hook.Result, error) { return hook.Result{Continue: hook.No}, nil })
}

func TestEachTurnThatBeginsEnds(t *testing.T) {
	const calls = "turns:\n  - text: one\n    tool_calls: [{name: Look, input: {a: 1}}]\n  - text: two\n"
	for name, c := range map[string]struct {
		turns string
		given func(*bench, *agent.Config)
		want  []string
	}{
		"the model fails":       {"turns:\n  - error: {status: 400}\n", nil, []string{"end 0 error false", "agent error"}},
		"a hook at its start":   {calls, halts[hook.TurnStart], []string{"end 0 aborted false", "agent completed"}},
		"a hook on the context": {calls, halts[hook.Context], []string{"end 0 aborted false", "agent completed"}},
		"a hook on the request": {calls, halts[hook.ProviderRequest], []string{"end 0 aborted false", "agent completed"}},
		"a hook on a rule": {calls, func(b *bench, cfg *agent.Config) {
			cfg.Rules = []rulefiles.Rule{{Name: "r", Text: "Do not.", Trigger: regexp.MustCompile("one")}}
			halts[hook.RuleTriggered](b, cfg)
		}, []string{"end 0 aborted false", "agent completed"}},
		"a hook after the call": {calls, halts[hook.PostToolUse], []string{"end 0 completed onetrue", "agent completed"}},
		"a bound before it": {calls, func(_ *bench, cfg *agent.Config) {
			cfg.MaxCost, cfg.Cost = 1, func() (float64, string) { return 2, "" }
		}, []string{"end 0 aborted false", "agent completed"}},
		"a bound after it": {calls, func(_ *bench, cfg *agent.Config) { cfg.MaxTurns = 1 }, []string{"end 0 completed onetrue", "agent completed"}},
		"a message that waits": {"turns:\n  - text: one\n  - text: two\n", func(b *bench, _ *agent.Config) {
			hook.On(b.reg, func(_ context.Context, in *hook.TurnStart) (hook.Result, error) {
				if in.TurnIndex == 0 {
					b.a.QueueNote("more", agent.FollowUp)
				}
				return hook.None(), nil
			})
			hook.On(b.reg, func(_ context.Context, in *hook.MessageStart) (hook.Result, error) {
				if in.Message.Text() == "more" {
					b.note("more")
				}
				return hook.None(), nil
			})
		}, []string{"end 0 completed onetrue", "turn 1", "more", "end 1 completed twotrue", "agent completed"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.turns, func(b *bench, cfg *agent.Config) {
				noteTurns(b)
				if c.given != nil {
					c.given(b, cfg)
				}
			}).allowAll()
			_, _ = b.a.Prompt(t.Context(), "go") // how it ends is not the question
			if got, want := b.noted(), append([]string{"agent", "turn 0"}, c.want...); !slices.Equal(got, want) {
				t.Errorf("got %q\nwant %q", got, want)
			}
		})
	}
}
