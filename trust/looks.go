package trust

import (
	"path/filepath"
	"sync"
)

// Looks remembers what was seen of the file system while many hooks are found, so that
// what is the same for all of them is looked at once: places, links, digests, owners, copies. A
// file that changes meanwhile stays for all of them what it was first: they run its
// private copy, or are checked without Looks right before they run. It is safe for
// concurrent use. Nil remembers nothing.
type Looks struct {
	mu   sync.Mutex
	seen map[looked]any
}

type looked struct{ kind, name string }

type sight[T any] struct {
	value T
	err   error
}

// Look returns what look says of a name, or said before of the same kind and name. The
// function must not use the same Looks.
func Look[T any](l *Looks, kind, name string, look func() (T, error)) (T, error) {
	if l == nil {
		return look()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := l.seen[looked{kind, name}].(sight[T]); ok {
		return s.value, s.err
	}
	value, err := look()
	if l.seen == nil {
		l.seen = map[looked]any{}
	}
	l.seen[looked{kind, name}] = sight[T]{value, err}
	return value, err
}

// Real returns where a path leads, as filepath.EvalSymlinks does.
func (l *Looks) Real(path string) (string, error) {
	return Look(l, "real", path, func() (string, error) { return filepath.EvalSymlinks(path) })
}
