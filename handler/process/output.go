package process

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

const (
	firstBuffer  = 4 << 10  // the first allocation of a capture
	discardChunk = 64 << 10 // how much is read at once when nothing more is kept
	sweepLimit   = 1 << 20  // the most a pipe can hold by default settings
)

// capture keeps a bounded part of one stream: its head, or its tail. One
// goroutine reads into it; any may look.
type capture struct {
	tail  bool
	limit int

	mu    sync.Mutex
	kept  []byte
	start int   // where the tail begins in kept, once it wrapped around
	total int64 // all bytes read
	ended bool
	wake  chan struct{} // closed on change; nil while nobody waits

	scratch []byte // the reader's own
}

// space returns where the next bytes may be read to. What lies there is not
// yet part of the capture. Only the reader may call it.
func (c *capture) space() []byte {
	if len(c.kept) >= c.limit {
		if c.scratch == nil {
			c.scratch = make([]byte, discardChunk)
		}
		return c.scratch
	}
	if len(c.kept) == cap(c.kept) {
		grown := make([]byte, len(c.kept), min(c.limit, max(2*cap(c.kept), firstBuffer)))
		c.mu.Lock()
		copy(grown, c.kept)
		c.kept = grown
		c.mu.Unlock()
	}
	return c.kept[len(c.kept):cap(c.kept)]
}

// commit takes over b, which was read into what space returned.
func (c *capture) commit(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += int64(len(b))
	if len(c.kept) < c.limit {
		c.kept = c.kept[:len(c.kept)+len(b)]
	} else if c.tail && c.limit > 0 {
		c.wrap(b)
	}
	c.changed()
}

// wrap writes b over the oldest bytes of a full tail.
func (c *capture) wrap(b []byte) {
	if len(b) >= c.limit {
		copy(c.kept, b[len(b)-c.limit:])
		c.start = 0
		return
	}
	n := copy(c.kept[c.start:], b)
	copy(c.kept, b[n:])
	c.start = (c.start + len(b)) % c.limit
}

func (c *capture) changed() {
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
}

func (c *capture) end() {
	c.mu.Lock()
	c.ended = true
	c.changed()
	c.mu.Unlock()
}

// result returns what was kept, how much there was and whether they differ.
func (c *capture) result() (kept []byte, total int64, truncated bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept = c.kept
	if c.start > 0 {
		kept = append(append(make([]byte, 0, len(c.kept)), c.kept[c.start:]...), c.kept[:c.start]...)
	}
	return kept, c.total, c.total > int64(len(kept))
}

// await waits until enough says so of the head, or there will be no more.
func (c *capture) await(ctx context.Context, enough func([]byte) bool) ([]byte, error) {
	for {
		c.mu.Lock()
		head, ended := c.kept[:len(c.kept):len(c.kept)], c.ended
		if c.wake == nil {
			c.wake = make(chan struct{})
		}
		wake := c.wake
		c.mu.Unlock()
		if ended || len(head) >= c.limit || enough(head) {
			return head, nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return head, context.Cause(ctx)
		}
	}
}

// reader drains one stream into its capture. Its methods are called by one
// goroutine: its own, or the one that waits for the process.
type reader struct {
	file    *os.File
	stream  Stream
	capture *capture
	drain   time.Duration
	notify  *notifier // nil if nobody listens
	through bool      // who listens wants all of it
	partial partialRune

	giveUp atomic.Int64 // unix nanoseconds at which a held pipe is given up; 0 before
	ended  bool
	held   bool // valid once ended
}

// run reads until the end of the stream, or until it is given up. It leaves the
// file open: whoever still holds the pipe is found through it.
func (r *reader) run() {
	for {
		n, err := r.file.Read(r.capture.space())
		if n > 0 {
			r.take(n)
		}
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				r.held = r.sweep()
			} else {
				r.held = errors.Is(err, os.ErrClosed)
			}
			break
		}
		if n > 0 {
			r.extend()
		}
	}
	r.finish()
}

// take takes over the n bytes that were read into the capture's space.
func (r *reader) take(n int) {
	b := r.capture.space()[:n]
	room := int64(r.capture.limit) - r.capture.total // only this goroutine changes total
	if r.through {
		room = int64(n)
	}
	r.capture.commit(b)
	if r.notify != nil && room > 0 {
		r.notify.call(r.stream, r.partial.join(b[:min(room, int64(n))]))
	}
}

// finish tells that nothing more will come.
func (r *reader) finish() {
	if r.notify != nil {
		r.notify.call(r.stream, r.partial.rest())
	}
	r.ended = true
	r.capture.end()
}

// extend moves the idle deadline on, once there is one.
func (r *reader) extend() {
	last := r.giveUp.Load()
	if last == 0 {
		return
	}
	at := time.Now().Add(r.drain)
	if end := time.Unix(0, last); at.After(end) {
		at = end
	}
	r.file.SetReadDeadline(at)
}

// sweep takes what is in the pipe at this moment, so that a reader which got no
// processor time loses nothing the process wrote. It reports whether the pipe
// is still held open.
func (r *reader) sweep() (held bool) {
	for swept := 0; swept < sweepLimit; {
		n, open := readNow(r.file, r.capture.space())
		if n <= 0 {
			return open
		}
		r.take(n)
		swept += n
	}
	return true
}

// expire ends the reader's patience: idle is the silence it may still bear,
// until at the latest.
func (r *reader) expire(idle time.Duration, until time.Time) {
	r.giveUp.Store(until.UnixNano())
	at := time.Now().Add(idle)
	if at.After(until) {
		at = until
	}
	if err := r.file.SetReadDeadline(at); errors.Is(err, os.ErrNoDeadline) {
		// Closing is what interrupts a read where deadlines do not.
		time.AfterFunc(time.Until(at), func() { r.file.Close() })
	}
}

// notifier serialises the calls of OnOutput.
type notifier struct {
	mu sync.Mutex
	fn func(Stream, []byte)
}

func (n *notifier) call(s Stream, b []byte) {
	if len(b) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fn(s, b)
}

// partialRune holds back the start of a UTF-8 sequence at the end of a chunk.
type partialRune struct {
	buf [utf8.UTFMax]byte
	n   int
}

// join returns what was held back together with b, and holds back what b
// leaves unfinished.
func (p *partialRune) join(b []byte) []byte {
	if p.n > 0 {
		b = append(append(make([]byte, 0, p.n+len(b)), p.buf[:p.n]...), b...)
		p.n = 0
	}
	cut := len(b)
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax+1; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				cut = i
			}
			break
		}
	}
	p.n = copy(p.buf[:], b[cut:])
	return b[:cut]
}

// rest returns what is still held back.
func (p *partialRune) rest() []byte { return p.buf[:p.n] }

// stdoutReader is the caller's hand on a standard output.
type stdoutReader struct{ file *os.File }

// Read reads as the file does. A deadline that has passed does not hide what is
// in the pipe already.
func (r stdoutReader) Read(b []byte) (int, error) {
	n, err := r.file.Read(b)
	if n > 0 || len(b) == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	n, open := readNow(r.file, b)
	switch {
	case n > 0:
		return n, nil
	case open:
		return 0, err
	}
	return 0, io.EOF
}

// SetReadDeadline bounds reads, see [os.File.SetReadDeadline].
func (r stdoutReader) SetReadDeadline(t time.Time) error { return r.file.SetReadDeadline(t) }

// Close closes the caller's end.
func (r stdoutReader) Close() error { return r.file.Close() }
