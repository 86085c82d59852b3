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
	st, err := readState(a)
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
