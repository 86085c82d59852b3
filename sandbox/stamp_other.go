//go:build !linux

package sandbox

import "io/fs"

// removed is not known here.
func removed(fs.FileInfo) bool { return false }

func stampOf(fs.FileInfo) stamp { return stamp{} }
