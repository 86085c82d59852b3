package process

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"

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
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if v, ok := bytes.CutPrefix(kv, []byte(runVariable+"=")); ok {
			return slices.ContainsFunc(parseMarks(string(v)), counts)
		}
	}
	return false
}
