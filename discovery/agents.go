package discovery

import (
	"context"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// AgentArtifacts are what approval of the hooks in the header of a subagent's file is about,
// by dialect.
func (l *Loader) AgentArtifacts(a dialect.AgentFile) (out []trust.Artifact) {
	for _, s := range l.sources {
		if f, ok := s.finder.(dialect.AgentFinder); ok {
			out = append(out, f.AgentArtifact(a))
		}
	}
	return out
}

// AgentHooks finds the hooks in the header of the file of a subagent that starts.
func (l *Loader) AgentHooks(ctx context.Context, a dialect.AgentFile, start dialect.AgentStart) ([]hook.Registration, *Set) {
	l.mu.Lock()
	defer l.mu.Unlock()
	set := &Set{}
	for _, s := range l.sources {
		if f, ok := s.finder.(dialect.AgentFinder); ok {
			hooks, diags := f.AgentHooks(ctx, a, start)
			set.Hooks, set.Diagnostics = append(set.Hooks, hooks...), append(set.Diagnostics, diags...)
		}
	}
	for i := range set.Hooks {
		l.finish(&set.Hooks[i])
	}
	return set.inForce(func(*Found) bool { return true }), set
}
