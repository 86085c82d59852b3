package stamp

import (
	"os"
	"syscall"
)

// keepsChange says that the system keeps the time of the last change of whatever
// kind, which no program can set.
const keepsChange = true

func identify(info os.FileInfo) identity {
	id := identity{size: info.Size(), modified: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.device, id.inode, id.changed = uint64(st.Dev), st.Ino, st.Ctim.Nano()
	}
	return id
}
