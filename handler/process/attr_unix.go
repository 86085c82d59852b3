//go:build unix && !linux

package process

import "syscall"

// sysProcAttr gives the child a session of its own.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}
