package script

import (
	"time"

	"golang.org/x/sys/windows"
)

// processCPU returns the processor time that this process has used, or what the clock
// says when the system does not tell: then nothing counts as waiting.
func processCPU() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return ticks(kernel) + ticks(user)
}

// ticks converts a span of 100 ns units.
func ticks(f windows.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}
