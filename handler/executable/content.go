package executable

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
)

// maxProgram bounds the size of a program whose content is looked at.
const maxProgram = 1 << 30

// errChanged says that a file did not hold still.
var errChanged = errors.New("the file was changed meanwhile")

// identity tells a file from another one, and from itself after a change.
type identity struct {
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime_ns"`
	Inode   uint64 `json:"inode"`
	changed int64  // the time of the last change of whatever kind, in ns
}

// content remembers the digest of a file for as long as the file is the same one.
type content struct {
	mu     sync.Mutex
	seen   identity
	digest string
}

// admit returns what the file is when it may be run.
func (c *content) admit(path string, trusted func(path, digest string) bool) (identity, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen, digest, err := look(path, c.seen, c.digest)
	if err != nil {
		return identity{}, fmt.Errorf("look at %s: %w", strconv.Quote(path), err)
	}
	c.seen, c.digest = seen, digest
	if trusted == nil || !trusted(path, digest) {
		return identity{}, &UntrustedError{Path: path, Digest: digest}
	}
	return seen, nil
}

// look returns a file's identity and the digest of its content, which is known
// already when the identity is.
func look(path string, known identity, digest string) (identity, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return identity{}, "", bareError(err)
	}
	if err := runnable(info); err != nil {
		return identity{}, "", err
	}
	if id := identify(info); digest != "" && id == known {
		return id, digest, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return identity{}, "", bareError(err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return identity{}, "", bareError(err)
	}
	if err := runnable(before); err != nil {
		return identity{}, "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return identity{}, "", bareError(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		return identity{}, "", bareError(err)
	}
	if identify(after) != identify(before) {
		return identity{}, "", errChanged
	}
	return identify(before), "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// runnable refuses what is not a program.
func runnable(info os.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() == 0:
		return errors.New("it is empty")
	case info.Size() > maxProgram:
		return fmt.Errorf("it is larger than %d bytes", maxProgram)
	}
	return nil
}

// unchanged fails when path is not the file any more that was seen.
func unchanged(path string, seen identity) error {
	info, err := os.Stat(path)
	if err == nil && identify(info) == seen {
		return nil
	}
	return fmt.Errorf("run %s: %w", strconv.Quote(path), errChanged)
}

// bareError strips the path, which the caller names.
func bareError(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
