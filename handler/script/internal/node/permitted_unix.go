//go:build unix

package node

import (
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// unlinkDirCode is what unlink says of a folder: Linux's word, which is what
// Node users know.
const unlinkDirCode = "EISDIR"

// permitted says whether this process has the wanted permissions: R_OK 4,
// W_OK 2, X_OK 1.
func permitted(info fs.FileInfo, want int) bool {
	perm := int(info.Mode().Perm())
	if os.Geteuid() == 0 {
		return want&1 == 0 || info.IsDir() || perm&0o111 != 0
	}
	shift := 0
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		groups, _ := os.Getgroups()
		switch {
		case int(st.Uid) == os.Geteuid():
			shift = 6
		case int(st.Gid) == os.Getegid() || slices.Contains(groups, int(st.Gid)):
			shift = 3
		}
	}
	return perm>>shift&want == want&7
}
