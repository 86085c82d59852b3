package agent

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// live is the session as in-process hooks see it.
type live struct {
	a    *Agent
	meta hook.Metadata
}

var _ hook.Session = (*live)(nil)

// ID returns the session's id.
func (l *live) ID() string { return l.a.SessionID() }

// Turn returns the number of the current turn, from 1.
func (l *live) Turn() int {
	l.a.mu.Lock()
	defer l.a.mu.Unlock()
	return l.a.turn
}

// Messages returns the conversation; nil when it can't be read.
func (l *live) Messages() []hook.Message {
	l.a.mu.Lock()
	defer l.a.mu.Unlock()
	if l.a.refresh() != nil {
		return nil
	}
	seen, _ := l.a.conv.forHooks()
	return slices.Clone(seen)
}

// SetMessages replaces the conversation: the leaf goes back to the last message
// that stays, and the others are added below it. What was there remains in the
// session, on a branch that was left.
func (l *live) SetMessages(msgs []hook.Message) error {
	decoded := make([]model.Message, len(msgs))
	for i, m := range msgs {
		var err error
		if decoded[i], err = toModel(m); err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	a := l.a
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.refresh(); err != nil {
		return err
	}
	seen, err := a.conv.forHooks()
	if err != nil {
		return err
	}
	same, target := 0, ""
	for !a.conv.replaced && same < len(msgs) && same < len(seen) &&
		msgs[same].Role == seen[same].Role && msgs[same].Content == seen[same].Content {
		target = a.conv.ids[same]
		same++
	}
	if same == len(msgs) && same == len(seen) {
		return nil
	}
	if _, err := a.sess.Navigate(target, nil); err != nil {
		return err
	}
	a.conv.stale = true
	a.lastCall = 0
	for i, m := range decoded[same:] {
		if _, err := a.append(entryFor(msgs[same+i]), m, stored{}); err != nil {
			return err
		}
	}
	return nil
}

// entryFor is the entry that keeps a message of a hook's.
func entryFor(m hook.Message) session.Entry {
	extra := hook.RawJSON(m.Extra)
	if m.Role != customRole || extra.String("customType") == "" {
		return session.Entry{Type: session.Message}
	}
	e := session.Entry{Type: session.CustomMessage, CustomType: extra.String("customType"), Content: jsontext.Value(m.Content.Raw()), Display: extra.Bool("display")}
	if details, ok := extra.Get("details"); ok {
		e.Details = jsontext.Value(details.Raw())
	}
	return e
}

// Metadata returns a value that a hook stored.
func (l *live) Metadata(key string) (any, bool) { return l.meta.Get(key) }

// SetMetadata stores a value for as long as the agent lives.
func (l *live) SetMetadata(key string, value any) { l.meta.Set(key, value) }

// Live returns the session as in-process hooks see it.
func (a *Agent) Live() hook.Session { return a.live }
