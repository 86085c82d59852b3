package agent

import (
	"fmt"

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
func (l *live) Turn() int { return l.a.conversation.turn() }

// Messages returns the conversation; nil when it can't be read.
func (l *live) Messages() []hook.Message { return l.a.conversation.seenSince(0) }

// SetMessages replaces the conversation. What was there remains in the session, on a branch
// that was left.
func (l *live) SetMessages(msgs []hook.Message) error {
	decoded := make([]model.Message, len(msgs))
	for i, m := range msgs {
		var err error
		if decoded[i], err = toModel(m); err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return l.a.conversation.replace(msgs, decoded)
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
