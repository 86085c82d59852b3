package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// maxLine limits one line that a person types, in bytes.
const maxLine = 1 << 20

// lines reads lines on demand. A wait for a line ends with its context. Where
// the system can wait for input without reading it, nothing is read for a
// question that is no longer asked; elsewhere one goroutine reads, and a line
// that comes after its question has ended is dropped, so that it does not
// answer the next one.
type lines struct {
	src   io.Reader
	ready func(context.Context) error // waits for input; nil when that is not possible
	turn  chan struct{}               // held by the one who reads
	buf   []byte
	err   error // what the source ended with

	once  sync.Once
	pump  chan chunk    // what the goroutine read
	want  chan struct{} // asks it for more
	done  chan struct{} // closed to end it
	owed  bool          // it has been asked and has not delivered
	stale bool          // what it owes is for a question that has ended
	wg    sync.WaitGroup
}

type chunk struct {
	data []byte
	err  error
}

func newLines(src io.Reader) *lines {
	return &lines{
		src: src, ready: waiter(src), turn: make(chan struct{}, 1),
		pump: make(chan chunk, 1), want: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// acquire waits for the turn to ask.
func (l *lines) acquire(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *lines) release() { <-l.turn }

// next returns the next line without its end. The caller has acquired the turn.
// The last line needs no newline; after it comes io.EOF.
func (l *lines) next(ctx context.Context) (string, error) {
	for {
		if line, rest, ok := bytes.Cut(l.buf, []byte("\n")); ok {
			l.buf = rest
			return string(bytes.TrimSuffix(line, []byte("\r"))), nil
		}
		if len(l.buf) > maxLine {
			l.buf = nil
			return "", fmt.Errorf("a line is longer than %d bytes", maxLine)
		}
		if l.err != nil {
			line := string(l.buf)
			l.buf = nil
			if line != "" && errors.Is(l.err, io.EOF) {
				return line, nil
			}
			return "", l.err
		}
		if err := l.fill(ctx); err != nil {
			return "", err
		}
	}
}

// fill reads more. It returns an error only when the context has ended.
func (l *lines) fill(ctx context.Context) error {
	if l.ready != nil {
		if err := l.ready(ctx); err != nil {
			return err
		}
		data := make([]byte, 4096)
		n, err := l.src.Read(data)
		l.take(chunk{data[:n], err})
		return nil
	}
	l.once.Do(func() { l.wg.Go(l.run) })
	l.dropStale()
	if l.err != nil {
		return nil
	}
	if !l.owed {
		l.owed = true
		l.want <- struct{}{}
	}
	select {
	case c := <-l.pump:
		l.owed = false
		l.take(c)
		return nil
	case <-ctx.Done():
		l.stale = true
		return ctx.Err()
	}
}

// dropStale throws away what has come since the last question ended.
func (l *lines) dropStale() {
	if !l.stale {
		return
	}
	l.stale = false
	select {
	case c := <-l.pump:
		l.owed = false
		l.err = c.err
	default:
	}
}

func (l *lines) take(c chunk) {
	l.buf = append(l.buf, c.data...)
	if c.err != nil {
		l.err = c.err
	}
}

func (l *lines) run() {
	for {
		select {
		case <-l.want:
		case <-l.done:
			return
		}
		data := make([]byte, 4096)
		n, err := l.src.Read(data)
		l.pump <- chunk{data[:n], err}
		if err != nil {
			return
		}
	}
}

// close ends the goroutine, if there is one, by closing the source. A file is
// left open, since it may be the standard input of the process; a goroutine
// that sits in reading one ends with the process.
func (l *lines) close() {
	close(l.done)
	if _, ok := l.src.(*os.File); ok {
		return
	}
	if c, ok := l.src.(io.Closer); ok {
		c.Close()
		l.wg.Wait()
	}
}
