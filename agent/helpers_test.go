package agent_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/script"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("AGENT_TEST_CRASH"); dir != "" {
		crashMain(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// recordedModel keeps every request of a scripted model.
type recordedModel struct {
	*script.Provider
	mu       sync.Mutex
	requests []*model.Request
}

func (m *recordedModel) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	m.mu.Lock()
	kept := *req
	kept.Messages = append([]model.Message(nil), req.Messages...)
	kept.System = append([]string(nil), req.System...)
	m.requests = append(m.requests, &kept)
	m.mu.Unlock()
	return m.Provider.Stream(ctx, req)
}

// texts returns, for each request, all that the model could see.
func (m *recordedModel) texts() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, r := range m.requests {
		var b strings.Builder
		b.WriteString(strings.Join(r.System, "\n"))
		for _, msg := range r.Messages {
			for _, block := range msg.Content {
				b.WriteString("\n" + string(msg.Role) + ": " + block.Text + block.Name + string(block.Input) + block.ResultText())
			}
		}
		out = append(out, b.String())
	}
	return out
}

func scripted(t testing.TB, yaml string) *recordedModel {
	t.Helper()
	p, err := script.Parse([]byte(yaml), script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &recordedModel{Provider: p}
}

// funcTool is a tool made of a function.
type funcTool struct {
	name     string
	schema   string
	readOnly bool
	run      func(ctx context.Context, in tool.Input) (tool.Result, error)
}

func (f *funcTool) Name() string        { return f.name }
func (f *funcTool) Description() string { return "a tool of a test" }
func (f *funcTool) Schema() jsontext.Value {
	if f.schema == "" {
		return jsontext.Value(`{"type":"object"}`)
	}
	return jsontext.Value(f.schema)
}
func (f *funcTool) ReadOnly() bool { return f.readOnly }
func (f *funcTool) Run(ctx context.Context, in tool.Input) (tool.Result, error) {
	return f.run(ctx, in)
}

func textResult(s string) tool.Result { return tool.Result{Content: []model.Block{model.Text(s)}} }

// echoTool answers with its input.
func echoTool(name string, readOnly bool) *funcTool {
	return &funcTool{name: name, readOnly: readOnly, run: func(_ context.Context, in tool.Input) (tool.Result, error) {
		return textResult("ran " + string(in.JSON)), nil
	}}
}

// bench is an agent with a scripted model and Go hooks.
type bench struct {
	t     testing.TB
	model *recordedModel
	reg   *hook.Registry
	eng   *hook.Engine
	a     *agent.Agent

	mu     sync.Mutex
	events []string
	shown  []agent.Event
}

// newBench makes an agent whose model answers as the YAML says. change may alter its
// configuration.
func newBench(t testing.TB, yaml string, change ...func(*bench, *agent.Config)) *bench {
	t.Helper()
	b := &bench{t: t, model: scripted(t, yaml), reg: hook.NewRegistry()}
	b.eng = hook.New(b.reg)
	cfg := agent.Config{
		Model: b.model, ModelName: "script", Hooks: b.eng, Dir: t.TempDir(), Tools: []tool.Tool{echoTool("Look", true), echoTool("Do", false)},
		Retry:   agent.Retry{Base: time.Millisecond},
		OnEvent: func(ev agent.Event) { b.mu.Lock(); defer b.mu.Unlock(); b.shown = append(b.shown, ev) },
	}
	for _, c := range change {
		c(b, &cfg)
	}
	var err error
	if b.a, err = agent.New(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.a.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := b.eng.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// allowAll lets every tool run without a question.
func (b *bench) allowAll() *bench {
	hook.On(b.reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.Allow(), nil })
	return b
}

func (b *bench) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, fmt.Sprintf(format, args...))
}

func (b *bench) noted() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.events...)
}

func (b *bench) shownEvents() []agent.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]agent.Event(nil), b.shown...)
}

// prompt works on a prompt that must not fail.
func (b *bench) prompt(text string) agent.Result {
	b.t.Helper()
	res, err := b.a.Prompt(b.t.Context(), text)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

// all returns everything that the model was sent.
func (b *bench) all() string { return strings.Join(b.model.texts(), "\n=====\n") }

// messages decodes the conversation of a session.
func messages(t testing.TB, s *session.Session) []string {
	t.Helper()
	items, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range items {
		if it.Repaired {
			t.Errorf("entry %s had to be repaired: the session holds a call without its result", it.EntryID)
		}
		out = append(out, string(it.Message))
	}
	return out
}

func resolveTo(m model.Provider) func(string) (model.Provider, string, error) {
	return func(name string) (model.Provider, string, error) { return m, "the-" + name, nil }
}

type (
	permissionRequest  = permission.Request
	permissionDecision = permission.Decision
	permissionMode     = permission.Mode
)
