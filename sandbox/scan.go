package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// stamp is what changes when a file does and no program can set, where the system has
// that: else it is always zero.
type stamp struct {
	ino, size, sec, nsec int64
}

// settled is how old a change has to be before its stamp tells it from a later one.
const settled = 2 * time.Second

// scan reads what the kept names stand for. A file whose stamp is the one of the last
// copy is not read again.
func (k *Keep) scan() (map[string]entry, error) {
	s := &scanner{k: k, out: map[string]entry{}}
	for _, name := range k.names {
		if err := s.add(strings.TrimSuffix(name, "/"), extent(strings.HasSuffix(name, "/"))); err != nil {
			return nil, fmt.Errorf("taking a copy of %s in %s: %w", name, k.dir, err)
		}
	}
	return s.out, nil
}

type scanner struct {
	k     *Keep
	out   map[string]entry
	bytes int64
}

// extent says what is taken of a name that is a directory.
type extent bool

const (
	allBelow extent = false
	nothing  extent = true
)

func (s *scanner) add(name string, ofDir extent) error {
	if _, ok := s.out[name]; ok {
		return nil
	}
	info, err := s.k.root.Lstat(name)
	if err != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || !s.inside(name)) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() && ofDir == nothing {
		return nil
	}
	if s.bytes += info.Size(); len(s.out) >= keepFiles || s.bytes > keepBytes {
		return fmt.Errorf("it holds more than %d files or %d MiB", keepFiles, keepBytes>>20)
	}
	e := entry{mode: info.Mode()}
	switch {
	case info.IsDir():
		s.out[name] = e
		return s.below(name)
	case info.Mode()&fs.ModeSymlink != 0:
		e.content, err = s.k.root.Readlink(name)
	case info.Mode().IsRegular():
		e.stamp = stampOf(info)
		if old := s.k.base[name]; e.stamp != (stamp{}) && old.stamp == e.stamp {
			e.content = old.content
			break
		}
		var data []byte
		data, err = s.k.read(name)
		e.content = string(data)
		if time.Since(time.Unix(e.stamp.sec, e.stamp.nsec)) < settled {
			e.stamp = stamp{}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s.out[name] = e
	if errors.Is(err, fs.ErrPermission) {
		return nil // what this person can't read no command of theirs can change
	}
	return err
}

// inside reports whether a name is in the directory. Where a link leads it out, the wall
// holds what is there.
func (s *scanner) inside(name string) bool {
	return within(fsx.Resolve(filepath.Join(s.k.dir, path.Dir(name))), s.k.dir)
}

func (s *scanner) below(name string) error {
	dir, err := s.k.root.Open(name)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, n := range names {
		n = path.Join(name, n)
		if slices.Contains(s.k.except, n) {
			continue
		}
		if err := s.add(n, allBelow); err != nil {
			return err
		}
	}
	return nil
}

// read reads a file, and does not wait for one that has become a pipe.
func (k *Keep) read(name string) ([]byte, error) {
	f, err := k.root.OpenFile(name, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("it is not a file any more"))
	}
	return io.ReadAll(io.LimitReader(f, keepBytes))
}
