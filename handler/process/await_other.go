//go:build !linux && !darwin

package process

import "os"

// awaitExit waits until the process has ended.
func awaitExit(cmd *os.Process) (*os.ProcessState, error) { return cmd.Wait() }
