//go:build unix && !linux

package process

import (
	"os"
	"syscall"
	"time"
)

// tree is a process and all that came from it, as far as it stayed in the
// process group: without /proc, a child that left cannot be told from others.
type tree struct{ pid int }

func newTree(mark) (*tree, error) { return &tree{}, nil }

func (t *tree) adopt(cmd *os.Process, _ ...*os.File) { t.pid = cmd.Pid }

func (t *tree) release() {}

// terminate asks the group to end. It and kill may be called only while the
// leader is unreaped.
func (t *tree) terminate() bool { return syscall.Kill(-t.pid, syscall.SIGTERM) == nil }

// settle gives the rest of the group a moment after the leader's end. Its
// zombie stays in the group, so that emptiness cannot be seen.
func (t *tree) settle(timeout <-chan time.Time) {
	select {
	case <-timeout:
	case <-time.After(50 * time.Millisecond):
	}
}

func (t *tree) kill() []int {
	syscall.Kill(-t.pid, syscall.SIGKILL)
	return nil
}

// clear ends what is left of the group. It need not be there any more, and while it is,
// no other process has its id.
func (t *tree) clear(bool) []int {
	syscall.Kill(-t.pid, syscall.SIGKILL)
	return nil
}

// members is unknown here.
func (t *tree) members() []int { return nil }
