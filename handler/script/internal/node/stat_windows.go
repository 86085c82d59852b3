package node

import (
	"syscall"
	"time"
)

func (s *stat) fill(sys any) {
	st, ok := sys.(*syscall.Win32FileAttributeData)
	if !ok {
		return
	}
	s.AtimeMs = millis(time.Unix(0, st.LastAccessTime.Nanoseconds()))
	s.BirthtimeMs = millis(time.Unix(0, st.CreationTime.Nanoseconds()))
}
