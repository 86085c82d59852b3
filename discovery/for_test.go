//go:build unix

package discovery_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/trust"
)

// countingGate is a gate that counts the hooks that it is asked about.
type countingGate struct {
	*trust.SessionGate
	checks atomic.Int64
}

func (c *countingGate) Check(a trust.Artifact) trust.Verdict {
	c.checks.Add(1)
	return c.SessionGate.Check(a)
}

// TestHooksFoundForOneEvent looks at the files and approvals of the hooks that an event is
// for, and of no other of a thousand.
func TestHooksFoundForOneEvent(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Project, ".claude/settings.json", entries(1000))
	p.approve()
	gate := &countingGate{SessionGate: trust.NewGate(trust.GateOptions{Store: trust.NewStore(discovery.TrustDir(p.dirs))})}
	e, set := p.register(p.loader(func(o *discovery.Options) { o.Gate, o.For = gate, bash("git push 500") }))
	if n := gate.checks.Load(); n == 0 || n > 2 {
		t.Errorf("%d hooks were looked at", n)
	}
	if out := p.fire(e, bash("git push 500")); len(out.Runs) != 1 || len(set.Hooks) != 1000 {
		t.Errorf("%d hooks, %+v", len(set.Hooks), out.Runs)
	}
}

// TestRedefinedGuardFailsForOneEvent has a project change of an approved guard what it is
// for: it fails where it guarded, also when hooks are found for that one event.
func TestRedefinedGuardFailsForOneEvent(t *testing.T) {
	for _, change := range []string{`"Bash"/"Read"`, `"PreToolUse"/"Notification"`} {
		p := newPlace(t)
		settings := `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "name": "guard", "command": "exit 2", "onFailure": "block"}]}]}}`
		p.write(p.dirs.Project, ".claude/settings.json", settings)
		p.approve()
		was, is, _ := strings.Cut(change, "/")
		p.write(p.dirs.Project, ".claude/settings.json", strings.Replace(settings, was, is, 1))
		e, _ := p.register(p.loader(func(o *discovery.Options) { o.Gate, o.For = nil, bash("ls") }))
		if out, ran := p.call(e); ran || !strings.Contains(out.Reason, "could not answer") {
			t.Errorf("%s: ran %v, %q", change, ran, out.Reason)
		}
	}
}
