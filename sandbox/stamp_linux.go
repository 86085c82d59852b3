package sandbox

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo) stamp {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	return stamp{int64(st.Ino), st.Size, int64(st.Ctim.Sec), int64(st.Ctim.Nsec)}
}
