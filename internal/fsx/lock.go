package fsx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked is the error of a lock that somebody else holds.
var ErrLocked = errors.New("somebody else holds the lock")

const (
	lockPoll = time.Millisecond
	// maxLockTries bounds how often a lock is taken whose file was removed meanwhile.
	maxLockTries = 1000
)

// Held is a lock that is held until Unlock, or until the process ends. It excludes
// other processes and other holders in this one.
type Held struct{ file *flock.Flock }

// Lock takes the lock of a file, which is made, with mode 0600, and is not a link. It
// waits until the context ends and then returns the context's error; one that is free is
// taken even then, since on a busy machine the time can be over before the first look. A
// holder may remove the file before Unlock: what is held is always the file at the path.
func Lock(ctx context.Context, path string) (*Held, error) {
	return take(path, func(f *flock.Flock) (bool, error) {
		if ok, err := f.TryLock(); ok || err != nil {
			return ok, err
		}
		return f.TryLockContext(ctx, lockPoll)
	})
}

// TryLock is Lock that does not wait but returns [ErrLocked].
func TryLock(path string) (*Held, error) { return take(path, (*flock.Flock).TryLock) }

// TryShare is TryLock of a lock that others may share and nobody may take by Lock.
func TryShare(path string) (*Held, error) { return take(path, (*flock.Flock).TryRLock) }

func take(path string, try func(*flock.Flock) (bool, error)) (*Held, error) {
	for range maxLockTries {
		f := flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow))
		ok, err := try(f)
		if err == nil && !ok {
			err = ErrLocked
		}
		if err != nil {
			_ = f.Close()
			return nil, err
		}
		if current(f) {
			return &Held{f}, nil
		}
		_ = f.Close() // removed after we opened it: it excludes nobody
	}
	return nil, fmt.Errorf("locking %s: another file is there each time", path)
}

// current reports whether the file that is locked is the one at its path.
func current(f *flock.Flock) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Path())
	return err == nil && os.SameFile(mine, there)
}

// Unlock gives the lock back. The file stays.
func (h *Held) Unlock() error { return h.file.Close() }
