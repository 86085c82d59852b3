package jsonrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Relay stands between a client and the server that it speaks to.
type Relay struct {
	Client, Server End
	// Abandon gives up what the server leaves unanswered, and returns the ids of those
	// requests of the client as they came. They are answered with Gone.
	Abandon func() []string
	// Cancel ends what is still done with messages when the relay ends.
	Cancel func()
	// Gone is the error when the server ended before its client did, and ClientFault says
	// whose messages cannot be read.
	Gone        error
	ClientFault string
	// Grace is how long the server may go on when the client has no more to say; 0 is five
	// seconds.
	Grace time.Duration

	heardAll atomic.Bool // the client has no more to say
}

// End is one side of a relay.
type End struct {
	Conn
	// Take takes a message of this side; the slice is its own from then on.
	Take func(raw []byte) error
	// Over waits until all is done with the messages of this side, which has no more.
	Over func()
}

// Run hands over messages until one side has no more. It returns nil when the client ended
// first and all that it asked was answered, and Gone when the server did. Both ends are
// closed when it returns.
func (r *Relay) Run(ctx context.Context) error {
	fromClient, fromServer := make(chan error, 1), make(chan error, 1)
	var sides sync.WaitGroup
	sides.Go(func() {
		err := r.Client.pump()
		r.Client.Over()
		r.heardAll.Store(err == nil)
		fromClient <- errors.Join(err, r.Server.CloseWrite())
	})
	sides.Go(func() {
		err := r.Server.pump()
		r.Server.Over()
		fromServer <- err
	})
	err := r.attend(ctx, fromClient, fromServer)
	r.Cancel()
	err = errors.Join(err, r.Server.Close(), r.Client.Close())
	sides.Wait()
	return err
}

// pump hands over messages until there are no more.
func (e *End) pump() error {
	for {
		raw, err := e.Read()
		if err == nil {
			err = e.Take(raw)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// attend waits for the end of one side, and lets the other one finish.
func (r *Relay) attend(ctx context.Context, fromClient, fromServer <-chan error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-fromServer:
		if r.abandon() == 0 && r.heardAll.Load() { // it ended because its client did
			return err
		}
		return errors.Join(r.Gone, err)
	case err := <-fromClient:
		if err != nil {
			return fmt.Errorf("messages of %s: %w", r.ClientFault, err)
		}
	}
	limit := time.NewTimer(cmp.Or(r.Grace, 5*time.Second))
	defer limit.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return nil
	case err := <-fromServer:
		if r.abandon() > 0 {
			err = errors.Join(r.Gone, err)
		}
		return err
	}
}

// abandon answers what the server leaves unanswered, and returns how many requests those are.
func (r *Relay) abandon() int {
	ids := r.Abandon()
	for _, id := range ids {
		_ = r.Client.Write(Failure(id, CodeGone, r.Gone.Error())) // it may be gone too
	}
	return len(ids)
}
