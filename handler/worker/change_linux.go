package worker

import (
	"os"
	"syscall"
)

// changeTime returns when a file's entry was last changed, in nanoseconds.
func changeTime(info os.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano()
	}
	return 0
}
