package hook_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

func noOpinion(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.None(), nil }

func bashCall() *hook.PreToolUse {
	return &hook.PreToolUse{
		Common:    hook.Common{SessionID: "s", CWD: "/"},
		ToolName:  "Bash",
		ToolInput: hook.RawJSON(`{"command":"ls"}`),
	}
}

func fireN(b *testing.B, reg *hook.Registry) {
	b.Helper()
	eng := hook.New(reg)
	defer eng.Close()
	in, ctx := bashCall(), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if out, err := eng.Fire(ctx, in); err != nil || out.Decision != hook.DecisionNone {
			b.Fatal(out.Decision, err)
		}
	}
}

// BenchmarkFireNoMatch100 is an event that none of 100 registrations matches.
func BenchmarkFireNoMatch100(b *testing.B) {
	reg := hook.NewRegistry()
	for i := range 100 {
		hook.On(reg, noOpinion, hook.Match(fmt.Sprintf("Tool%d", i)))
	}
	fireN(b, reg)
}

// BenchmarkFireOne is one matching Go function.
func BenchmarkFireOne(b *testing.B) {
	reg := hook.NewRegistry()
	hook.On(reg, noOpinion, hook.Match("Bash"))
	fireN(b, reg)
}

// BenchmarkFireTen is ten matching Go functions.
func BenchmarkFireTen(b *testing.B) {
	reg := hook.NewRegistry()
	for range 10 {
		hook.On(reg, noOpinion, hook.Match("Bash"))
	}
	fireN(b, reg)
}

// BenchmarkFireHundredOneMatch is 100 registrations of which one matches.
func BenchmarkFireHundredOneMatch(b *testing.B) {
	reg := hook.NewRegistry()
	for i := range 99 {
		hook.On(reg, noOpinion, hook.Match(fmt.Sprintf("Tool%d", i)))
	}
	hook.On(reg, noOpinion, hook.Match("Bash"))
	fireN(b, reg)
}

// BenchmarkNow is the clock that every run reads twice.
func BenchmarkToolInputString(b *testing.B) {
	in := hook.RawJSON(`{"description":"list files","timeout":120000,"command":"ls -la | grep go"}`)
	b.ReportAllocs()
	for b.Loop() {
		if in.String("command") == "" {
			b.Fatal("no command")
		}
	}
}
