package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
)

// asked are the names under which a model was called.
func (m *recordedModel) asked() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for _, r := range m.requests {
		names = append(names, r.Model)
	}
	return strings.Join(names, " ")
}

// noteAnswerer notes the model that hooks are told at the beginning and the end of an answer.
func noteAnswerer(b *bench) {
	note := func(when string, m *hook.Message) {
		if m.Role == string(model.Assistant) {
			b.note("%s %s", when, hook.RawJSON(m.Extra).String("model"))
		}
	}
	hook.On(b.reg, func(_ context.Context, in *hook.MessageStart) (hook.Result, error) {
		note("start", in.Message)
		return hook.None(), nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.MessageEnd) (hook.Result, error) {
		note("end", in.Message)
		return hook.None(), nil
	})
}

func TestACallThatHasBegunStaysWithItsModel(t *testing.T) {
	for _, event := range []hook.Event{hook.EventProviderRequest, hook.EventAutoRetryStart} {
		other := scripted(t, "turns: [{text: the other}]")
		b := newBench(t, "turns: [{error: {status: 529}}, {tool_calls: [{name: Look, input: {}}]}]", func(_ *bench, cfg *agent.Config) {
			cfg.Resolve = twoModels(other)
		})
		b.allowAll()
		hook.OnEvent(b.reg, func(ctx context.Context, _ hook.Input) (hook.Result, error) {
			_, err := b.a.SetModel(ctx, "house/other", "sdk")
			return hook.None(), err
		}, []hook.Event{event}, hook.Once())
		noteAnswerer(b)
		if res := b.prompt("go"); res.Text != "the other" {
			t.Errorf("%v: it ended with %q", event, res.Text)
		}
		if main, other := b.model.asked(), other.asked(); main != "script script" || other != "other" {
			t.Errorf("%v: the first model was called as %q, the other as %q", event, main, other)
		}
		if got, want := b.noted(), []string{"start script", "end script", "start other", "end other"}; !slices.Equal(got, want) {
			t.Errorf("%v: hooks were told %q, want %q", event, got, want)
		}
	}
}

func TestHooksAreToldWhichFallbackAnswers(t *testing.T) {
	second := scripted(t, "turns: [{text: the second}]")
	b := newBench(t, "turns: [{error: {status: 529}, repeat: -1}]", func(_ *bench, cfg *agent.Config) {
		cfg.Retry.Max, cfg.Fallbacks = -1, []agent.Fallback{{Provider: second, Name: "second"}}
	})
	noteAnswerer(b)
	if res := b.prompt("go"); res.Text != "the second" {
		t.Errorf("it ended with %q", res.Text)
	}
	if got, want := b.noted(), []string{"start second", "end second"}; !slices.Equal(got, want) {
		t.Errorf("hooks were told %q, want %q", got, want)
	}
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), `"model":"second"`)
}
