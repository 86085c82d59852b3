package process

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Adopt has processes whose parents ended become children of this program, so that those
// which left their group, environment and pipes behind are found too. It is for a
// program to call, at its start, and not for a library: it is about all children of the
// program. Who calls it calls [EndAdopted] at the end.
func Adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("taking over processes whose parents ended: %w", err)
	}
	return nil
}

// EndAdopted ends all children of this program and theirs, and returns what was ended.
// It is called when everything that started some has been closed: what is left then was
// left behind. It ends the watcher too; see [Watch].
func EndAdopted() []int {
	var ended []int
	watcher := watcherPid()
	strike := func() (found bool) {
		// What a child that is killed has started becomes a child of ours.
		for _, pid := range children() {
			if m, ok := stat(pid); ok && m.parent == os.Getpid() && pid != watcher {
				if m.alive() {
					m.kill()
					ended, found = append(ended, pid), true
				}
				reap(pid)
			}
		}
		return found
	}
	if strike() {
		untilQuiet(strike) // with the watcher there, should this program be killed meanwhile
	}
	endWatcher()
	if hasChildren() { // which the list left out
		untilQuiet(strike)
	}
	slices.Sort(ended)
	return slices.Compact(ended)
}

// hasChildren asks the kernel whether any thread of this program has a child. Without one,
// none can be forked or adopted either.
func hasChildren() bool {
	const all = unix.WEXITED | unix.WNOHANG | unix.WNOWAIT | unix.WALL
	return unix.Waitid(unix.P_ALL, 0, nil, all, nil) != unix.ECHILD
}

// children lists the children of this program's first thread, among which are those that
// [Adopt] gave it.
func children() []int {
	self := strconv.Itoa(os.Getpid())
	return gather(func() []byte {
		b, _ := os.ReadFile("/proc/" + self + "/task/" + self + "/children")
		return b
	})
}

// gather returns the numbers in a list that is read until it has nothing new: of its list of
// children the kernel leaves some out when others are reaped while it writes it.
func gather(read func() []byte) (out []int) {
	for range childLooks {
		before := len(out)
		for f := range strings.FieldsSeq(string(read())) {
			if pid, err := strconv.Atoi(f); err == nil && !slices.Contains(out, pid) {
				out = append(out, pid)
			}
		}
		if len(out) == before {
			break
		}
	}
	return out
}

// reap takes a child of ours that has ended off the list of processes.
func reap(pid int) { _, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) }

// program is the file that a process runs, and with which arguments.
func program(pid int) string {
	proc := "/proc/" + strconv.Itoa(pid)
	exe, _ := os.Readlink(proc + "/exe")
	args, _ := os.ReadFile(proc + "/cmdline")
	return exe + "\x00" + string(args)
}
