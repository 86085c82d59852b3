//go:build !unix

package registry

import (
	"io/fs"
	"os"
)

func openNonblock(path string) (*os.File, error) { return os.Open(path) }

// othersMayRead knows nothing where modes do not say who may read a file.
func othersMayRead(fs.FileInfo) bool { return false }
