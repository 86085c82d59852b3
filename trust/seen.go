package trust

import (
	"path/filepath"
	"sync"
)

// Seen remembers what was seen of the file system while many hooks are found, so that
// what is the same for all of them is looked at once: places, links, digests, owners, copies. A
// file that changes meanwhile stays for all of them what it was first: they run its
// private copy, or are checked without it right before they run. It is safe for
// concurrent use. Nil remembers nothing.
type Seen struct {
	mu   sync.Mutex
	seen map[seenKey]any
}

type seenKey struct{ kind, name string }

type seenValue[T any] struct {
	value T
	err   error
}

// LookOnce returns what look says of a name, or said before of the same kind and name. The
// function must not use the same Seen.
func LookOnce[T any](s *Seen, kind, name string, look func() (T, error)) (T, error) {
	if s == nil {
		return look()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.seen[seenKey{kind, name}].(seenValue[T]); ok {
		return known.value, known.err
	}
	value, err := look()
	if s.seen == nil {
		s.seen = map[seenKey]any{}
	}
	s.seen[seenKey{kind, name}] = seenValue[T]{value, err}
	return value, err
}

// Real returns where a path leads, as filepath.EvalSymlinks does.
func (s *Seen) Real(path string) (string, error) {
	return LookOnce(s, "real", path, func() (string, error) { return filepath.EvalSymlinks(path) })
}
