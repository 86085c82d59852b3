package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/fsx"
)

const (
	flockName  = ".lock"
	holderName = ".lock-holder"
	// maxLockTries bounds how often a directory is made that others remove again.
	maxLockTries = 1000
)

// holder says who changes a store.
type holder struct {
	PID   int       `json:"pid"`
	Op    string    `json:"op"`
	Since time.Time `json:"since"`
}

func (h holder) String() string {
	return fmt.Sprintf("%s, process %d, since %s", h.Op, h.PID, stamp(h.Since))
}

// acquire locks a plugins directory, which it makes, against every other
// process. waiting, when not nil, is called once if another one holds it. The
// returned function gives the lock back and takes the files of the lock, and
// directories that are empty, away.
func acquire(ctx context.Context, dir, op string, waiting func(holder string)) (release func(), err error) {
	for tries := 1; ; tries++ {
		if err := os.MkdirAll(dir, 0o755); errors.Is(err, fs.ErrNotExist) && tries < maxLockTries {
			continue // the last holder removed the directory above it meanwhile
		} else if err != nil {
			return nil, fmt.Errorf("making the plugins directory: %w", err)
		}
		lock, err := fsx.TryLock(lockPath(dir))
		if errors.Is(err, fsx.ErrLocked) {
			if waiting != nil {
				waiting(readHolder(dir))
				waiting = nil
			}
			lock, err = fsx.Lock(ctx, lockPath(dir))
		}
		switch {
		case err == nil:
			writeHolder(dir, op)
			return func() { releaseLock(lock, dir) }, nil
		case ctx.Err() != nil:
			return nil, &BusyError{Dir: dir, Holder: readHolder(dir), Err: context.Cause(ctx)}
		case !errors.Is(err, fs.ErrNotExist): // else the directory was removed by the last holder
			return nil, fmt.Errorf("locking %s: %w", dir, err)
		}
	}
}

func lockPath(dir string) string { return filepath.Join(dir, flockName) }

// tryAcquire is acquire that does not wait: ok is false when another process
// holds the lock or the directory is not there or not writable.
func tryAcquire(dir, op string) (release func(), ok bool) {
	lock, err := fsx.TryLock(lockPath(dir))
	if err != nil {
		return nil, false
	}
	writeHolder(dir, op)
	return func() { releaseLock(lock, dir) }, true
}

// releaseLock removes the lock's files while it is still held, so that nobody
// can take a lock that is about to vanish unseen.
func releaseLock(lock *fsx.Held, dir string) {
	_ = os.Remove(filepath.Join(dir, holderName))
	_ = os.Remove(lockPath(dir)) // refused on Windows, where it stays
	// Both succeed only for directories that hold nothing.
	if os.Remove(dir) == nil {
		_ = os.Remove(filepath.Dir(dir))
	}
	_ = lock.Unlock()
}

// writeHolder leaves a note for those who wait. It is a courtesy: an error has
// no consequence. The file is always made new, so that no link is followed.
func writeHolder(dir, op string) {
	data, err := json.Marshal(holder{PID: os.Getpid(), Op: op, Since: time.Now().UTC()})
	if err != nil {
		return
	}
	path := filepath.Join(dir, holderName)
	_ = os.Remove(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(data)
	_ = f.Close()
}

func readHolder(dir string) string {
	data, err := frontmatter.ReadRegular(filepath.Join(dir, holderName), 4<<10)
	if err != nil {
		return ""
	}
	var h holder
	if json.Unmarshal(data, &h) != nil || h.PID == 0 {
		return ""
	}
	if nameFault(h.Op) != "" {
		h.Op = "an operation"
	}
	return h.String()
}
