package process

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// put marks a process and all that it starts from now on, whatever these do with
// environment, session and descriptors: the kernel hands limits down. This one bounds how
// long a process of a real-time class runs without a pause, in microseconds, and a mark is
// more than any does. What a process started before, in the moment between its own start
// and this, has its environment only: it gets its input after it. The process 0 is this one.
func (m mark) put(pid int) error {
	var limit unix.Rlimit
	err := unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &limit)
	if err == nil {
		limit.Cur = uint64(m)
		err = unix.Prlimit(pid, unix.RLIMIT_RTTIME, &limit, nil)
	}
	if err != nil {
		return fmt.Errorf("marking process %d: %w", pid, err)
	}
	return nil
}

// marked reports whether a process has a mark that counts, as a limit or in the
// environment that it was started with.
func marked(pid int, counts func(mark) bool) bool {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &limit) == nil && counts(mark(limit.Cur)) {
		return true
	}
	env := whole(func() ([]byte, error) { return os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ") },
		func() bool { m, ok := stat(pid); return ok && m.begins })
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if v, ok := bytes.CutPrefix(kv, []byte(runVariable+"=")); ok {
			return slices.ContainsFunc(parseMarks(string(v)), counts)
		}
	}
	return false
}

// whole reads an environment, whose last byte is 0 when all of it is there. While its process
// begins a program there is none, and the old one may be cut off where the reading was: then
// it is read again.
func whole(read func() ([]byte, error), begins func() bool) []byte {
	env, err := read()
	for looks := 0; looks < beginLooks && err == nil && !bytes.HasSuffix(env, []byte{0}); looks++ {
		again := begins()
		if env, err = read(); !again {
			break
		}
		time.Sleep(chasePause)
	}
	return env
}
