package gitcmd

import (
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup detaches git from the console's Ctrl-C and has it and its children
// killed when the context ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	cmd.Cancel = func() error {
		// taskkill ends the tree; Kill makes sure of git itself.
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
		return cmd.Process.Kill()
	}
}

// endGently does nothing here: a process without a console cannot be asked to end.
func endGently(*exec.Cmd) {}
