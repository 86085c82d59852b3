package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// SealFDs marks every open descriptor beyond 2 close-on-exec, so that no child
// inherits what this process was itself started with. Descriptors that Go opens
// are marked already; a command calls this once at its start, before other
// goroutines run. A descriptor meant for a child is to be passed as a file.
func SealFDs() error {
	err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	// Kernels before 5.11, and filters that refuse the call.
	if err := sealEach("/proc/self/fd"); err != nil {
		return fmt.Errorf("sealing inherited descriptors: %w", err)
	}
	return nil
}
