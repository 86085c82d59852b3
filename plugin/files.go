package plugin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// File is one file of an installed plugin.
type File struct {
	Path       string `json:"path"` // slash-separated, below the plugin's directory
	SHA256     string `json:"sha256"`
	Size       int64  `json:"size"`
	Executable bool   `json:"executable,omitzero"`
}

// writer puts files into a new directory.
type writer struct {
	root *os.Root
	step func(string)
	made map[string]bool
}

// writeTree copies the planned files into dir, which must be new, flushes them
// and gives their digests, sorted by path.
func writeTree(ctx context.Context, t *tree, files []placed, dir string, step func(string)) ([]File, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := writer{root: root, step: step, made: map[string]bool{".": true}}
	from := make([]entry, len(files))
	for i, f := range files {
		from[i] = f.from
	}
	out := make([]File, 0, len(files))
	err = t.read(ctx, from, func(e entry, copyTo func(io.Writer) error) error {
		to := files[len(out)].path
		f, err := w.file(to, e, copyTo)
		if err != nil {
			return fmt.Errorf("copying %q: %w", to, err)
		}
		out = append(out, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for made := range w.made {
		if err := fsx.SyncDir(filepath.Join(dir, filepath.FromSlash(made))); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (w *writer) file(to string, e entry, copyTo func(io.Writer) error) (File, error) {
	if err := w.mkdir(path.Dir(to)); err != nil {
		return File{}, err
	}
	mode := fs.FileMode(0o644)
	if e.executable {
		mode = 0o755
	}
	w.step("create file")
	f, err := w.root.OpenFile(filepath.FromSlash(to), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return File{}, errors.New("this file system takes its name for another file's")
	}
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	sum := newSum()
	if err := copyTo(io.MultiWriter(f, sum)); err != nil {
		return File{}, err
	}
	w.step("write file")
	if err := f.Chmod(mode); err != nil { // the umask may have taken bits away
		return File{}, err
	}
	if err := f.Sync(); err != nil {
		return File{}, err
	}
	w.step("flush file")
	return File{Path: to, SHA256: sum.hex(), Size: sum.n, Executable: e.executable}, f.Close()
}

func (w *writer) mkdir(dir string) error {
	if w.made[dir] {
		return nil
	}
	if err := w.mkdir(path.Dir(dir)); err != nil {
		return err
	}
	if err := w.root.Mkdir(filepath.FromSlash(dir), 0o755); err != nil {
		return err
	}
	w.made[dir] = true
	return nil
}

// digester is a SHA-256 that counts.
type digester struct {
	h hash.Hash
	n int64
}

func newSum() *digester { return &digester{h: sha256.New()} }

func (d *digester) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return d.h.Write(p)
}

func (d *digester) hex() string { return hex.EncodeToString(d.h.Sum(nil)) }

// digestTree digests every file of a directory, sorted by path. Links and
// other things that an install does not make come with an empty digest.
func digestTree(ctx context.Context, dir string) ([]File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []File
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f, err := digestFile(root, p, d)
		if err != nil {
			return err
		}
		out = append(out, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", dir, err)
	}
	slices.SortFunc(out, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}

func digestFile(root *os.Root, p string, d fs.DirEntry) (File, error) {
	if !d.Type().IsRegular() {
		return File{Path: p}, nil
	}
	f, err := root.OpenFile(filepath.FromSlash(p), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return File{Path: p}, err
	}
	sum := newSum()
	if _, err := io.Copy(sum, f); err != nil {
		return File{}, err
	}
	return File{Path: p, SHA256: sum.hex(), Size: sum.n, Executable: info.Mode()&0o111 != 0}, nil
}
