package hookclient

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Request is an event of a host on its way to the engine. Key is that of the engine's place.
type Request struct {
	Key              []byte
	Host, Event, Dir string
	Payload          []byte
	Environ          []string
}

// Answer is what the host is told. Again says that this engine is going, and that the
// client has to ask without it.
type Answer struct {
	Code           byte
	Again          bool
	Stdout, Stderr []byte
}

// The kinds of what an engine sends: a sign of life every so often, and the answer.
const (
	alive    = 'a'
	answered = 'A'
	askAgain = 'g'
)

// version begins a request; another one is refused, which has the client ask without a
// server.
const version = "hookline 2\n"

// maxText bounds a text on the wire, and maxList how many a list has.
const (
	maxText = 64 << 20
	maxList = 1 << 14
)

// MaxRequest bounds a request: a payload, and an environment as large as systems allow.
const MaxRequest = maxText + 8<<20

var errWire = errors.New("that is not what hookline sends")

func appendText[T string | []byte](b []byte, text T) []byte {
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}

// reader is what texts are read from.
type reader interface {
	io.Reader
	io.ByteReader
}

func readText(r reader) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if n > maxText {
		return nil, errWire
	}
	// It grows with what comes, not with what was announced.
	text, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && uint64(len(text)) < n {
		err = io.ErrUnexpectedEOF
	}
	return text, err
}

// Write sends a request.
func (q *Request) Write(w io.Writer) error {
	b := appendText([]byte(version), q.Key)
	for _, text := range []string{q.Host, q.Event, q.Dir} {
		b = appendText(b, text)
	}
	b = binary.AppendUvarint(appendText(b, q.Payload), uint64(len(q.Environ)))
	for _, text := range q.Environ {
		b = appendText(b, text)
	}
	_, err := w.Write(b)
	return err
}

// ReadRequest reads a request.
func ReadRequest(r reader) (*Request, error) {
	head := make([]byte, len(version))
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, fmt.Errorf("read a request: %w", err)
	}
	if string(head) != version {
		return nil, errWire
	}
	var q Request
	var err error
	if q.Key, err = readText(r); err != nil {
		return nil, fmt.Errorf("read a request: %w", err)
	}
	for _, to := range []*string{&q.Host, &q.Event, &q.Dir} {
		text, err := readText(r)
		if err != nil {
			return nil, fmt.Errorf("read a request: %w", err)
		}
		*to = string(text)
	}
	if q.Payload, err = readText(r); err != nil {
		return nil, fmt.Errorf("read a request: %w", err)
	}
	n, err := binary.ReadUvarint(r)
	if err == nil && n > maxList {
		err = errWire
	}
	for range n {
		if err != nil {
			break
		}
		var text []byte
		text, err = readText(r)
		q.Environ = append(q.Environ, string(text))
	}
	if err != nil {
		return nil, fmt.Errorf("read a request: %w", err)
	}
	return &q, nil
}

// Alive tells the client that its answer is still being worked on.
func Alive(w io.Writer) error {
	_, err := w.Write([]byte{alive})
	return err
}

// Write sends an answer.
func (a *Answer) Write(w io.Writer) error {
	kind := byte(answered)
	if a.Again {
		kind = askAgain
	}
	_, err := w.Write(appendText(appendText([]byte{kind, a.Code}, a.Stdout), a.Stderr))
	return err
}

// readAnswer reads an answer; heard is called with every sign of life.
func readAnswer(r reader, heard func()) (*Answer, error) {
	for {
		kind, err := r.ReadByte()
		switch {
		case err != nil:
			return nil, err
		case kind == alive:
			heard()
			continue
		case kind != answered && kind != askAgain:
			return nil, errWire
		}
		a := Answer{Again: kind == askAgain}
		if a.Code, err = r.ReadByte(); err != nil {
			return nil, err
		}
		heard()
		if a.Stdout, err = readText(r); err != nil {
			return nil, err
		}
		a.Stderr, err = readText(r)
		return &a, err
	}
}
