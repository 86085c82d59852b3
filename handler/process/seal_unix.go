//go:build unix && !linux

package process

import "fmt"

// SealFDs marks every open descriptor beyond 2 close-on-exec, so that no child
// inherits what this process was itself started with. Descriptors that Go opens
// are marked already; a command calls this once at its start, before other
// goroutines run. A descriptor meant for a child is to be passed as a file.
func SealFDs() error {
	if err := sealEach("/dev/fd"); err != nil {
		return fmt.Errorf("sealing inherited descriptors: %w", err)
	}
	return nil
}
