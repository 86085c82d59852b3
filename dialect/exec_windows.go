package dialect

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// executableFile reports whether a file can be executed, by its extension.
func executableFile(path string, _ fs.FileInfo) bool {
	list := os.Getenv("PATHEXT")
	if list == "" {
		list = ".COM;.EXE;.BAT;.CMD"
	}
	ext := filepath.Ext(path)
	for _, e := range strings.Split(list, ";") {
		if ext != "" && strings.EqualFold(e, ext) {
			return true
		}
	}
	return false
}
