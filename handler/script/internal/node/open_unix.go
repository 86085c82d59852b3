//go:build unix

package node

import "syscall"

// nonBlocking keeps the opening of a FIFO that nobody writes to from waiting
// for ever.
const nonBlocking = syscall.O_NONBLOCK
