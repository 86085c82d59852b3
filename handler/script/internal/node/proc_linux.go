package node

import "golang.org/x/sys/unix"

// reapsUnderLock says that the process is known to have ended when it is
// reaped, so that reaping can exclude signalling: no signal ever goes to an id
// that is no longer ours.
const reapsUnderLock = true

// awaitExit waits for a child's end without reaping it.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}
