package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// inputPipe returns a pipe whose write end is ours.
func inputPipe() (r, w *os.File, err error) {
	p, err := pipe()
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(p[0]), "stdin"), polled(p[1], "stdin"), nil
}

// readPipe returns a pipe whose read end is ours.
func readPipe() (r, w *os.File, err error) {
	p, err := pipe()
	if err != nil {
		return nil, nil, err
	}
	return polled(p[0], "output"), os.NewFile(uintptr(p[1]), "output"), nil
}

// pipe makes a pipe without what os.Pipe adds to both ends: the child's end
// needs no poller, and entering and leaving it costs several system calls.
func pipe() (p [2]int, err error) {
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return p, os.NewSyscallError("pipe2", err)
	}
	return p, nil
}

// polled makes a file that waits in the poller and so takes deadlines.
func polled(fd int, name string) *os.File {
	unix.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), name)
}
