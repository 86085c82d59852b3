//go:build unix

package plugin

import (
	"io/fs"
	"syscall"
)

// openNonblock keeps opening a named pipe from waiting for a writer.
const openNonblock = syscall.O_NONBLOCK

// openNoFollow makes opening a symlink an error.
const openNoFollow = syscall.O_NOFOLLOW

// keepsExecutableBit says that files have an executable bit here.
const keepsExecutableBit = true

// isExecutable reports whether a regular file is a program.
func isExecutable(_ string, mode fs.FileMode) bool { return mode&0o111 != 0 }
