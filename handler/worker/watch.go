package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxFile bounds the size of a file whose content is looked at.
const maxFile = 1 << 30

// watch knows what the files of a worker were when it was started. It is not safe
// for concurrent use.
type watch struct{ files []watched }

// watched is a file: which one it was, and what was in it.
type watched struct {
	path   string
	info   os.FileInfo
	change int64 // time of the last change of whatever kind, where the system has it
	digest string
}

// newWatch returns a watch over the files of a spec, which are not looked at yet.
func newWatch(s *Spec) *watch {
	w := &watch{}
	names := s.Files
	if names == nil {
		names = guessFiles(s)
	}
	for _, name := range names {
		w.files = append(w.files, watched{path: inDir(s.Dir, name)})
	}
	return w
}

// guessFiles finds the files that a command line names.
func guessFiles(s *Spec) []string {
	var out []string
	if strings.ContainsRune(s.Path, filepath.Separator) || strings.ContainsRune(s.Path, '/') {
		out = append(out, s.Path)
	}
	for _, arg := range s.Args {
		if info, err := os.Stat(inDir(s.Dir, arg)); err == nil && info.Mode().IsRegular() {
			out = append(out, arg)
		}
	}
	return out
}

func inDir(dir, name string) string {
	if !filepath.IsAbs(name) && dir != "" {
		name = filepath.Join(dir, name)
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// look reads the files anew and asks whether they may be run.
func (w *watch) look(trusted func(path, digest string) bool) error {
	for i := range w.files {
		f := &w.files[i]
		if err := f.read(); err != nil {
			return fmt.Errorf("look at %q: %w", f.path, bare(err))
		}
		if trusted != nil && !trusted(f.path, f.digest) {
			return &untrustedError{f.path, f.digest}
		}
	}
	return nil
}

// changed returns the path of a file whose content is not what it was, "" when
// there is none. It costs one look at each file's entry as long as they are the
// same.
func (w *watch) changed() string {
	for i := range w.files {
		f := &w.files[i]
		info, err := os.Stat(f.path)
		if err != nil {
			return f.path
		}
		if f.same(info) {
			continue
		}
		before := f.digest
		if f.read() != nil || f.digest != before {
			return f.path
		}
	}
	return ""
}

func (f *watched) same(info os.FileInfo) bool {
	return f.info != nil && os.SameFile(f.info, info) && f.info.Size() == info.Size() &&
		f.info.ModTime().Equal(info.ModTime()) && f.change == changeTime(info)
}

// read remembers which file it is and the digest of its content.
func (f *watched) read() error {
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() > maxFile:
		return fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	f.info, f.change, f.digest = info, changeTime(info), "sha256:"+hex.EncodeToString(sum.Sum(nil))
	return nil
}

// bare strips the path, which the caller names.
func bare(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
