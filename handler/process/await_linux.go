package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitExit waits until the process has ended and leaves it unreaped, so that
// its id, and that of its group, cannot pass to another process meanwhile. A
// non-nil state means that it had to reap it.
func awaitExit(cmd *os.Process) (*os.ProcessState, error) {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, cmd.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		switch err {
		case nil:
			return nil, nil
		case unix.EINTR:
		default:
			return cmd.Wait()
		}
	}
}
