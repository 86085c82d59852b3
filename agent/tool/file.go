package tool

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxFile is the largest file that is edited or read as a whole, in bytes.
const maxFile = 64 << 20

// stamp tells whether a file is still as it was.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(fi fs.FileInfo) stamp { return stamp{fi.Size(), fi.ModTime()} }

// open opens a regular file for reading.
func (p *place) open() (*os.File, fs.FileInfo, error) {
	fi, err := p.root.Stat(p.name)
	if err != nil {
		return nil, nil, p.wrap(err)
	}
	if err := p.regular(fi); err != nil {
		return nil, nil, err
	}
	f, err := p.root.OpenFile(p.name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, p.wrap(err)
	}
	fi, err = f.Stat()
	if err == nil {
		err = p.regular(fi)
	}
	if err != nil {
		f.Close()
		return nil, nil, p.wrap(err)
	}
	return f, fi, nil
}

func (p *place) regular(fi fs.FileInfo) error {
	switch {
	case fi.IsDir():
		return fmt.Errorf("%s is a directory", p.path)
	case !fi.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", p.path)
	}
	return nil
}

// wrap names the path that a person knows in an error of the system.
func (p *place) wrap(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist: %w", p.path, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %w", p.path, fs.ErrPermission)
	}
	return fmt.Errorf("%s: %w", p.path, err)
}

// content reads a whole file.
func (p *place) content() ([]byte, fs.FileInfo, error) {
	f, fi, err := p.open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, p.wrap(err)
	}
	if len(data) > maxFile {
		return nil, nil, fmt.Errorf("%s is larger than %d MiB", p.path, maxFile>>20)
	}
	return data, fi, nil
}

// store replaces a file's content in one step, keeping its mode and owner. old
// is nil for a file that does not exist yet.
func (p *place) store(data []byte, old fs.FileInfo) error {
	if old != nil && old.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s is write-protected", p.path)
	}
	dir := filepath.Dir(p.name)
	if err := p.root.MkdirAll(dir, 0o777); err != nil {
		return p.wrap(err)
	}
	temp := filepath.Join(dir, "."+filepath.Base(p.name)+"."+rand.Text()[:8]+".tmp")
	if len(filepath.Base(temp)) > 255 {
		temp = filepath.Join(dir, "."+rand.Text()+".tmp")
	}
	f, err := p.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrPermission) && old != nil {
		return p.overwrite(data) // the file may be changed, its directory not
	}
	if err != nil {
		return p.wrap(err)
	}
	if old != nil && !keepOwner(f, old) {
		f.Close()
		if err := p.root.Remove(temp); err != nil {
			return p.wrap(err)
		}
		return p.overwrite(data)
	}
	_, err = f.Write(data)
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = p.root.Rename(temp, p.name)
	}
	if err != nil {
		return p.wrap(errors.Join(err, p.root.Remove(temp)))
	}
	return nil
}

func (p *place) overwrite(data []byte) error {
	f, err := p.root.OpenFile(p.name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return p.wrap(err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return p.wrap(err)
	}
	return nil
}

// note remembers how a file is now.
func (s *Set) note(p *place) {
	fi, err := p.root.Stat(p.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.seen, p.real)
		return
	}
	s.seen[p.real] = stampOf(fi)
}

// wrote notes a file that a tool has written, which was permitted.
func (s *Set) wrote(p *place) {
	s.note(p)
	if s.cfg.Sandbox != nil {
		s.cfg.Sandbox.accept(p.real)
	}
}

// fresh refuses to change a file that somebody else has changed since the model
// saw it.
func (s *Set) fresh(p *place, fi fs.FileInfo) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.seen[p.real]; ok && old != stampOf(fi) {
		return fmt.Errorf("%s has changed since it was read; read it again first", p.path)
	}
	return nil
}

// known refuses to replace a file that the model has not seen.
func (s *Set) known(p *place) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.seen[p.real]; !ok {
		return fmt.Errorf("%s is there already and has not been read; read it first, or change it with Edit", p.path)
	}
	return nil
}
