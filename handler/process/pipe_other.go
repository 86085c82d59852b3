//go:build !linux

package process

import "os"

// inputPipe returns a pipe whose write end is ours.
func inputPipe() (r, w *os.File, err error) { return os.Pipe() }

// outputEnd is our end of an output pipe.
type outputEnd struct{ file *os.File }

// outputPipe returns a pipe whose read end is ours.
func outputPipe() (end outputEnd, w *os.File, err error) {
	end.file, w, err = os.Pipe()
	return end, w, err
}

func (e outputEnd) open(bool) *os.File { return e.file }

func (e outputEnd) close() { e.file.Close() }
