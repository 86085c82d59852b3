package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces the content of path with data: written to a temporary
// file in the same directory, flushed to the disk, renamed into place, the
// directory flushed. When path is a regular file already, its permission bits
// are kept; otherwise the file gets perm exactly (the umask does not apply).
//
// A symlink at path is replaced and its target left alone. To write through a
// link that the user owns, resolve it first with [filepath.EvalSymlinks].
//
// On an error the old content is whole and no temporary file is left behind.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return Replace(path, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Replace is WriteFile of what fill writes; an error of fill leaves the old content.
func Replace(path string, perm fs.FileMode, fill func(io.Writer) error) (err error) {
	if info, statErr := os.Lstat(path); statErr == nil {
		if info.IsDir() {
			return fmt.Errorf("writing %s: it is a directory", path)
		}
		if info.Mode().IsRegular() {
			perm = info.Mode().Perm()
		}
	} else if !errors.Is(statErr, fs.ErrNotExist) {
		return fmt.Errorf("writing %s: %w", path, statErr)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, err)
			tmp.Close() // a second Close is harmless
			os.Remove(tmp.Name())
		}
	}()
	if err := fill(tmp); err != nil {
		return err
	}
	if err := tmp.Chmod(perm.Perm()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// SyncDir makes the names in a directory (files created, renamed, removed)
// survive a power cut. It does nothing where directories cannot be flushed.
func SyncDir(dir string) error {
	return syncDir(dir)
}
