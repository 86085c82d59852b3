package trust

import (
	"context"
	"fmt"
)

// Answer is what a person says to a hook that is not approved.
type Answer uint8

// The answers. The zero Answer decides nothing.
const (
	// NotNow leaves the content untrusted and does not ask again in this session.
	NotNow Answer = iota
	// Yes approves the content.
	Yes
	// Never leaves it untrusted and does not ask again until it changes.
	Never
)

// Answer records what a person said to an artifact. digest is that of the content
// that the person was shown; content that has changed since is a *DigestError.
func (g *SessionGate) Answer(ctx context.Context, a Artifact, digest string, answer Answer) error {
	st, err := ReadState(a)
	if err != nil {
		return fmt.Errorf("deciding about %q: %w", a.Name, err)
	}
	if st.Digest != digest {
		return &DigestError{Name: a.Name, Digest: st.Digest, Want: []string{digest}}
	}
	if answer != NotNow && g.opts.Store == nil {
		return fmt.Errorf("deciding about %q: there is no trust store", a.Name)
	}
	switch answer {
	case Yes:
		// The person was shown what it replaces and said yes to that.
		_, err = g.opts.Store.Approve(ctx, ApproveOptions{Digests: []string{digest}, Replace: true, How: HowAsked}, a)
	case Never:
		err = g.opts.Store.Refuse(ctx, a)
	default:
		g.mu.Lock()
		g.notNow[contentKey(st)] = struct{}{}
		g.mu.Unlock()
		return nil
	}
	if err != nil {
		return err
	}
	g.mu.Lock()
	delete(g.asked, contentKey(st))
	g.mu.Unlock()
	return nil
}

// agentVariables are variables by which agents tell the programs that they start
// who started them.
var agentVariables = []string{"HOOKLINE", "HOOKLINE_SESSION_ID", "CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT", "AIDER_SESSION", "OPENCODE", "PI_CODING_AGENT"}

// InsideAgent returns the variable by which getenv shows that an agent started this
// program, "" when none does. Options that switch approval off are for people, and
// for machines that people set up: a program that an agent started should refuse
// them.
func InsideAgent(getenv func(string) string) string {
	for _, name := range agentVariables {
		if getenv(name) != "" {
			return name
		}
	}
	return ""
}
