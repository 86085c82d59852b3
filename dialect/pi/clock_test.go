package pi

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// slowUI takes its time to confirm.
type slowUI struct{ ui.UI }

func (slowUI) HasUI() bool { return true }
func (slowUI) Confirm(ctx context.Context, _, _ string, _ ui.Dialog) (bool, error) {
	select {
	case <-time.After(700 * time.Millisecond):
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

type slowHost struct{}

func (slowHost) UI() ui.UI { return slowUI{} }

func TestTheClockStopsWhileThePersonIsAsked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.ts")
	src := module("tool_call", `async (e, ctx) => {
		if (e.input.command === "ask") return { block: true, reason: "answered " + (await ctx.ui.confirm("t", "m")) };
		await new Promise((done) => setTimeout(done, 60000));
	}`)
	if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := script.Load(context.Background(), path, script.Options{Host: slowHost{}, Grants: script.Grants{UI: true}})
	if err != nil {
		t.Fatal(err)
	}
	reg := hook.NewRegistry()
	regs, _ := Registrations(m, NewGroups(reg))
	for i := range regs {
		regs[i].Timeout = 300 * time.Millisecond
	}
	if _, err := reg.AddAll(regs); err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	if out := fire(t, e, bash("ask")); out.Reason != "answered true" {
		t.Errorf("decision %v, reason %q", out.Decision, out.Reason)
	}
	out := fire(t, e, bash("wait"))
	if out.Decision != hook.DecisionDeny || out.Runs[0].Status != hook.StatusTimedOut {
		t.Errorf("decision %v, run %+v", out.Decision, out.Runs[0])
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
