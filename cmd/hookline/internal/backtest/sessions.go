// Package backtest fires hooks on what happened in sessions that are already on the
// machine, and counts what they would have done. The sessions are only read.
package backtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect"
)

// Session is the file of a session.
type Session struct {
	Agent, Path string
	Size        int64
	Modified    time.Time

	reader func(path string) dialect.SessionReader
}

// Archives are where the agents of the dialects keep sessions, and our own.
func Archives(list []dialect.Dialect) []dialect.Archive {
	out := []dialect.Archive{own}
	for _, d := range list {
		if d, ok := d.(dialect.Archived); ok {
			out = append(out, d.Archives()...)
		}
	}
	return out
}

// Sessions lists the sessions of archives that were written to since a time, the newest
// first. A directory that is not there has none.
func Sessions(archives []dialect.Archive, d dialect.Dirs, getenv func(string) string, since time.Time) (out []Session, err error) {
	for _, a := range archives {
		root := a.Dir(d, getenv)
		if root == "" {
			continue
		}
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || !a.Is(e.Name()) {
				return err
			}
			info, err := e.Info()
			if err == nil && !info.ModTime().Before(since) {
				out = append(out, Session{Agent: a.Agent, Path: path, Size: info.Size(), Modified: info.ModTime(), reader: a.Reader})
			}
			return err
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("look for sessions of %s: %w", a.Agent, err)
		}
	}
	slices.SortFunc(out, func(a, b Session) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return out, nil
}
