package node

import (
	"time"

	"golang.org/x/sys/unix"
)

func machineInfo() machine {
	var m machine
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.sysname, m.release = unix.ByteSliceToString(u.Sysname[:]), unix.ByteSliceToString(u.Release[:])
		m.version, m.machine = unix.ByteSliceToString(u.Version[:]), unix.ByteSliceToString(u.Machine[:])
	}
	m.totalmem, _ = unix.SysctlUint64("hw.memsize")
	m.cpu, _ = unix.Sysctl("machdep.cpu.brand_string")
	if boot, err := unix.SysctlTimeval("kern.boottime"); err == nil {
		m.uptime = time.Since(time.Unix(boot.Unix())).Seconds()
	}
	return m
}
