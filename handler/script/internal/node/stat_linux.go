package node

import (
	"syscall"
	"time"
)

func (s *stat) fill(sys any) {
	st, ok := sys.(*syscall.Stat_t)
	if !ok {
		return
	}
	s.Dev, s.Ino, s.Nlink, s.UID, s.GID, s.Rdev = uint64(st.Dev), st.Ino, uint64(st.Nlink), st.Uid, st.Gid, uint64(st.Rdev)
	s.Blksize, s.Blocks = int64(st.Blksize), st.Blocks
	s.AtimeMs = millis(time.Unix(st.Atim.Unix()))
	s.CtimeMs = millis(time.Unix(st.Ctim.Unix()))
	s.BirthtimeMs = min(s.CtimeMs, s.MtimeMs)
}
