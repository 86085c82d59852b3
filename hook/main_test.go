package hook_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// engine returns an engine that is closed when the test ends.
func engine(t testing.TB, reg *hook.Registry, opts ...hook.EngineOption) *hook.Engine {
	t.Helper()
	e := hook.New(reg, opts...)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func fire(t testing.TB, e *hook.Engine, in hook.Input) hook.Outcome {
	t.Helper()
	out, err := e.Fire(t.Context(), in)
	if err != nil {
		t.Fatalf("fire %v: %v", in.Event(), err)
	}
	return out
}

type pre = *hook.PreToolUse

// says returns a hook that always gives the same answer.
func says(r hook.Result) func(context.Context, pre) (hook.Result, error) {
	return func(context.Context, pre) (hook.Result, error) { return r, nil }
}

func bash(command string) pre {
	return &hook.PreToolUse{
		Common:    hook.Common{SessionID: "s1", CWD: "/"},
		ToolName:  "Bash",
		ToolInput: hook.MustJSON(map[string]string{"command": command}),
	}
}
