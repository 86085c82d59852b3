package agent_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// blockingUI is a person who does not answer.
type blockingUI struct {
	ui.UI
	asked func()
}

func (u blockingUI) HasUI() bool { return true }

func (u blockingUI) Select(ctx context.Context, _ string, _ []string, _ ui.Dialog) (int, bool, error) {
	u.asked()
	<-ctx.Done()
	return 0, false, ctx.Err()
}

// blockingModel hangs in the first call whose request holds a text, after a piece
// of its answer.
type blockingModel struct {
	model.Provider
	at    string
	once  sync.Once
	asked func()
}

func (m *blockingModel) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	var all strings.Builder
	all.WriteString(strings.Join(req.System, "\n"))
	for _, msg := range req.Messages {
		all.WriteString(msg.Text())
	}
	block := false
	if strings.Contains(all.String(), m.at) {
		m.once.Do(func() { block = true })
	}
	if !block {
		return m.Provider.Stream(ctx, req)
	}
	return func(yield func(model.Event, error) bool) {
		if !yield(model.Event{Kind: model.Start, ID: "m"}, nil) || !yield(model.Event{Kind: model.TextDelta, Text: "half"}, nil) {
			return
		}
		m.asked()
		<-ctx.Done()
		yield(model.Event{}, ctx.Err())
	}
}

// A prompt is cancelled while something of every kind is going on. Every call then
// has its result, in the session that is open and when it is opened again, and the
// conversation goes on.
func TestCancelInEveryPhase(t *testing.T) {
	const reads = `
turns:
  - when: {system: "You review"}
    tool_calls: [{name: Hang, input: {}}, {name: Look, input: {a: 1}}]
  - tool_calls: [{name: Look, input: {a: 1}}, {name: Hang, input: {}}, {name: Hang, input: {}}, {name: Do, input: {}}, {name: Hang, input: {}}]
  - text: "Done."
    repeat: -1
`
	subagents := strings.Replace(reads, "  - tool_calls: [{name: Look", "  - tool_calls: [{name: Agent, input: {prompt: look, subagent_type: reviewer}}, {name: Agent, input: {prompt: look, subagent_type: reviewer}}]\n  - tool_calls: [{name: Look", 1)
	hooked := func(ev hook.Event) func(*bench, *agent.Config, func()) {
		return func(b *bench, _ *agent.Config, now func()) {
			var once sync.Once
			hook.OnEvent(b.reg, func(ctx context.Context, in hook.Input) (hook.Result, error) {
				once.Do(func() { now(); <-ctx.Done() })
				return hook.None(), ctx.Err()
			}, []hook.Event{ev})
		}
	}
	phases := []struct {
		name, turns string
		// stop makes something wait for the end, and calls now when it does.
		stop func(b *bench, cfg *agent.Config, now func())
	}{
		{"the model's stream", reads, func(_ *bench, cfg *agent.Config, now func()) {
			cfg.Model = &blockingModel{Provider: cfg.Model, at: "go", asked: now}
		}},
		{"a hook before a tool", reads, hooked(hook.EventPreToolUse)},
		{"a hook after a tool", strings.ReplaceAll(reads, "Hang", "Look"), func(b *bench, cfg *agent.Config, now func()) {
			hooked(hook.EventPostToolUse)(b.allowAll(), cfg, now)
		}},
		{"a hook on the prompt", reads, hooked(hook.EventUserPromptSubmit)},
		{"a hook on the permission", reads, hooked(hook.EventPermissionRequest)},
		{"tools side by side", reads, func(b *bench, _ *agent.Config, _ func()) { b.allowAll() }},
		{"the question of a permission", strings.ReplaceAll(reads, "Hang", "Do"), func(b *bench, cfg *agent.Config, now func()) {
			cfg.UI = blockingUI{ui.None{}, now}
		}},
		{"a compaction", "turns:\n  - text: a long answer\n    usage: {input: 900, output: 10}\n  - text: fine\n    repeat: -1\n", func(_ *bench, cfg *agent.Config, now func()) {
			cfg.Window = 1000
			cfg.Model = &blockingModel{Provider: cfg.Model, at: "a long answer", asked: now}
		}},
		{"a subagent", subagents, func(b *bench, cfg *agent.Config, _ func()) {
			withReviewer(b.allowAll(), cfg)
			cfg.Subagents[0].Tools, cfg.Subagents[0].Hooks = nil, nil
		}},
		{"a subagent's model", subagents, func(b *bench, cfg *agent.Config, now func()) {
			withReviewer(b, cfg)
			cfg.Subagents[0].Hooks = nil
			cfg.Model = &blockingModel{Provider: cfg.Model, at: "You review", asked: now}
		}},
		{"the wait before a model is asked again", "turns:\n  - error: {status: 529}\n  - text: fine\n    repeat: -1\n", func(b *bench, _ *agent.Config, now func()) {
			hook.On(b.reg, func(context.Context, *hook.AutoRetryStart) (hook.Result, error) { now(); return hook.None(), nil })
		}},
	}
	for _, ph := range phases {
		t.Run(ph.name, func(t *testing.T) { cancelIn(t, ph.turns, ph.stop) })
	}
}

func cancelIn(t *testing.T, turns string, stop func(*bench, *agent.Config, func())) {
	ctx, cancel := context.WithCancelCause(t.Context())
	now := func() { cancel(errStopped) }
	var path string
	b := newBench(t, turns, withFiles, func(b *bench, cfg *agent.Config) {
		path = cfg.Session.Path()
		cfg.Tools = append(cfg.Tools, &funcTool{name: "Hang", readOnly: true, run: func(own context.Context, _ tool.Input) (tool.Result, error) {
			if ctx.Err() == nil {
				now()
				<-own.Done()
			}
			return textResult("over"), own.Err()
		}})
		hook.OnEvent(b.reg, func(_ context.Context, in hook.Input) (hook.Result, error) {
			b.note("%v%s", in.Event(), in.Base().AgentID)
			return hook.None(), nil
		}, []hook.Event{hook.EventTurnStart, hook.EventTurnEnd})
		stop(b, cfg, now)
	})
	prompts := 0
	for ctx.Err() == nil && prompts < 3 { // a compaction comes with the second
		prompts++
		if res, err := b.a.Prompt(ctx, "go"); ctx.Err() != nil && (!errors.Is(err, errStopped) || res.End != agent.EndInterrupted) {
			t.Errorf("it ended %s: %v", res.End, err)
		}
	}
	if ctx.Err() == nil {
		t.Fatal("it never came so far")
	}
	count := map[string]int{}
	for _, n := range b.noted() {
		count[n]++
	}
	for n := range count {
		if who, ok := strings.CutPrefix(n, "TurnStart"); ok && count[n] != count["TurnEnd"+who] {
			t.Errorf("turns that began and ended: %v", count)
		}
	}
	messages(t, b.a.Session())
	s, err := session.Open(path, session.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	messages(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.a.Prompt(t.Context(), "go on"); err != nil {
		t.Errorf("going on: %v", err)
	}
	messages(t, b.a.Session())
}
