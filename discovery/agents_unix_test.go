//go:build unix

package discovery_test

import (
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// lateGate is a gate that calls before each time it is asked about a hook.
type lateGate struct {
	*trust.SessionGate
	before func()
}

func (g *lateGate) Check(a trust.Artifact) trust.Verdict {
	g.before()
	return g.SessionGate.Check(a)
}

// TestAgentFileThatIsSwapped has the approved file of a subagent lie where another one lay
// while its hooks were read.
func TestAgentFileThatIsSwapped(t *testing.T) {
	p := newPlace(t)
	text := func(command string) string {
		return "---\nname: a\ndescription: d\nhooks:\n  PreToolUse:\n  - hooks:\n    - {type: command, command: \"" + command + "\"}\n---\nx\n"
	}
	write := func(command string) string { return p.write(p.dirs.Project, ".claude/agents/a.md", text(command)) }
	file := dialect.AgentFile{Name: "a", Path: write("true"), Project: true}
	store := trust.NewStore(discovery.TrustDir(p.dirs))
	for _, a := range p.loader(func(o *discovery.Options) { o.Gate = nil }).AgentArtifacts(file) {
		if _, err := store.Approve(t.Context(), trust.ApproveOptions{How: trust.HowCommand}, a); err != nil {
			t.Fatal(err)
		}
	}
	gate := &lateGate{trust.NewGate(trust.GateOptions{Store: store, Copies: trust.Copies{Dir: discovery.CopiesDir(p.dirs)}}), func() { write("true") }}
	l := p.loader(func(o *discovery.Options) { o.Gate = gate })
	for command, want := range map[string]discovery.Status{"true": discovery.Active, "false": discovery.Untrusted} {
		write(command)
		start := dialect.AgentStart{ID: "1", Group: hook.NewRegistry().Group("a", hook.Parallel, 0)}
		if _, set := l.AgentHooks(t.Context(), file, start); len(set.Hooks) != 1 || set.Hooks[0].Status != want {
			t.Errorf("%s: want %s, got %+v", command, want, set.Hooks)
		}
	}
}
