package process

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// rss returns how much memory a process occupies, in bytes; 0 when that cannot be
// learnt.
func rss(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// hasEnded reports whether a process has ended, before anybody has waited for it. It
// reports false where the system cannot tell.
func hasEnded(cmd *os.Process) (ended bool) {
	err := cmd.WithHandle(func(handle uintptr) {
		fds := [...]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}
		n, err := unix.Poll(fds[:], 0)
		ended = err == nil && n > 0
	})
	return ended || errors.Is(err, os.ErrProcessDone)
}
