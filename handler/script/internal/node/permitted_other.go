//go:build !unix

package node

import "io/fs"

const unlinkDirCode = "EPERM"

// permitted knows one permission here: a file may be read-only.
func permitted(info fs.FileInfo, want int) bool {
	return want&2 == 0 || info.IsDir() || info.Mode().Perm()&0o200 != 0
}
