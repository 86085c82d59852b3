package executable

import (
	"os"
	"syscall"
)

func identify(info os.FileInfo) identity {
	id := identity{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Inode, id.changed = st.Ino, st.Ctim.Nano()
	}
	return id
}
