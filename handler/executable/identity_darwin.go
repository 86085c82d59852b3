package executable

import (
	"os"
	"syscall"
)

func identify(info os.FileInfo) identity {
	id := identity{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Inode, id.device, id.changed = st.Ino, uint64(st.Dev), st.Ctimespec.Nano()
	}
	return id
}
