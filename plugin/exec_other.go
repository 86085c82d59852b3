//go:build !unix

package plugin

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	openNonblock = 0
	openNoFollow = 0
)

// keepsExecutableBit says that files have no executable bit here.
const keepsExecutableBit = false

// isExecutable reports whether a regular file is a program: by PATHEXT.
func isExecutable(name string, _ fs.FileMode) bool {
	list := os.Getenv("PATHEXT")
	if list == "" {
		list = ".COM;.EXE;.BAT;.CMD"
	}
	ext := filepath.Ext(name)
	for known := range strings.SplitSeq(list, ";") {
		if ext != "" && strings.EqualFold(ext, known) {
			return true
		}
	}
	return false
}
