//go:build !linux

package process

import "os"

// inputEnd is our end of an input pipe.
type inputEnd struct{ file *os.File }

// inputPipe returns a pipe whose write end is ours.
func inputPipe() (r *os.File, end inputEnd, err error) {
	r, end.file, err = os.Pipe()
	return r, end, err
}

// prefill writes what the pipe takes without waiting.
func (e inputEnd) prefill(b []byte) int { return writeNow(e.file, b) }

func (e inputEnd) open() *os.File { return e.file }

func (e inputEnd) close() error { return e.file.Close() }

// outputEnd is our end of an output pipe.
type outputEnd struct{ file *os.File }

// outputPipe returns a pipe whose read end is ours.
func outputPipe() (end outputEnd, w *os.File, err error) {
	end.file, w, err = os.Pipe()
	return end, w, err
}

func (e outputEnd) open(bool) *os.File { return e.file }

func (e outputEnd) close() { e.file.Close() }
