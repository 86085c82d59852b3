package node

import (
	"io/fs"
	"time"
)

// stat is what Stats is made from. Times are milliseconds since 1970.
type stat struct {
	Dev         uint64  `json:"dev"`
	Ino         uint64  `json:"ino"`
	Mode        uint32  `json:"mode"`
	Nlink       uint64  `json:"nlink"`
	UID         uint32  `json:"uid"`
	GID         uint32  `json:"gid"`
	Rdev        uint64  `json:"rdev"`
	Size        int64   `json:"size"`
	Blksize     int64   `json:"blksize"`
	Blocks      int64   `json:"blocks"`
	AtimeMs     float64 `json:"atimeMs"`
	MtimeMs     float64 `json:"mtimeMs"`
	CtimeMs     float64 `json:"ctimeMs"`
	BirthtimeMs float64 `json:"birthtimeMs"`
}

func statOf(info fs.FileInfo) stat {
	s := stat{
		Mode: modeBits(info.Mode()), Nlink: 1, Size: info.Size(), Blksize: 4096, Blocks: (info.Size() + 511) / 512,
	}
	s.MtimeMs = millis(info.ModTime())
	s.AtimeMs, s.CtimeMs, s.BirthtimeMs = s.MtimeMs, s.MtimeMs, s.MtimeMs
	s.fill(info.Sys())
	return s
}

func millis(t time.Time) float64 {
	return float64(t.Unix())*1000 + float64(t.Nanosecond())/1e6
}

// modeBits is the mode as Unix has it, type included.
func modeBits(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	kinds := map[string]uint32{
		"file": 0o100000, "dir": 0o040000, "link": 0o120000, "fifo": 0o010000, "socket": 0o140000, "char": 0o020000, "block": 0o060000,
	}
	bits |= kinds[kindOf(m.Type())]
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if m&flag != 0 {
			bits |= bit
		}
	}
	return bits
}
