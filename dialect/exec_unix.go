//go:build unix

package dialect

import "io/fs"

// executableFile reports whether a file can be executed.
func executableFile(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o111 != 0 }
