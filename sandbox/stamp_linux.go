package sandbox

import (
	"io/fs"
	"syscall"
)

// removed reports whether what is still open has no name any more.
func removed(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}

func stampOf(info fs.FileInfo) stamp {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	return stamp{int64(st.Ino), st.Size, int64(st.Ctim.Sec), int64(st.Ctim.Nsec)}
}
