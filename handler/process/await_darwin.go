package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitExit waits until the process has ended and leaves it unreaped, so that
// its id, and that of its group, cannot pass to another process meanwhile. A
// non-nil state means that it had to reap it.
func awaitExit(cmd *os.Process) (*os.ProcessState, error) {
	kq, err := unix.Kqueue()
	if err != nil {
		return cmd.Wait()
	}
	defer unix.Close(kq)
	unix.CloseOnExec(kq)

	change := make([]unix.Kevent_t, 1)
	unix.SetKevent(&change[0], cmd.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	change[0].Fflags = unix.NOTE_EXIT
	events := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(kq, change, events, nil)
		switch {
		case err == unix.EINTR:
		case err != nil, n > 0 && events[0].Flags&unix.EV_ERROR != 0:
			return cmd.Wait() // it cannot be watched: most often it has ended
		case n > 0:
			return nil, nil
		}
	}
}
