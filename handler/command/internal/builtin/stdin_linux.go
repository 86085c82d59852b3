package builtin

import (
	"os"

	"golang.org/x/sys/unix"
)

// inputFile returns a file that holds the input, at its beginning. All who read it
// share one position, as they would in a shell; and it is memory only.
func inputFile(payload []byte) (*os.File, error) {
	if len(payload) == 0 {
		return os.Open(os.DevNull)
	}
	fd, err := unix.MemfdCreate("stdin", unix.MFD_CLOEXEC)
	if err != nil {
		return tempInput(payload)
	}
	f := os.NewFile(uintptr(fd), "stdin")
	if err := fill(f, payload); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
