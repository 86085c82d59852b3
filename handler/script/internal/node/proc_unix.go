//go:build unix

package node

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A processGroup is what a signal goes to.
type processGroup struct{ leader int }

// prepare gives the program a session of its own: its children share its
// group, and it has no terminal to ask on.
func prepare(cmd *exec.Cmd, _ bool) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}

func groupOf(proc *os.Process) processGroup { return processGroup{proc.Pid} }

func (g processGroup) release() {}

func (g processGroup) signal(name string) (bool, error) {
	sig, err := signalOf(name)
	if err != nil {
		return false, err
	}
	if err := syscall.Kill(-g.leader, sig); err != nil {
		if err == syscall.ESRCH {
			return false, nil
		}
		return false, systemError(err, "kill", "", "")
	}
	return true, nil
}

func signalPid(pid int, name string) error {
	sig, err := signalOf(name)
	if err != nil {
		return err
	}
	return syscall.Kill(pid, sig)
}

// signalOf reads "SIGTERM" or a number.
func signalOf(name string) (syscall.Signal, error) {
	if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < 65 {
		return syscall.Signal(n), nil
	}
	if sig := unix.SignalNum(strings.ToUpper(name)); sig != 0 {
		return sig, nil
	}
	return 0, &Error{Name: "TypeError", Code: "ERR_UNKNOWN_SIGNAL", Message: fmt.Sprintf("Unknown signal: %s", name)}
}

func exitOf(state *os.ProcessState) (code int, signal string) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return state.ExitCode(), ""
}

func executable(path string, _ map[string]string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return "", fs.ErrPermission
	}
	return path, nil
}

// Signals are the numbers of signals, as the constants of node:os have them.
func Signals() map[string]int {
	table := map[string]int{}
	for n := 1; n < 32; n++ {
		if name := unix.SignalName(syscall.Signal(n)); name != "" {
			table[name] = n
		}
	}
	return table
}
