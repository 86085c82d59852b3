package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// maxWatched bounds the files that hooks can have watched.
const maxWatched = 1000

// fileStamp is how a watched file was last seen; the zero stamp means no file.
type fileStamp struct {
	mod  time.Time
	size int64
}

// stampOf looks at a file. One that can't be looked at counts as it was.
func stampOf(path string, was fileStamp) fileStamp {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileStamp{}
	case err != nil:
		return was
	}
	return fileStamp{info.ModTime(), info.Size() + 1} // an empty file is a file
}

// watchFiles takes up the files that hooks want watched: from now on FileChanged
// fires before a turn when one of them has changed.
func (a *Agent) watchFiles(out *hook.Outcome) {
	if out.Host == nil {
		return
	}
	for _, p := range out.Host.WatchPaths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(a.cfg.Dir, p)
		}
		stamp := stampOf(p, fileStamp{})
		a.mu.Lock()
		if a.watched == nil {
			a.watched = map[string]fileStamp{}
		}
		if _, known := a.watched[p]; !known && len(a.watched) < maxWatched {
			a.watched[p] = stamp
			a.watchOrder = append(a.watchOrder, p)
		}
		a.mu.Unlock()
	}
}

// filesChanged tells hooks about watched files that have changed.
func (a *Agent) filesChanged(ctx context.Context) {
	a.mu.Lock()
	paths := a.watchOrder
	a.mu.Unlock()
	for _, p := range paths {
		a.mu.Lock()
		was := a.watched[p]
		a.mu.Unlock()
		now := stampOf(p, was)
		if now == was {
			continue
		}
		a.mu.Lock()
		a.watched[p] = now
		a.mu.Unlock()
		change := "change"
		switch {
		case now == fileStamp{}:
			change = "unlink"
		case was == fileStamp{}:
			change = "add"
		}
		a.observe(ctx, &hook.FileChanged{FilePath: p, Change: change})
	}
}
