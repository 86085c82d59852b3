//go:build unix

package builtin

import (
	"os"

	"golang.org/x/sys/unix"
)

// signalNumber returns the number of a signal's name.
func signalNumber(name string) int { return int(unix.SignalNum(name)) }

// duplicate returns a file that shares its position with f.
func duplicate(f *os.File) (*os.File, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var errDup error
	err = raw.Control(func(old uintptr) {
		fd, errDup = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err == nil {
		err = errDup
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/dev/stdin", Err: err}
	}
	return os.NewFile(uintptr(fd), "/dev/stdin"), nil
}

// executable reports whether the file may be run.
func executable(path string, _ os.FileInfo) bool { return unix.Access(path, unix.X_OK) == nil }
