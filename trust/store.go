package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/internal/fsx"
)

const (
	storeName = "trust.json"
	lockName  = "trust.lock"
)

// Store keeps approvals in a directory of the person's own, outside of every
// project. It is safe for concurrent use, also by several processes: changes are
// made under a lock and take effect at once or not at all.
type Store struct {
	dir string
	now func() time.Time
}

// NewStore returns the store in a directory, which is made when the first approval
// is written. Nothing is read yet.
func NewStore(dir string) *Store { return &Store{dir: dir, now: time.Now} }

// Path returns the file that approvals are kept in.
func (s *Store) Path() string { return filepath.Join(s.dir, storeName) }

// Approval says that a person approved content in a project.
type Approval struct {
	// Root is the real path of the project.
	Root    string `json:"root"`
	Name    string `json:"name"`
	Dialect string `json:"dialect"`
	// Source is the defining file, relative to the root.
	Source     string `json:"source"`
	Digest     string `json:"digest"`
	Definition string `json:"definition"`
	// Replaces is the stronger hook that this one was approved to take the place of.
	Replaces     string      `json:"replaces,omitzero"`
	Capabilities []string    `json:"capabilities,omitempty"`
	Files        []FileState `json:"files"`
	Time         time.Time   `json:"time"`
	// How says in what way it was given: asked, command or digest.
	How string `json:"how,omitzero"`
	// Rules is the version of the rules by which its Files were found; absent is 1.
	Rules int `json:"rules,omitzero"`
	// MayWrite lets a hook that runs what no approval covers write what others may.
	MayWrite bool `json:"may_write,omitzero"`

	earlier string // the hook's name before, of an approval that is being given
}

// Refusal says that a person does not want to be asked about content again.
type Refusal struct {
	Root   string    `json:"root"`
	Name   string    `json:"name"`
	Digest string    `json:"digest"`
	Time   time.Time `json:"time"`
}

// corruptError is the error of a store that cannot be understood. It counts as
// empty; the next change keeps it under another name.
type corruptError struct {
	Path string
	Err  error
}

func (e *corruptError) Error() string {
	return fmt.Sprintf("the trust store %s cannot be understood, so nothing is approved: %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *corruptError) Unwrap() error { return e.Err }

// newerVersionError is the error of a store that a newer program has written. It is
// not changed.
type newerVersionError struct {
	Path    string
	Version int
}

func (e *newerVersionError) Error() string {
	return fmt.Sprintf("the trust store %s has version %d, which this program does not know: update hookline", e.Path, e.Version)
}

// unsafeStoreError is the error of a store that somebody else could have written.
type unsafeStoreError struct {
	Path, Why string
}

func (e *unsafeStoreError) Error() string {
	return fmt.Sprintf("the trust store %s is not used: %s", e.Path, e.Why)
}

// load reads the store. A store that is not there is empty. After an error nothing
// counts as approved.
func (s *Store) load() (*content, error) {
	if err := s.placed(); err != nil {
		return nil, err
	}
	data, err := s.read()
	if errors.Is(err, fs.ErrNotExist) {
		return &content{Version: version}, nil
	}
	if err != nil {
		return nil, err
	}
	return decode(s.Path(), data)
}

// List returns all approvals, by root and time, and refusals. On an error both are
// empty: when the store cannot be understood, was written by a newer program, or could
// have been written by somebody else.
func (s *Store) List() ([]Approval, []Refusal, error) {
	c, err := s.load()
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(c.Approvals, func(a, b Approval) int {
		if d := strings.Compare(a.Root, b.Root); d != 0 {
			return d
		}
		return a.Time.Compare(b.Time)
	})
	return c.Approvals, c.Refusals, nil
}

// read returns the bytes of the store's file.
func (s *Store) read() ([]byte, error) {
	file, err := os.OpenFile(s.Path(), os.O_RDONLY|openNonblock|openNoFollow, 0)
	if err != nil {
		if info, lerr := os.Lstat(s.Path()); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, &unsafeStoreError{s.Path(), "it is a link"}
		}
		return nil, fmt.Errorf("reading the trust store: %w", fsx.LinkFault(s.Path(), err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading the trust store: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, &unsafeStoreError{s.Path(), "it is not a regular file"}
	}
	if why := s.unsafe(); why != "" {
		return nil, &unsafeStoreError{s.Path(), why}
	}
	return readAll(s.Path(), file)
}

// unsafe says why somebody else could have written the store. That its directory is
// sticky is not an excuse: a file that is not there yet can be made by anybody.
func (s *Store) unsafe() string {
	if why := writers(s.Path()); why != "" {
		return why
	}
	return directoryWriters(s.dir)
}

// placed refuses a store without an absolute directory.
func (s *Store) placed() error {
	if !filepath.IsAbs(s.dir) {
		return &unsafeStoreError{s.Path(), "its directory is not an absolute path"}
	}
	return nil
}

// update changes the store under its lock.
func (s *Store) update(ctx context.Context, change func(*content) error) (err error) {
	if err := s.placed(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("making the directory of the trust store: %w", err)
	}
	if why := s.unsafe(); why != "" {
		return &unsafeStoreError{s.Path(), why}
	}
	lock, err := fsx.Lock(ctx, filepath.Join(s.dir, lockName))
	if err != nil {
		return fmt.Errorf("locking the trust store %s: %w", s.Path(), err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	c, err := s.load()
	if corrupt, ok := errors.AsType[*corruptError](err); ok {
		if err := s.keepCorrupt(); err != nil {
			return errors.Join(corrupt, err)
		}
		c, err = &content{Version: version}, nil
	}
	if err != nil {
		return err
	}
	if err := change(c); err != nil {
		return err
	}
	return s.write(c)
}

func (s *Store) write(c *content) error {
	data, err := encode(c)
	if err != nil {
		return err
	}
	// A file from before may be readable by others; fsx keeps its mode.
	if err := os.Chmod(s.Path(), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("writing the trust store: %w", err)
	}
	if err := fsx.WriteFile(s.Path(), data, 0o600); err != nil {
		return fmt.Errorf("writing the trust store: %w", err)
	}
	return nil
}

// keepCorrupt puts a file that cannot be understood aside.
func (s *Store) keepCorrupt() error {
	stamp := s.now().UTC().Format("20060102T150405.000000000")
	backup := s.Path() + ".corrupt-" + stamp
	if err := os.Rename(s.Path(), backup); err != nil {
		return fmt.Errorf("keeping the corrupt trust store as %s: %w", strconv.Quote(backup), err)
	}
	return nil
}
