package registry

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json"
)

const maxKeyFile = 1 << 20

// readKeys reads a key file. A missing file holds no keys. Errors tell nothing
// of the content.
func readKeys(path string) (map[string]string, error) {
	f, err := openNonblock(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the key file: %w", err)
	}
	defer f.Close()
	if err := checkPrivate(f); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the key file: %w", err)
	}
	if len(data) > maxKeyFile {
		return nil, fmt.Errorf("the key file %s is longer than %d bytes", path, maxKeyFile)
	}
	var keys map[string]string
	if json.Unmarshal(data, &keys) != nil {
		return nil, fmt.Errorf("the key file %s is not a JSON object that maps provider names to keys", path)
	}
	return keys, nil
}

// checkPrivate refuses what is not a regular file, or may be read by others.
func checkPrivate(f *os.File) error {
	fi, err := f.Stat()
	if err != nil {
		return fmt.Errorf("looking at the key file: %w", err)
	}
	if !fi.Mode().IsRegular() {
		return fmt.Errorf("the key file %s is not a regular file", f.Name())
	}
	if othersMayRead(fi) {
		return fmt.Errorf("the key file %s has mode %04o; only its owner may read it: chmod 600 it", f.Name(), fi.Mode().Perm())
	}
	return nil
}
