package agent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

var errStopped = errors.New("stopped by the test")

// A prompt is cancelled at the n-th event, for every n. The session holds a result
// for every call, opens again, and the conversation goes on.
func TestCancelAtEveryStep(t *testing.T) {
	for step := 1; ; step++ {
		if !cancelAt(t, step) {
			if step < 25 {
				t.Errorf("only %d steps were tried", step)
			}
			return
		}
	}
}

// cancelAt reports whether the prompt was still running at that step.
func cancelAt(t *testing.T, step int) bool {
	var path string
	b := newBench(t, `
turns:
  - text: "I look."
    chunks: 3
    tool_calls: [{name: Look, input: {a: 1}}, {name: Look, input: {a: 2}}, {name: Do, input: {b: 2}}]
  - text: "Done."
  - text: "again"
    repeat: 9
`, withFiles, func(_ *bench, cfg *agent.Config) { path = cfg.Session.Path() }).allowAll()
	ctx, cancel := context.WithCancelCause(t.Context())
	n := 0
	hook.OnEvent(b.reg, func(context.Context, hook.Input) (hook.Result, error) {
		if n++; n == step {
			cancel(errStopped)
		}
		return hook.None(), nil
	}, hook.Events())
	res, err := b.a.Prompt(ctx, "go")
	if n < step {
		return false
	}
	over := res.End == agent.EndDone // the event was the last one
	if !over && (!errors.Is(err, errStopped) || res.End != agent.EndInterrupted) {
		t.Errorf("step %d: %+v, %v", step, res.End, err)
	}
	messages(t, b.a.Session())
	if _, err := b.a.Prompt(t.Context(), "go on"); err != nil {
		t.Errorf("step %d: going on: %v", step, err)
	}
	if err := b.a.Close(t.Context()); err != nil {
		t.Error(err)
	}
	s, err := session.Open(path, session.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	messages(t, s)
	return true
}

func TestInterruptedToolIsToldAsSuch(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	b := newBench(t, "turns:\n  - tool_calls: [{name: Do, input: {}}, {name: Do, input: {}}]\n  - text: ok\n", func(_ *bench, cfg *agent.Config) {
		cfg.Tools = []tool.Tool{&funcTool{name: "Do", run: func(ctx context.Context, _ tool.Input) (tool.Result, error) {
			cancel(errStopped)
			<-ctx.Done()
			return tool.Result{}, fmt.Errorf("the command was ended: %w", ctx.Err())
		}}}
	}).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.PostToolUseFailure) (hook.Result, error) {
		b.note("%v", in.IsInterrupt)
		return hook.None(), nil
	})
	if _, err := b.a.Prompt(ctx, "go"); !errors.Is(err, errStopped) {
		t.Error(err)
	}
	if got := strings.Join(b.noted(), " "); got != "true" {
		t.Errorf("failures told: %s", got)
	}
	expect(t, b.lastResult(), "the command was ended", "the person interrupted the turn")
}

func TestPartialAnswerIsKeptAfterAnInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	b := newBench(t, "turns:\n  - text: half of it and the rest\n    chunks: 2\n    chunk_delay: 60\n  - text: ok\n", func(_ *bench, cfg *agent.Config) {
		cfg.OnEvent = func(ev agent.Event) {
			if ev.Kind == agent.KindText {
				cancel(errStopped)
			}
		}
	})
	if _, err := b.a.Prompt(ctx, "go"); !errors.Is(err, errStopped) {
		t.Error(err)
	}
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "half of it", "!the rest")
}

// 1,000 idle agents fit into one process.
func TestMemoryOfIdleAgents(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has its own idea of memory")
	}
	set, err := tool.New(tool.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	eng := hook.New(hook.NewRegistry())
	defer eng.Close()
	m := scripted(t, talk)
	const n, limit = 1000, 200 << 10
	heap := func() uint64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc + s.StackInuse
	}
	before := heap()
	agents := make([]*agent.Agent, n)
	for i := range agents {
		if agents[i], err = agent.New(agent.Config{Model: m.Provider, Tools: set.Tools(), Hooks: eng}); err != nil {
			t.Fatal(err)
		}
		if _, err := agents[i].Prompt(t.Context(), "hello"); err != nil {
			t.Fatal(err)
		}
	}
	per := (heap() - before) / n
	t.Logf("%d bytes for each agent", per)
	if per > limit {
		t.Errorf("%d bytes for each agent, more than %d", per, limit)
	}
	for _, a := range agents {
		if err := a.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// After an interrupt the events that close what was begun still fire, Stop does not.
func TestEventsAfterAnInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	b := newBench(t, oneCall, func(_ *bench, cfg *agent.Config) {
		cfg.Tools = []tool.Tool{&funcTool{name: "Do", run: func(ctx context.Context, _ tool.Input) (tool.Result, error) {
			cancel(errStopped)
			return textResult("done in time"), nil
		}}}
	}).allowAll()
	hook.OnEvent(b.reg, func(ctx context.Context, in hook.Input) (hook.Result, error) {
		b.note("%v %v", in.Event(), ctx.Err())
		return hook.None(), nil
	}, []hook.Event{hook.EventPostToolUse, hook.EventToolExecutionEnd, hook.EventTurnEnd, hook.EventAgentEnd, hook.EventStop, hook.EventStopFailure})
	if _, err := b.a.Prompt(ctx, "go"); !errors.Is(err, errStopped) {
		t.Error(err)
	}
	want := "PostToolUse <nil>|ToolExecutionEnd <nil>|TurnEnd <nil>|AgentEnd <nil>"
	if got := strings.Join(b.noted(), "|"); got != want {
		t.Errorf("got %s", got)
	}
	expect(t, b.lastResult(), "done in time")
}
