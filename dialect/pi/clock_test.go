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
type slowUI struct {
	ui.UI
	takes time.Duration
}

func (slowUI) HasUI() bool { return true }
func (u slowUI) Confirm(ctx context.Context, _, _ string, _ ui.Dialog) (bool, error) {
	select {
	case <-time.After(u.takes):
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

type slowHost struct{ takes time.Duration }

func (h slowHost) UI() ui.UI { return slowUI{takes: h.takes} }

// TestTheClockStopsWhileThePersonIsAsked gives a hook more time when this machine needs
// it, and the person always twice as much.
func TestTheClockStopsWhileThePersonIsAsked(t *testing.T) {
	limit := 300 * time.Millisecond
	for ; limit < 5*time.Minute; limit *= 10 {
		if out := askAndWait(t, limit); out.Reason == "answered true" {
			return
		}
	}
	t.Errorf("the time of the person counted, up to %v", limit)
}

// askAndWait returns what a hook with a deadline says that asks the person; one that does
// not ask must time out.
func askAndWait(t *testing.T, limit time.Duration) *hook.Outcome {
	path := filepath.Join(t.TempDir(), "m.ts")
	src := module("tool_call", `async (e, ctx) => {
		if (e.input.command === "ask") return { block: true, reason: "answered " + (await ctx.ui.confirm("t", "m")) };
		await new Promise((done) => setTimeout(done, 3600000));
	}`)
	if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := script.Load(context.Background(), path, script.Options{Host: slowHost{2 * limit}, Grants: script.Grants{UI: true}})
	if err != nil {
		t.Fatal(err)
	}
	reg := hook.NewRegistry()
	regs, _ := Registrations(m, NewGroups(reg))
	for i := range regs {
		regs[i].Timeout = limit
	}
	if _, err := reg.AddAll(regs); err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	asked := fire(t, e, bash("ask"))
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
	return asked
}
