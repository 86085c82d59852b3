package session

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

// Errors that callers branch on.
var (
	// ErrNotFound is returned for an entry that the session doesn't hold.
	ErrNotFound = errors.New("no such entry")
	// ErrReadOnly is returned for changes to a session opened read-only.
	ErrReadOnly = errors.New("the session is open read-only")
	// ErrClosed is returned for the use of a closed session.
	ErrClosed = errors.New("the session is closed")
	// ErrConsumed is returned for pending context that was delivered already.
	ErrConsumed = errors.New("the pending context was delivered already")
)

// store is where the lines of a session are.
type store interface {
	// append writes one line, given in pieces, and returns where it begins.
	append(line ...[]byte) (off int64, err error)
	// read returns n bytes from an offset.
	read(off int64, n int) ([]byte, error)
	sync() error
	close() error
}

// node is what is known of every entry without reading it.
type node struct {
	id     string
	off    int64
	len    int32
	parent int32 // index into nodes; -1 for a root
	typ    uint8 // index into types
	tree   bool
}

// Session is one open session. It is safe for concurrent use; readers don't
// wait for each other.
type Session struct {
	header   Header
	path     string
	warnings []string
	readOnly bool
	now      func() time.Time

	mu      sync.RWMutex
	store   store
	closed  bool
	nodes   []node
	byID    map[string]int32
	types   []Type
	leaf    int32 // -1: before the first entry
	labels  map[string]string
	title   string
	pending []Entry         // not delivered yet, oldest first
	gone    map[string]bool // delivered
}

func newSession(h Header, now func() time.Time) *Session {
	if now == nil {
		now = time.Now
	}
	return &Session{header: h, now: now, byID: map[string]int32{}, leaf: -1, labels: map[string]string{}, gone: map[string]bool{}}
}

// ID returns the session's id.
func (s *Session) ID() string { return s.header.ID }

// Header returns the session's header.
func (s *Session) Header() Header { return s.header }

// Path returns the session's file, "" for a session in memory.
func (s *Session) Path() string { return s.path }

// Warnings says what was found when the session was opened and did not keep it
// from being opened: a line that was cut off.
func (s *Session) Warnings() []string { return slices.Clone(s.warnings) }

// Len returns the number of entries of all kinds.
func (s *Session) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.nodes)
}

// Leaf returns the id of the entry at which the conversation stands, "" before
// the first.
func (s *Session) Leaf() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.idOf(s.leaf)
}

func (s *Session) idOf(i int32) string {
	if i < 0 {
		return ""
	}
	return s.nodes[i].id
}

// typeIndex returns the small number of a type.
func (s *Session) typeIndex(t []byte) uint8 {
	for i, known := range s.types {
		if string(known) == string(t) {
			return uint8(i)
		}
	}
	if len(s.types) < 255 {
		s.types = append(s.types, Type(t))
	}
	return uint8(len(s.types) - 1)
}

// add indexes a line that is in the store.
func (s *Session) add(line []byte, off int64) error {
	b, err := briefly(line)
	if err != nil {
		return err
	}
	// Entries beside the tree, and those that deliver context, are read at once.
	var whole *Entry
	if !Type(b.typ).inTree() || bytes.Contains(line, []byte(`"consumed"`)) {
		e, err := decode(line)
		if err != nil {
			return err
		}
		whole = &e
	}
	return s.index(b, whole, off, len(line))
}

// index makes an entry that is in the store a node, and applies what it does beside that:
// whole is the entry where that can be anything.
func (s *Session) index(b brief, whole *Entry, off int64, size int) error {
	if _, dup := s.byID[string(b.id)]; dup {
		return fmt.Errorf("the id %s stands twice", b.id)
	}
	n := node{id: string(b.id), off: off, len: int32(size), parent: -1, typ: s.typeIndex(b.typ)}
	n.tree = Type(b.typ).inTree()
	if b.hasParent {
		parent, ok := s.byID[string(b.parent)]
		if !ok {
			return fmt.Errorf("its parent %s does not exist", b.parent)
		}
		n.parent = parent
	}
	i := int32(len(s.nodes))
	if whole != nil {
		if err := s.effect(*whole); err != nil {
			return err
		}
	}
	if n.tree {
		s.leaf = i
	}
	s.nodes = append(s.nodes, n)
	s.byID[n.id] = i
	return nil
}

// effect applies what an entry does beside being a node. It changes nothing
// when it returns an error.
func (s *Session) effect(e Entry) error {
	target, err := s.target(e)
	if err != nil {
		return err
	}
	switch e.Type {
	case Label:
		if e.Label == "" {
			delete(s.labels, e.TargetID)
		} else {
			s.labels[e.TargetID] = e.Label
		}
	case Title:
		s.title = e.Text
	case Leaf:
		s.leaf = target
	case PendingContext:
		s.pending = append(s.pending, e)
	}
	for _, id := range e.Consumed {
		s.gone[id] = true
	}
	if len(e.Consumed) > 0 {
		s.pending = slices.DeleteFunc(slices.Clone(s.pending), func(p Entry) bool { return s.gone[p.ID] })
	}
	return nil
}

// target returns the entry that a label or a move of the leaf is about.
func (s *Session) target(e Entry) (int32, error) {
	switch {
	case e.Type == Label:
		return s.find(e.TargetID)
	case e.Type == Leaf && e.TargetID != "":
		return s.findNode(e.TargetID)
	}
	return -1, nil
}

func (s *Session) find(id string) (int32, error) {
	i, ok := s.byID[id]
	if !ok {
		return 0, fmt.Errorf("entry %q: %w", id, ErrNotFound)
	}
	return i, nil
}

// findNode finds an entry that is a node of the tree.
func (s *Session) findNode(id string) (int32, error) {
	i, err := s.find(id)
	if err == nil && !s.nodes[i].tree {
		return 0, fmt.Errorf("entry %q is a %s, not part of the conversation: %w", id, s.types[s.nodes[i].typ], ErrNotFound)
	}
	return i, err
}

// Append adds an entry and returns it with its id, parent and time. Nodes of
// the tree become the new leaf. The entry is in the file when Append returns, and
// safe from a power cut after the next Sync.
//
// Consumed names pending context that was delivered with what led to the entry:
// recording both in one line is what makes the delivery happen exactly once.
func (s *Session) Append(e Entry) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return Entry{}, err
	}
	return s.append(e, s.leaf)
}

func (s *Session) writable() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.readOnly:
		return ErrReadOnly
	}
	return nil
}

// append adds an entry below a parent.
func (s *Session) append(e Entry, parent int32) (Entry, error) {
	if err := e.check(); err != nil {
		return Entry{}, fmt.Errorf("appending to session %s: %w", s.header.ID, err)
	}
	for i, id := range e.Consumed {
		switch {
		case s.gone[id] || slices.Contains(e.Consumed[:i], id):
			return Entry{}, fmt.Errorf("%s: %w", id, ErrConsumed)
		case !slices.ContainsFunc(s.pending, func(p Entry) bool { return p.ID == id }):
			return Entry{}, fmt.Errorf("pending context %q: %w", id, ErrNotFound)
		}
	}
	if _, err := s.target(e); err != nil {
		return Entry{}, fmt.Errorf("appending to session %s: %w", s.header.ID, err)
	}
	e.ID, e.ParentID, e.Time = s.newID(), s.idOf(parent), s.now().UTC().Truncate(time.Millisecond)
	line, err := encode(e)
	if err != nil {
		return Entry{}, err
	}
	size := -1 // without the line break
	for _, piece := range line {
		size += len(piece)
	}
	if size >= maxLine {
		return Entry{}, fmt.Errorf("appending to session %s: the entry is longer than %d bytes", s.header.ID, maxLine)
	}
	off, err := s.store.append(line...)
	if err != nil {
		return Entry{}, fmt.Errorf("appending to session %s: %w", s.header.ID, err)
	}
	if e.Type == Message { // it may be long, and is read only for what it delivers
		err = s.index(brief{[]byte(e.Type), []byte(e.ID), []byte(e.ParentID), e.ParentID != ""}, &e, off, size)
	} else {
		err = s.add(bytes.TrimSuffix(bytes.Join(line, nil), []byte{'\n'}), off)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("appending to session %s: %w", s.header.ID, err)
	}
	return e, nil
}

// newID makes an id that the session doesn't hold yet.
func (s *Session) newID() string {
	for {
		id := strings.ToLower(rand.Text()[:10])
		if _, taken := s.byID[id]; !taken {
			return id
		}
	}
}

// Entry returns one entry.
func (s *Session) Entry(id string) (Entry, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, err := s.find(id)
	if err != nil {
		return Entry{}, err
	}
	return s.load(i)
}

// load reads an entry from the store.
func (s *Session) load(i int32) (Entry, error) {
	line, err := s.raw(i)
	if err != nil {
		return Entry{}, err
	}
	e, err := decode(line)
	if err != nil {
		return Entry{}, fmt.Errorf("reading entry %s of session %s: %w", s.nodes[i].id, s.header.ID, err)
	}
	return e, nil
}

func (s *Session) raw(i int32) ([]byte, error) {
	if s.closed {
		return nil, ErrClosed
	}
	line, err := s.store.read(s.nodes[i].off, int(s.nodes[i].len))
	if err != nil {
		return nil, fmt.Errorf("reading entry %s of session %s: %w", s.nodes[i].id, s.header.ID, err)
	}
	return line, nil
}

// Entries yields all entries in the order in which they were written, those of
// other branches too. Entries appended meanwhile may or may not be yielded. It
// stops after the first error.
func (s *Session) Entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for i := int32(0); ; i++ {
			s.mu.RLock()
			if int(i) >= len(s.nodes) {
				s.mu.RUnlock()
				return
			}
			e, err := s.load(i)
			s.mu.RUnlock()
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Sync makes everything appended so far safe from a power cut. It belongs at
// the end of a turn.
func (s *Session) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if s.readOnly {
		return nil
	}
	if err := s.store.sync(); err != nil {
		return fmt.Errorf("syncing session %s: %w", s.header.ID, err)
	}
	return nil
}

// Close syncs the session and lets go of it. Closing twice is not an error.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	if !s.readOnly {
		err = s.store.sync()
	}
	if err = errors.Join(err, s.store.close()); err != nil {
		return fmt.Errorf("closing session %s: %w", s.header.ID, err)
	}
	return nil
}
