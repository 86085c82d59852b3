//go:build unix

package node

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func errnoName(errno syscall.Errno) string { return unix.ErrnoName(errno) }

// errnoTable maps the codes to their negative numbers.
func errnoTable() map[string]int {
	table := map[string]int{}
	for errno := syscall.Errno(1); errno < 200; errno++ {
		if name := unix.ErrnoName(errno); name != "" {
			table[name] = -int(errno)
		}
	}
	return table
}

// errnoOf is the negative number of a code, or 0.
func errnoOf(code string) int {
	if code == "" {
		return 0
	}
	for errno := syscall.Errno(1); errno < 200; errno++ {
		if unix.ErrnoName(errno) == code {
			return -int(errno)
		}
	}
	return 0
}
