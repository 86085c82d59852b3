package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// LinkFault returns the error of opening a path, and another one in place of
// [fs.ErrNotExist] where the path, or a directory above it, is a link that leads nowhere:
// somebody meant a file to be there, and what it said is lost.
func LinkFault(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, statErr := os.Lstat(at)
		switch {
		case statErr == nil && info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("the link %s leads nowhere", at)
		case statErr == nil || at == filepath.Dir(at):
			return err
		}
	}
}
