package bridge

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookline-dev/hookline/dialect"
)

// askedEvery is how exact the time is at which a host asked last.
const askedEvery = time.Minute

func askedPath(state, host string) string { return filepath.Join(state, "bridge", "asked", host) }

// AskedLast is when a host last asked the hooks of this person, to the minute; false when
// it never did.
func AskedLast(state string, h *dialect.Host) (time.Time, bool) {
	info, err := os.Stat(askedPath(state, h.Name))
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

// asks puts on record that the host asked: the time of a file.
func (c *call) asks() error {
	path, now := askedPath(c.hooks.Dirs.State, c.Host), time.Now()
	info, err := os.Stat(path)
	switch {
	case err == nil && now.Sub(info.ModTime()) < askedEvery:
		return nil
	case err == nil:
		return os.Chtimes(path, now, now)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}
