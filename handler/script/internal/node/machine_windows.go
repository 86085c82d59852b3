package node

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	length, load                                                     uint32
	totalPhys, availPhys, totalPage, availPage, totalVirt, availVirt uint64
	availExtended                                                    uint64
}

func machineInfo() machine {
	v := windows.RtlGetVersion()
	m := machine{
		sysname: "Windows_NT", release: fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber),
		version: "Windows", machine: arch(), uptime: windows.DurationSinceBoot().Seconds(),
	}
	status := memoryStatus{}
	status.length = uint32(unsafe.Sizeof(status))
	proc := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	if ok, _, _ := proc.Call(uintptr(unsafe.Pointer(&status))); ok != 0 {
		m.totalmem, m.freemem = status.totalPhys, status.availPhys
	}
	return m
}
