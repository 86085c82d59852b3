//go:build unix

package registry

import (
	"io/fs"
	"os"
	"syscall"
)

// openNonblock does not wait for the other end of a pipe.
func openNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func othersMayRead(fi fs.FileInfo) bool { return fi.Mode().Perm()&0o077 != 0 }
