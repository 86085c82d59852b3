package session

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// LockedError says who is writing a session.
type LockedError struct {
	Path string
	// PID and Host name the process, Since says from when on. PID is 0 when the
	// holder left no note.
	PID   int
	Host  string
	Since time.Time
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("session %s is open in another process", e.Path)
	}
	return fmt.Sprintf("session %s is open in process %d on %s since %s", e.Path, e.PID, e.Host, e.Since.Local().Format(time.DateTime))
}

// holder is the note that says who holds the lock. It lies beside the lock
// file, which can't be read everywhere while it is locked.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

type lock struct {
	file *fsx.Held
	note string
}

// takeLock locks a session for writing, or says who has.
func takeLock(path string) (*lock, error) {
	note := path + ".owner"
	file, err := fsx.TryLock(path + ".lock")
	if errors.Is(err, fsx.ErrLocked) {
		e := &LockedError{Path: path}
		var h holder
		if b, err := os.ReadFile(note); err == nil && json.Unmarshal(b, &h) == nil {
			e.PID, e.Host, e.Since = h.PID, h.Host, h.Since
		}
		return nil, e
	}
	if err != nil {
		return nil, fmt.Errorf("locking session %s: %w", path, err)
	}
	host, _ := os.Hostname()
	b, err := json.Marshal(holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC()})
	if err == nil {
		err = os.WriteFile(note, b, 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking session %s: %w", path, err), file.Unlock())
	}
	return &lock{file, note}, nil
}

// release lets go of the lock. The lock file stays.
func (l *lock) release() error {
	if l == nil {
		return nil
	}
	err := os.Remove(l.note)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.file.Unlock())
}
