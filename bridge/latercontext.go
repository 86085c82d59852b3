package bridge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// laterContext keeps context that an event had no place for, until one of the same session
// has. It is a file for each session, since the next event may be another process's.
type laterContext struct{ dir string }

const (
	maxLater = 64 << 10       // bytes of a session's context; what is older gives way
	laterAge = 24 * time.Hour // after which nobody comes back for it
)

// path is the file of a session.
func (h laterContext) path(host, session string) string {
	sum := sha256.Sum256([]byte(host + "\x00" + session))
	return filepath.Join(h.dir, fmt.Sprintf("%x.json", sum[:12]))
}

// add puts context aside.
func (h laterContext) add(ctx context.Context, host, session string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return fmt.Errorf("hold context for a later event: %w", err)
	}
	return h.change(ctx, host, session, func(have []string) []string {
		have = append(have, lines...)
		for size := 0; ; size = 0 {
			for _, l := range have {
				size += len(l)
			}
			if size <= maxLater || len(have) < 2 {
				return have
			}
			have = have[1:]
		}
	})
}

// take returns the context of a session, and forgets it.
func (h laterContext) take(ctx context.Context, host, session string) (lines []string, err error) {
	if _, err := os.Stat(h.path(host, session)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	err = h.change(ctx, host, session, func(have []string) []string {
		lines = have
		return nil
	})
	return lines, err
}

func (h laterContext) change(ctx context.Context, host, session string, with func([]string) []string) (err error) {
	path := h.path(host, session)
	lock, err := fsx.Lock(ctx, filepath.Join(h.dir, "lock"))
	if err != nil {
		return fmt.Errorf("hold context for a later event: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	var have []string
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &have)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the context that is held in %s: %w", path, err)
	}
	if have = with(have); len(have) == 0 {
		return os.Remove(path)
	}
	h.prune()
	data, err = json.Marshal(have)
	if err != nil {
		return fmt.Errorf("hold context for a later event: %w", err)
	}
	return fsx.WriteFile(path, data, 0o600)
}

// prune removes the context of sessions that ended without taking it.
func (h laterContext) prune() {
	names, _ := filepath.Glob(filepath.Join(h.dir, "*.json"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > laterAge {
			_ = os.Remove(name) // the next one tries again
		}
	}
}
