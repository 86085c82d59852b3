package worker

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

// Bounds of a write that does not wait its turn.
const (
	directSize = 4 << 10
	directTime = 200 * time.Millisecond // the most that it may take
)

// stdin is the input of a process. Small messages are written by who has them when
// nobody else is writing, which spares a change of goroutines; all others by the
// writer.
type stdin struct {
	pipe process.Writer

	mu    sync.Mutex
	until time.Time // the deadline that the pipe has; zero for none
	rest  []byte    // of a message that the pipe had no room for; it goes first
}

// write writes everything, however long that takes.
func (s *stdin) write(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.until.IsZero() {
		_ = s.pipe.SetWriteDeadline(time.Time{})
		s.until = time.Time{}
	}
	if len(s.rest) > 0 {
		rest := s.rest
		s.rest = nil
		if _, err := s.pipe.Write(rest); err != nil {
			return err
		}
	}
	_, err := s.pipe.Write(b)
	return err
}

// direct writes a message if that is possible at once. When it is not, done is false
// and the message is still to be written; rest says that the writer must be woken to
// finish it.
func (s *stdin) direct(b []byte) (done, rest bool) {
	if len(b) > directSize || !s.mu.TryLock() {
		return false, false
	}
	defer s.mu.Unlock()
	if len(s.rest) > 0 || !s.bound() {
		return false, false
	}
	n, err := s.pipe.Write(b)
	switch {
	case err == nil:
		return true, false
	case n > 0 || errors.Is(err, os.ErrDeadlineExceeded):
		s.rest = append(s.rest, b[n:]...)
		return true, true
	}
	return false, false // the writer gets the same error, and deals with it
}

// bound makes sure that a write ends within directTime, and within half of it not for
// lack of time: the deadline of the pipe is moved on rarely, since that is not free.
// It reports whether the system has such deadlines.
func (s *stdin) bound() bool {
	now := time.Now()
	if s.until.Sub(now) > directTime/2 {
		return true
	}
	if s.pipe.SetWriteDeadline(now.Add(directTime)) != nil {
		return false
	}
	s.until = now.Add(directTime)
	return true
}
