package node

import "golang.org/x/sys/unix"

func machineInfo() machine {
	var m machine
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.sysname, m.release = unix.ByteSliceToString(u.Sysname[:]), unix.ByteSliceToString(u.Release[:])
		m.version, m.machine = unix.ByteSliceToString(u.Version[:]), unix.ByteSliceToString(u.Machine[:])
	}
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) == nil {
		unit := uint64(s.Unit)
		m.totalmem, m.freemem = uint64(s.Totalram)*unit, uint64(s.Freeram)*unit
		m.uptime = float64(s.Uptime)
		for i, load := range s.Loads {
			m.loadavg[i] = float64(load) / 65536
		}
	}
	return m
}
