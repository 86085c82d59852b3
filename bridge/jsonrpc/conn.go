package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hookline-dev/hookline/internal/jsonx"
)

// Conn carries JSON-RPC messages to and from one side.
type Conn interface {
	// Read returns the next message, which is the caller's from then on, and io.EOF when
	// there are no more. It is called by one goroutine.
	Read() ([]byte, error)
	// Write sends a message. It is safe for concurrent use.
	Write(msg []byte) error
	// CloseWrite says that nothing more is written.
	CloseWrite() error
	// Close ends the connection, and a Read that waits. Closing again does nothing more.
	Close() error
}

// MaxMessage bounds a message, in bytes.
const MaxMessage = 256 << 20

// ErrTooLong says that a message is longer than MaxMessage.
var ErrTooLong = fmt.Errorf("a message is longer than %d MiB", MaxMessage>>20)

// lines is a Conn of one message a line.
type lines struct {
	r    *bufio.Reader
	from io.Closer
	mu   sync.Mutex
	w    io.WriteCloser
	buf  []byte // a short message and the end of its line, which are written at once
	once sync.Once
}

// Lines returns a Conn that has one message a line, as programs speak over their
// standard input and output. A last line that has no end is a message too. Closing r has to
// end a Read of it that waits.
func Lines(r io.ReadCloser, w io.WriteCloser) Conn {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), from: r, w: w}
}

func (l *lines) Read() ([]byte, error) {
	for {
		line, err := ReadLine(l.r)
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// ReadLine reads to the end of a line, which has at most MaxMessage bytes. The line is there
// beside an error, too.
func ReadLine(r *bufio.Reader) ([]byte, error) {
	line, err := jsonx.ReadLine(r, MaxMessage)
	if errors.Is(err, jsonx.ErrTooLong) {
		err = ErrTooLong
	}
	return line, err
}

func (l *lines) Write(msg []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	const short = 64 << 10 // a long one is not copied
	if len(msg) < short {
		l.buf = append(append(l.buf[:0], msg...), '\n')
		_, err := l.w.Write(l.buf)
		return err
	}
	if _, err := l.w.Write(msg); err != nil {
		return err
	}
	_, err := l.w.Write([]byte{'\n'})
	return err
}

func (l *lines) CloseWrite() (err error) {
	l.once.Do(func() { err = l.w.Close() })
	return err
}

func (l *lines) Close() error { return errors.Join(l.CloseWrite(), l.from.Close()) }
