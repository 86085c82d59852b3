package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipe makes a pipe without what os.Pipe adds to both ends: a descriptor that
// nobody waits for in the poller is spared entering and leaving it.
func pipe() (p [2]int, err error) {
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return p, os.NewSyscallError("pipe2", err)
	}
	return p, nil
}

// inputEnd is our end of an input pipe, before it is known whether anybody has
// to wait for it.
type inputEnd struct{ fd int }

// inputPipe returns a pipe whose write end is ours.
func inputPipe() (r *os.File, end inputEnd, err error) {
	p, err := pipe()
	if err != nil {
		return nil, inputEnd{-1}, err
	}
	unix.SetNonblock(p[1], true)
	return os.NewFile(uintptr(p[0]), "stdin"), inputEnd{p[1]}, nil
}

// prefill writes what the pipe takes without waiting.
func (e inputEnd) prefill(b []byte) int { return writeFD(e.fd, b) }

func (e inputEnd) open() *os.File { return os.NewFile(uintptr(e.fd), "stdin") }

func (e inputEnd) close() error { return unix.Close(e.fd) }

// outputEnd is our end of an output pipe, before it is known who reads it.
type outputEnd struct{ fd int }

// outputPipe returns a pipe whose read end is ours.
func outputPipe() (end outputEnd, w *os.File, err error) {
	p, err := pipe()
	if err != nil {
		return outputEnd{-1}, nil, err
	}
	return outputEnd{p[0]}, os.NewFile(uintptr(p[1]), "output"), nil
}

// open makes the end a file, for the pump or for a goroutine that waits in
// Read.
func (e outputEnd) open(pumped bool) *os.File {
	if !pumped {
		return polled(e.fd, "output")
	}
	f := os.NewFile(uintptr(e.fd), "output")
	unix.SetNonblock(e.fd, true) // after NewFile, which would put it into the poller
	return f
}

func (e outputEnd) close() { unix.Close(e.fd) }

// polled makes a file that waits in the poller and so takes deadlines.
func polled(fd int, name string) *os.File {
	unix.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), name)
}
