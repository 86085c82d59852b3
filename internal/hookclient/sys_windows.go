package hookclient

import (
	"os"
	"os/exec"
	"syscall"
)

// detachedProcess has a process without the console of the one that started it.
const detachedProcess = 0x8

// detach keeps a process from ending with the one that started it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}

// Private is nil for a directory: those of a person are theirs alone.
func Private(dir string) error {
	_, err := os.Stat(dir)
	return err
}
