package prompt_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// model is a Model that is a function.
type model func(ctx context.Context, r prompt.Request) (string, error)

func (f model) Complete(ctx context.Context, r prompt.Request) (string, error) { return f(ctx, r) }

func says(text string) model {
	return func(context.Context, prompt.Request) (string, error) { return text, nil }
}

// server is an MCP that is a function.
type server func(ctx context.Context, server, tool string, input hook.JSON) (string, bool, error)

func (f server) CallTool(ctx context.Context, s, tool string, input hook.JSON) (string, bool, error) {
	return f(ctx, s, tool, input)
}

func replies(text string, isError bool, err error) server {
	return func(context.Context, string, string, hook.JSON) (string, bool, error) { return text, isError, err }
}

func toolUse() *hook.PreToolUse {
	return &hook.PreToolUse{
		Common:   hook.Common{SessionID: "s1"},
		ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"echo $ARGUMENTS","id":9007199254740993,"list":[{"a":"x"},"\ud800"],"s":"two words"}`),
	}
}

func fire(t testing.TB, h hook.Handler, in hook.Input, timeout time.Duration, opts ...hook.EngineOption) (hook.Outcome, hook.Run) {
	t.Helper()
	reg := hook.NewRegistry()
	if _, err := reg.Add(hook.Registration{Event: in.Event(), Handler: h, Name: "check", Timeout: timeout}); err != nil {
		t.Fatal(err)
	}
	eng := hook.New(reg, opts...)
	defer eng.Close()
	out, err := eng.Fire(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out, out.Runs[0]
}

func kindOf(err error) hook.FailureKind {
	if f, ok := errors.AsType[*hook.Failure](err); ok {
		return f.Kind
	}
	return ""
}

var plain = codectest.Plain{}
