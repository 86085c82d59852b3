package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// watchedFiles are the files that hooks want watched. Any goroutine may call it; it calls
// nothing of the agent's.
type watchedFiles struct {
	mu     sync.Mutex
	paths  []string
	stamps map[string]fileStamp
}

// add has a file watched from now on.
func (w *watchedFiles) add(path string) {
	stamp := stampOf(path, fileStamp{})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stamps == nil {
		w.stamps = map[string]fileStamp{}
	}
	if _, known := w.stamps[path]; !known && len(w.paths) < maxWatched {
		w.stamps[path] = stamp
		w.paths = append(w.paths, path)
	}
}

// list returns the files in the order in which they were added.
func (w *watchedFiles) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.paths
}

// changed says how a file has changed since this was asked last: add, change or unlink, ""
// for not at all.
func (w *watchedFiles) changed(path string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.stamps[path]
	now := stampOf(path, was)
	w.stamps[path] = now
	switch {
	case now == was:
		return ""
	case now == fileStamp{}:
		return "unlink"
	case was == fileStamp{}:
		return "add"
	}
	return "change"
}

// watchFiles takes up the files that hooks want watched: from now on FileChanged
// fires before a turn when one of them has changed.
func (a *Agent) watchFiles(out *hook.Outcome) {
	if out.Host == nil {
		return
	}
	for _, p := range out.Host.WatchPaths {
		a.watchFile(p)
	}
}

func (a *Agent) watchFile(path string) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.cfg.Dir, path)
	}
	a.watched.add(path)
}

// watchNamed takes up the files that matchers of FileChanged name.
func (a *Agent) watchNamed() {
	r, ok := a.cfg.Hooks.(Registrar)
	if !ok || a.depth > 0 || !a.has(hook.EventFileChanged) {
		return
	}
	for _, info := range r.Registry().Infos() {
		if info.Event != hook.EventFileChanged {
			continue
		}
		for name := range strings.SplitSeq(info.Matcher, "|") {
			if name = strings.TrimSpace(name); name != "" && name != "*" {
				a.watchFile(name)
			}
		}
	}
}

// filesChanged tells hooks about watched files that have changed.
func (a *Agent) filesChanged(ctx context.Context) {
	a.watchNamed()
	for _, p := range a.watched.list() {
		if change := a.watched.changed(p); change != "" {
			a.observe(ctx, &hook.FileChanged{FilePath: p, Change: change})
		}
	}
}
