package hook

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync/atomic"
)

// ChannelObserver passes emissions on to a channel and never waits for it: what
// does not fit is dropped and counted.
type ChannelObserver struct {
	ch      chan<- Emission
	dropped atomic.Uint64
}

// NewChannelObserver returns an observer that sends to ch. The channel is the
// caller's and is never closed by the observer.
func NewChannelObserver(ch chan<- Emission) *ChannelObserver { return &ChannelObserver{ch: ch} }

// Observe sends the message if the channel has room.
func (o *ChannelObserver) Observe(m Emission) {
	select {
	case o.ch <- m:
	default:
		o.dropped.Add(1)
	}
}

// Dropped returns how many messages found no room.
func (o *ChannelObserver) Dropped() uint64 { return o.dropped.Load() }

// SlogObserver returns an observer that logs: progress at debug level, starts and
// answers at info, failures at warn. A nil logger discards.
func SlogObserver(l *slog.Logger) Observer {
	if l == nil {
		l = slog.New(slog.DiscardHandler)
	}
	return ObserverFunc(func(m Emission) {
		level := slog.LevelInfo
		switch {
		case m.Subtype == HookProgress:
			level = slog.LevelDebug
		case m.Outcome == "error" || m.Outcome == "cancelled":
			level = slog.LevelWarn
		}
		attrs := []slog.Attr{
			slog.String("hook", m.Hook.Name), slog.String("event", m.HookEvent.String()),
			slog.String("hook_id", m.HookID), slog.String("session_id", m.SessionID),
		}
		if m.Subtype == HookResponse {
			attrs = append(attrs, slog.String("outcome", m.Outcome), slog.Duration("duration", m.Duration))
			if m.ExitCode != nil {
				attrs = append(attrs, slog.Int("exit_code", *m.ExitCode))
			}
		}
		l.LogAttrs(context.Background(), level, m.Subtype, attrs...)
	})
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
