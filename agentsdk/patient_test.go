package agentsdk

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// A program that stops reading holds up what is written for it, and no longer than until the
// end and a farewell.
func TestAProgramThatReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		unread, out := io.Pipe()
		defer unread.Close()
		s := NewServer(ctx, Config{Out: out})
		written := make(chan struct{})
		go func() {
			s.warn("one")
			s.warn("two")
			close(written)
		}()
		time.Sleep(time.Hour)
		select {
		case <-written:
			t.Error("nobody has read it")
		default:
		}
		cancel()
		ended := time.Now()
		<-written
		if waited := time.Since(ended); waited != farewell || !errors.Is(s.Err(), errUnread) {
			t.Errorf("after %s: %v", waited, s.Err())
		}
	})
}
