package frontmatter

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// ReadRegular reads a regular file of at most limit bytes. It never blocks on
// a pipe, and follows a symlink; one that leads nowhere
// is not a file that is not there. A file of another type or a larger one gives an *[diag.Diagnostic].
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, fsx.LinkFault(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &diag.Diagnostic{Path: path, Message: "not a regular file but " + describe(info.Mode()), Remedy: "replace it by a plain file"}
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if int64(len(data)) > limit {
		return nil, &diag.Diagnostic{Path: path, Message: fmt.Sprintf("the file is larger than %d KiB", limit>>10), Remedy: "make it shorter"}
	}
	return data, nil
}

func describe(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
