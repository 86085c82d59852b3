//go:build unix

package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// watchReader calls gone when nobody reads the pipe or socket any more that the file
// writes to, also while nothing is written. The function returned ends the watching.
func watchReader(out *os.File, gone func()) (stop func()) {
	nothing := func() {}
	info, err := out.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nothing
	}
	conn, err := out.SyscallConn()
	if err != nil {
		return nothing
	}
	r, w, err := os.Pipe() // closing it ends the wait
	if err != nil {
		return nothing
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer r.Close()
		hungUp := false
		err := conn.Control(func(fd uintptr) { hungUp = hangsUp(int32(fd), int32(r.Fd())) })
		if err == nil && hungUp {
			gone()
		}
	}()
	return func() {
		_ = w.Close()
		<-ended
	}
}

// hangsUp waits until nobody reads from the other end of fd, or until end can be read.
func hangsUp(fd, end int32) bool {
	fds := []unix.PollFd{{Fd: fd}, {Fd: end, Events: unix.POLLIN}} // of fd only errors are told
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil || fds[1].Revents != 0:
			return false
		case fds[0].Revents != 0:
			return fds[0].Revents&unix.POLLNVAL == 0
		}
	}
}
