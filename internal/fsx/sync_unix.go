//go:build unix

package fsx

import (
	"errors"
	"os"
	"syscall"
)

// noFollow makes opening a link an error.
const noFollow = syscall.O_NOFOLLOW

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	// Some network and FUSE file systems cannot flush a directory.
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
