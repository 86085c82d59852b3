package backtest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/backtest"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// Example asks a guard about each call of the sessions that Hookline's own agent kept.
func Example() {
	state, err := os.MkdirTemp("", "state")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(state)
	lines := `{"type":"session","version":1,"id":"s","cwd":"/p","timestamp":"2026-01-02T10:00:00Z"}
{"type":"message","id":"m","timestamp":"2026-01-02T10:00:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"rm -rf build"}}]}}
`
	if err := os.Mkdir(filepath.Join(state, "sessions"), 0o700); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(state, "sessions", "s.jsonl"), []byte(lines), 0o600); err != nil {
		panic(err)
	}

	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		return hook.Deny("nothing is removed here"), nil
	}, hook.Name("guard"))
	engine := hook.New(reg)
	defer engine.Close()

	sessions, err := backtest.Sessions(backtest.Archives(nil), dialect.Dirs{State: state}, os.Getenv, time.Time{})
	if err != nil {
		panic(err)
	}
	report, err := backtest.Run(context.Background(), backtest.Options{
		Sessions: sessions, Events: backtest.Events, Fire: engine.Fire,
		Redact: func(text string, max int) (string, bool) { return text[:min(len(text), max)], len(text) > max },
	})
	if err != nil {
		panic(err)
	}
	for _, g := range report.Groups {
		fmt.Println(g.Count, g.Hook, g.Answer, g.Tool, g.Examples[0].Text)
	}
	// Output: 1 guard deny Bash rm -rf build
}
