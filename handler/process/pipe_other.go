//go:build !linux

package process

import "os"

// inputPipe returns a pipe whose write end is ours.
func inputPipe() (r, w *os.File, err error) { return os.Pipe() }

// readPipe returns a pipe whose read end is ours.
func readPipe() (r, w *os.File, err error) { return os.Pipe() }
