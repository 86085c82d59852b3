package bridge

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/hookclient"
)

// ErrServed is the error of a server beside which there is another one.
var ErrServed = errors.New("there is a server of this person already")

const (
	// idleEnd is how long a server stays that nobody asks.
	idleEnd = 30 * time.Minute
	// rememberTime is how long an answer counts for a call that comes once more.
	rememberTime = time.Second
	// requestTime is how long a client may take to say what it wants.
	requestTime = 10 * time.Second
	// maxClients bounds how many are answered at once: more wait to be taken, and ask without
	// the server when that takes too long.
	maxClients = 64
)

// Server answers the clients of one person, and keeps hooks between their events.
type Server struct {
	*Bridge
	// Idle is how long it stays without being asked; 0 is half an hour.
	Idle time.Duration
	// Remember is how long an answer counts for a call that comes once more; 0 is
	// a second.
	Remember time.Duration
	// Stale reports that the program was replaced by another version: a server then
	// answers nobody any more, and ends. Nil is never.
	Stale func() bool

	key []byte // which clients show

	mu    sync.Mutex
	calls map[[32]byte]*once
	busy  int
	asked time.Time
}

// once is a call that may come several times, and its answer.
type once struct {
	done chan struct{}
	ans  handler.Answer
}

// Serve answers until the context ends, nobody has asked for a while, or the program is
// another one. It listens on a socket in a directory of the person's alone, and returns
// ErrServed when another server does. Who cannot read the key beside the socket, as nothing
// within a sandbox can, is not answered: what is asked would run outside.
func (s *Server) Serve(ctx context.Context, getenv func(string) string) (err error) {
	place, err := hookclient.Place(getenv)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(place, 0o700); err != nil {
		return fmt.Errorf("make a directory for the socket: %w", err)
	}
	if err := hookclient.Private(place); err != nil {
		return fmt.Errorf("make a directory for the socket: %w", err)
	}
	lock, err := fsx.TryLock(filepath.Join(place, "lock"))
	if errors.Is(err, fsx.ErrLocked) {
		return ErrServed
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", place, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	path := hookclient.Socket(place)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of one that was killed
		return fmt.Errorf("take over the socket: %w", err)
	}
	s.key = []byte(rand.Text())
	if err := os.WriteFile(hookclient.Key(place), s.key, 0o600); err != nil {
		return fmt.Errorf("write the key of its clients: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return s.accept(ctx, l)
}

// accept takes connections until it is time to end, and waits for those that it took.
func (s *Server) accept(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.calls, s.asked = map[[32]byte]*once{}, time.Now()
	if s.Idle <= 0 {
		s.Idle = idleEnd
	}
	if s.Remember <= 0 {
		s.Remember = rememberTime
	}
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		s.untilIdle(ctx)
		_ = l.Close() // which ends Accept
	})
	places := make(chan struct{}, maxClients)
	for {
		places <- struct{}{}
		conn, err := l.Accept()
		if err != nil {
			cancel()
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("listen: %w", err)
		}
		s.busyBy(1)
		all.Go(func() {
			defer func() { <-places }()
			defer s.busyBy(-1)
			defer conn.Close()
			if err := s.talk(ctx, conn); err != nil && s.Problem != nil {
				s.Problem(err)
			}
		})
	}
}

func (s *Server) busyBy(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.asked = s.busy+n, time.Now()
}

// untilIdle returns when the server is to end.
func (s *Server) untilIdle(ctx context.Context) {
	tick := time.NewTicker(max(s.Idle/30, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		idle := s.busy == 0 && time.Since(s.asked) >= s.Idle
		s.mu.Unlock()
		if idle || s.stale() {
			return
		}
	}
}

func (s *Server) stale() bool { return s.Stale != nil && s.Stale() }

// talk answers a client.
func (s *Server) talk(ctx context.Context, conn net.Conn) error {
	if err := samePerson(conn); err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Now().Add(requestTime)); err != nil {
		return fmt.Errorf("hear a client: %w", err)
	}
	q, err := hookclient.ReadRequest(bufio.NewReader(io.LimitReader(conn, hookclient.MaxRequest)))
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(q.Key, s.key) == 0 {
		return errors.New("a client without the key is not answered")
	}
	if s.stale() {
		return (&hookclient.Answer{Again: true}).Write(conn)
	}
	one, first := s.once(q)
	if first {
		go func() {
			one.ans = s.Answer(context.WithoutCancel(ctx), &Call{Host: q.Host, Event: q.Event, Payload: q.Payload, Dir: q.Dir, Environ: q.Environ})
			close(one.done)
		}()
	}
	beat := time.NewTicker(hookclient.Beat)
	defer beat.Stop()
	for {
		select {
		case <-one.done:
			a := one.ans
			if err := conn.SetWriteDeadline(time.Now().Add(requestTime)); err != nil {
				return fmt.Errorf("answer a client: %w", err)
			}
			return (&hookclient.Answer{Code: byte(max(a.ExitCode, 0)), Stdout: a.Stdout, Stderr: a.Stderr}).Write(conn)
		case <-beat.C:
			if err := hookclient.Alive(conn); err != nil {
				return fmt.Errorf("answer a client: %w", err)
			}
		}
	}
}

// once finds the call that a request is: one that comes twice, since the host reads two
// files that have the bridge, is the same while its answer is remembered.
func (s *Server) once(q *hookclient.Request) (one *once, first bool) {
	h := sha256.New()
	for _, part := range []string{q.Host, q.Event, q.Dir, string(q.Payload)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	key := [32]byte(h.Sum(nil))
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.calls[key]; one != nil {
		return one, false
	}
	one = &once{done: make(chan struct{})}
	s.calls[key] = one
	go func() {
		<-one.done
		time.AfterFunc(s.Remember, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.calls, key)
		})
	}()
	return one, true
}
