package process

import "syscall"

// sysProcAttr gives the child a session of its own, and has the kernel kill it
// when the thread that started it dies.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
