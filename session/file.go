package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/hookline-dev/hookline/internal/jsonx"
)

// Options say how a session is made or opened. The zero Options open a file for
// writing with syncing on.
type Options struct {
	// Cwd is the working directory that Create writes into the header.
	Cwd string
	// ParentSession is the session that a new one comes from.
	ParentSession string
	// ID is the id of a new session; a fresh UUID when empty.
	ID string
	// InMemory keeps a new session in memory only, as Memory does.
	InMemory bool
	// ReadOnly opens a session without locking it.
	ReadOnly bool
	// NoSync makes Sync do nothing: a power cut may then cost the last entries,
	// the end of the process still doesn't.
	NoSync bool
	// Now is the clock for timestamps; time.Now when nil.
	Now func() time.Time
}

// fileStore keeps lines in a file.
type fileStore struct {
	f      *os.File
	lock   *lock
	size   int64 // where the next line begins
	unterm bool  // the last line has no line break yet
	noSync bool
	dirty  bool
	broken error // a write failed and could not be undone
}

// Create makes a new session in a directory, which is made when missing. The
// header is safe from a power cut when Create returns.
func Create(dir string, opts Options) (*Session, error) {
	if opts.InMemory {
		return Memory(opts), nil
	}
	s := newSession(newHeader(opts), opts.Now)
	s.header.Created = s.now().UTC().Truncate(time.Millisecond)
	if err := s.createFile(dir, opts, nil); err != nil {
		return nil, err
	}
	return s, nil
}

func newHeader(opts Options) Header {
	h := Header{Type: "session", Version: formatVersion, ID: opts.ID, Cwd: opts.Cwd, ParentSession: opts.ParentSession}
	if h.ID == "" {
		if id, err := uuid.NewV7(); err == nil {
			h.ID = id.String()
		} else {
			h.ID = uuid.NewString()
		}
	}
	return h
}

// createFile writes the header and lines into a new file and opens it.
func (s *Session) createFile(dir string, opts Options, lines [][]byte) (err error) {
	if !validID(s.header.ID) {
		return fmt.Errorf("session id %q: letters, digits, - and _ are expected", s.header.ID)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("creating a session: %w", err)
	}
	name := s.header.Created.Format("20060102T150405.000Z") + "_" + s.header.ID + suffix
	s.path = filepath.Join(dir, name)
	head, err := json.Marshal(s.header, lenient)
	if err != nil {
		return fmt.Errorf("creating session %s: %w", s.path, err)
	}
	l, err := takeLock(s.path)
	if err != nil {
		return err
	}
	st := &fileStore{lock: l, noSync: opts.NoSync, dirty: true}
	defer func() {
		if err != nil {
			_ = st.close()
		}
	}()
	if st.f, err = os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return fmt.Errorf("creating a session: %w", err)
	}
	text := append(head, '\n')
	offsets := make([]int64, len(lines))
	for i, line := range lines {
		offsets[i] = int64(len(text))
		text = append(append(text, line...), '\n')
	}
	if _, err = st.append(text); err != nil {
		return fmt.Errorf("creating session %s: %w", s.path, err)
	}
	for i, line := range lines {
		if err = s.add(line, offsets[i]); err != nil {
			return fmt.Errorf("creating session %s: %w", s.path, err)
		}
	}
	if err = st.sync(); err == nil && !opts.NoSync {
		err = syncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("creating session %s: %w", s.path, err)
	}
	s.store = st
	return nil
}

// Branch makes a new session with the entries from the root to an entry and the
// labels on them. The new session names this one as its parent; pending context
// stays here.
func (s *Session) Branch(id string, opts Options) (*Session, error) {
	lines, err := s.copyTo(id)
	if err != nil {
		return nil, err
	}
	if opts.Cwd == "" {
		opts.Cwd = s.header.Cwd
	}
	if opts.ParentSession == "" {
		if opts.ParentSession = s.path; s.path == "" {
			opts.ParentSession = s.header.ID
		}
	}
	if opts.Now == nil {
		opts.Now = s.now
	}
	b := newSession(newHeader(opts), opts.Now)
	b.header.Created = b.now().UTC().Truncate(time.Millisecond)
	if s.path != "" && !opts.InMemory {
		err = b.createFile(filepath.Dir(s.path), opts, lines)
	} else {
		err = b.fill(lines)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Open opens the session in a file. Unless it is opened read-only, the session
// is locked; a *LockedError says who has it. A last line that was cut off is
// dropped with a warning; other damage is an error.
func Open(path string, opts Options) (_ *Session, err error) {
	st := &fileStore{noSync: opts.NoSync}
	defer func() {
		if err != nil {
			_ = st.close()
		}
	}()
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("opening a session: %w", err)
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening session %s: not a regular file", path)
	}
	flags := os.O_RDONLY
	if !opts.ReadOnly {
		if st.lock, err = takeLock(path); err != nil {
			return nil, err
		}
		flags = os.O_RDWR
	}
	if st.f, err = os.OpenFile(path, flags, 0); err != nil {
		return nil, fmt.Errorf("opening a session: %w", err)
	}
	s := newSession(Header{}, opts.Now)
	s.path, s.readOnly, s.store = path, opts.ReadOnly, st
	keep, unterminated, err := s.read(st.f)
	if err != nil {
		return nil, err
	}
	st.size, st.unterm = keep, unterminated
	if !opts.ReadOnly {
		if err := st.trim(); err != nil {
			return nil, fmt.Errorf("opening session %s: %w", path, err)
		}
	}
	return s, nil
}

// read indexes all lines. keep is the length of what counts; unterminated
// reports that the last line is whole but for its line break.
func (s *Session) read(r io.Reader) (keep int64, unterminated bool, err error) {
	err = lines(r, func(line []byte, off int64, n int, whole bool) error {
		var fault error
		if n == 1 {
			fault = s.readHeader(line)
		} else {
			fault = s.add(line, off)
		}
		switch {
		case fault == nil:
			keep, unterminated = off+int64(len(line)), !whole
			if whole {
				keep++
			}
		case isVersion(fault):
			return fault
		case whole || n == 1:
			return &damageError{Path: s.path, Line: n, Err: fault}
		default:
			s.warnings = append(s.warnings, fmt.Sprintf("session %s: line %d was cut off (%d bytes) and is dropped", s.path, n, len(line)))
		}
		return nil
	})
	switch {
	case err != nil && !isDamage(err) && !isVersion(err):
		err = fmt.Errorf("reading session %s: %w", s.path, err)
	case err == nil && s.header.ID == "":
		err = &damageError{Path: s.path, Line: 1, Err: errors.New("the file is empty")}
	}
	return keep, unterminated, err
}

func isVersion(err error) bool { _, ok := errors.AsType[*versionError](err); return ok }
func isDamage(err error) bool  { _, ok := errors.AsType[*damageError](err); return ok }

func (s *Session) readHeader(line []byte) error {
	var v struct {
		Type    string `json:"type"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(line, &v, lenient); err != nil {
		return err
	}
	switch {
	case v.Type != "session":
		return fmt.Errorf("the first line is not a session's header but of type %q", v.Type)
	case v.Version > formatVersion:
		return &versionError{Path: s.path, Version: v.Version}
	case v.Version < 1:
		return fmt.Errorf("version %d doesn't exist", v.Version)
	}
	if err := json.Unmarshal(line, &s.header, lenient); err != nil {
		return err
	}
	if !validID(s.header.ID) {
		return fmt.Errorf("the session's id is %q", s.header.ID)
	}
	return nil
}

func validID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// trim cuts off what follows the last whole line.
func (st *fileStore) trim() error {
	info, err := st.f.Stat()
	if err != nil || info.Size() <= st.size {
		return err
	}
	return st.f.Truncate(st.size)
}

// append writes a line, which is given in pieces.
func (st *fileStore) append(line ...[]byte) (int64, error) {
	if st.broken != nil {
		return 0, fmt.Errorf("an earlier write failed: %w", st.broken)
	}
	off := st.size
	if st.unterm {
		line = append([][]byte{{'\n'}}, line...)
		off++
	}
	end := st.size
	for _, piece := range jsonx.Writes(line) {
		n, err := st.f.WriteAt(piece, end)
		if end += int64(n); err == nil {
			continue
		}
		if end > st.size {
			// Half a line must not stay in front of the next one.
			if cut := st.f.Truncate(st.size); cut != nil {
				st.broken = errors.Join(err, cut)
			}
		}
		return 0, err
	}
	st.size = end
	st.unterm, st.dirty = false, true
	return off, nil
}

func (st *fileStore) read(off int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := st.f.ReadAt(b, off); err != nil {
		return nil, err
	}
	return b, nil
}

func (st *fileStore) sync() error {
	if st.broken != nil {
		return st.broken
	}
	if st.noSync || !st.dirty {
		return nil
	}
	if err := st.f.Sync(); err != nil {
		return err
	}
	st.dirty = false
	return nil
}

func (st *fileStore) close() error {
	var err error
	if st.f != nil {
		err = st.f.Close()
	}
	return errors.Join(err, st.lock.release())
}

// syncDir makes a new file's name safe from a power cut.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories can't be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
