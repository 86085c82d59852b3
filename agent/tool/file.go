package tool

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
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

// stamp tells whether a file is still as it was: in an editor by its text, for what is
// saved is not all of it, and else by what the system says.
type stamp struct {
	size int64
	time time.Time
	sum  [sha256.Size]byte
}

func (p *place) stamp(fi fs.FileInfo, text []byte) stamp {
	if p.inEditor() != "" {
		return stamp{sum: sha256.Sum256(text)}
	}
	return stamp{size: fi.Size(), time: fi.ModTime()}
}

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
		return nil, nil, p.tooLarge()
	}
	return data, fi, nil
}

func (p *place) tooLarge() error {
	return fmt.Errorf("%s is larger than %d MiB", p.path, maxFile>>20)
}

// store replaces a file's content in the editor, or in one step on the disk, keeping its
// mode and owner. old is nil for a file that does not exist yet.
func (p *place) store(ctx context.Context, data []byte, old fs.FileInfo) error {
	if old != nil && old.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s is write-protected", p.path)
	}
	dir := filepath.Dir(p.name)
	if err := p.root.MkdirAll(dir, 0o777); err != nil {
		return p.wrap(err)
	}
	if path := p.inEditor(); path != "" {
		if err := p.set.cfg.Editor.WriteFile(ctx, path, string(data)); err != nil {
			return fmt.Errorf("%s, in the editor: %w", p.path, err)
		}
		return nil
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

// note remembers how a file is now; its text counts where it is in an editor.
func (s *Set) note(p *place, text []byte) {
	fi, err := p.root.Stat(p.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.seen, p.real)
		return
	}
	s.seen[p.real] = p.stamp(fi, text)
}

// wrote notes a file that a tool has written, which was permitted.
func (s *Set) wrote(p *place, text []byte) {
	s.note(p, text)
	if s.cfg.Sandbox != nil {
		s.cfg.Sandbox.accept(p.real)
	}
}

// fresh refuses to change a file that somebody else has changed since the model
// saw it.
func (s *Set) fresh(p *place, fi fs.FileInfo, text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.seen[p.real]; ok && old != p.stamp(fi, text) {
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
