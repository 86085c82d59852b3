//go:build unix

package tool

import (
	"io/fs"
	"os"
	"syscall"
)

// openNonblock keeps open from waiting for the other end of a pipe.
const openNonblock = syscall.O_NONBLOCK

// keepOwner gives f the owner of old. It is false when that is not allowed.
func keepOwner(f *os.File, old fs.FileInfo) bool {
	fi, err := f.Stat()
	if err != nil {
		return false
	}
	is, ok := fi.Sys().(*syscall.Stat_t)
	was, ok2 := old.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || is.Uid == was.Uid && is.Gid == was.Gid {
		return true
	}
	return f.Chown(int(was.Uid), int(was.Gid)) == nil
}
