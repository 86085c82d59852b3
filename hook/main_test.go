package hook_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) {
	if missing := missingRow(); missing != "" {
		fmt.Fprintln(os.Stderr, missing)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// missingRow says which row of the tables is not written, without which no test means much.
func missingRow() string {
	var rows hook.Fields
	for _, p := range hook.AnswerParts() {
		rows |= p.Field
	}
	before := "the first"
	for _, ev := range hook.Events() {
		switch s := ev.Spec(); {
		case s.Name == "":
			return "event.go has an event after " + before + " that has no row in hook/table.go"
		case s.Honours&^rows != 0:
			return s.Name + " honours a part of an answer that has no row in hook/answertable.go"
		default:
			before = s.Name
		}
	}
	return ""
}

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
