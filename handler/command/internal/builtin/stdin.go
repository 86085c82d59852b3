package builtin

import "os"

// tempInput keeps the input in a temporary file that has no name any more where the
// system has such files.
func tempInput(payload []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "hookline-stdin-")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	if err := fill(f, payload); err != nil {
		closeInput(f)
		return nil, err
	}
	return f, nil
}

// fill writes the input in place, which leaves the position at the beginning.
func fill(f *os.File, payload []byte) error {
	_, err := f.WriteAt(payload, 0)
	return err
}

// closeInput closes the file, and removes it where that could not be done before.
func closeInput(f *os.File) {
	f.Close()
	if f.Name() != "stdin" && f.Name() != os.DevNull {
		os.Remove(f.Name())
	}
}
