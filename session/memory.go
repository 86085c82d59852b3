package session

import (
	"bytes"
	"fmt"
	"slices"
	"time"
)

// memoryStore keeps lines in memory. The offset of a line is its number.
type memoryStore struct {
	lines [][]byte
}

// Memory returns a session that is kept in memory only and is gone when nothing
// refers to it any more. All calls work as they do for a file; Path is "".
func Memory(opts Options) *Session {
	s := newSession(newHeader(opts), opts.Now)
	s.header.Created = s.now().UTC().Truncate(time.Millisecond)
	s.store = &memoryStore{}
	return s
}

// fill makes the session one in memory that holds the lines.
func (s *Session) fill(lines [][]byte) error {
	m := &memoryStore{}
	s.store = m
	for i, line := range lines {
		m.lines = append(m.lines, slices.Clone(line))
		if err := s.add(line, int64(i)); err != nil {
			return fmt.Errorf("creating session %s: %w", s.header.ID, err)
		}
	}
	return nil
}

func (m *memoryStore) append(line ...[]byte) (int64, error) {
	m.lines = append(m.lines, bytes.TrimSuffix(bytes.Join(line, nil), []byte{'\n'}))
	return int64(len(m.lines) - 1), nil
}

func (m *memoryStore) read(off int64, _ int) ([]byte, error) { return slices.Clone(m.lines[off]), nil }
func (m *memoryStore) sync() error                           { return nil }
func (m *memoryStore) close() error                          { return nil }
