//go:build unix

package process

import (
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	errExecBusy   = syscall.ETXTBSY
	errExecFormat = syscall.ENOEXEC
	errTooBig     = syscall.E2BIG
)

// writeNow writes what f takes without waiting.
func writeNow(f *os.File, b []byte) (written int) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	raw.Control(func(fd uintptr) { written = writeFD(int(fd), b) })
	return written
}

// writeFD is writeNow on a descriptor that does not block.
func writeFD(fd int, b []byte) (written int) {
	for written < len(b) {
		n, err := syscall.Write(fd, b[written:])
		if n > 0 {
			written += n
		}
		if err != nil && err != syscall.EINTR {
			break
		}
	}
	return written
}

// readNow reads what f has without waiting. With nothing there, open tells
// whether more could come.
func readNow(f *os.File, b []byte) (n int, open bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	raw.Control(func(fd uintptr) { n, open = readFD(int(fd), b) })
	return n, open
}

// readFD is readNow on a descriptor that does not block.
func readFD(fd int, b []byte) (n int, open bool) {
	for {
		n, err := syscall.Read(fd, b)
		if err != syscall.EINTR {
			return max(n, 0), err == syscall.EAGAIN
		}
	}
}

// enterable reports whether dir can be made the working directory.
func enterable(dir string) bool { return unix.Access(dir, unix.X_OK) == nil }

// addSystemEnv adds what no process can do without: nothing here.
func addSystemEnv(env []string) []string { return env }

// describe reads a process state.
func describe(state *os.ProcessState) (code int, signal string) {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return -1, signalName(ws.Signal())
	}
	return state.ExitCode(), ""
}

func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return strings.ToUpper(s.String())
}
