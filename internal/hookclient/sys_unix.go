//go:build unix

package hookclient

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// detach keeps a process from ending with the one that started it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Private is nil for a directory, and no link, that nobody but this person can enter.
func Private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || info.Mode().Perm()&0o077 != 0 || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a directory of this person alone", dir)
	}
	return nil
}
