//go:build unix

package audit

import "syscall"

const (
	openNoFollow = syscall.O_NOFOLLOW
	openNonblock = syscall.O_NONBLOCK
)
