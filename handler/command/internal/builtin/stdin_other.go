//go:build !linux

package builtin

import "os"

// inputFile returns a file that holds the input, at its beginning. All who read it
// share one position, as they would in a shell.
func inputFile(payload []byte) (*os.File, error) {
	if len(payload) == 0 {
		return os.Open(os.DevNull)
	}
	return tempInput(payload)
}
