package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// fileWatch waits for changes of files, and for new ones in some directories. It watches
// the directories of all, since editors replace a file by another one.
type fileWatch struct {
	watcher *fsnotify.Watcher
	files   []string
	dirs    []string // in which a new name counts
	seen    [sha256.Size]byte
}

func newFileWatch() (*fileWatch, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	return &fileWatch{watcher: w}, nil
}

func (w *fileWatch) close() error { return w.watcher.Close() }

// set adds files to wait for, and says in which directories new ones count; what is in all of
// them now is what the next change is measured by. No file is forgotten: a settings file that
// is half written names no hooks, and is itself what the next change is in.
func (w *fileWatch) set(files, dirs []string) error {
	w.dirs = dirs
	w.files = append(w.files, files...)
	slices.Sort(w.files)
	w.files = slices.Compact(w.files)
	for _, f := range w.files {
		dirs = append(dirs, filepath.Dir(f))
	}
	for _, dir := range dirs {
		if err := w.watcher.Add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("watch %s: %w", dir, err)
		}
	}
	w.seen = w.content()
	return nil
}

// hookFiles are the files that the hooks of a directory are made of.
func (w *workspace) hookFiles() []string {
	var out []string
	for i := range w.Set().Hooks {
		if h := &w.Set().Hooks[i]; filepath.IsAbs(h.Path) {
			out = append(append(out, h.Path), h.Artifact.Files...)
		}
	}
	return out
}

// newFileDirs are the directories in which a new file may be a hook of the project or, beside
// the given tests, a test.
func (w *workspace) newFileDirs(tests []string) []string {
	own := filepath.Join(w.Dirs.Project, ".hookline")
	dirs := []string{own, filepath.Join(w.Dirs.Project, ".claude")}
	entries, _ := os.ReadDir(own) // none before it is there
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(own, e.Name()))
		}
	}
	for _, f := range tests {
		dirs = append(dirs, filepath.Dir(f))
	}
	slices.Sort(dirs)
	return slices.Clip(slices.Compact(dirs))
}

// content is a digest of all files; one that cannot be read counts by that. Of the directories
// it has the names, without those that editors give to their own files.
func (w *fileWatch) content() (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, f := range w.files {
		data, err := os.ReadFile(f)
		fmt.Fprintf(h, "%q %v %d\n", f, err, len(data))
		h.Write(data)
	}
	for _, dir := range w.dirs {
		entries, _ := os.ReadDir(dir) // one that is gone has no names
		for _, e := range entries {
			if name := e.Name(); name[0] != '.' && !strings.HasSuffix(name, "~") {
				fmt.Fprintf(h, "%q\n", filepath.Join(dir, name))
			}
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// settle is how long files have to stay as they are before a change counts: an editor
// writes in several steps.
const settle = 50 * time.Millisecond

// wait returns when the content of the files has changed, or with the error of the context.
func (w *fileWatch) wait(ctx context.Context) error {
	quiet := time.NewTimer(0) // what changed before the directories were watched counts too
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err, ok := <-w.watcher.Errors:
			if !ok || !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watch files: %w", err)
			}
			quiet.Reset(settle)
		case <-w.watcher.Events:
			quiet.Reset(settle)
		case <-quiet.C:
			if w.content() != w.seen {
				return nil
			}
		}
	}
}

// again does something, and again after each change, until the context ends.
func (a *app) again(ctx context.Context, watch *fileWatch, do func() error) error {
	for {
		err := do()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(watch.files) == 0 {
			return err // there is nothing to wait for
		}
		if _, print := exitCode(err); print {
			a.warnf("error: %s", err) // a file that is half written, perhaps
		}
		a.warnf("Waiting for changes of %s; an interrupt ends it.", count(len(watch.files), "file", "files"))
		if err := watch.wait(ctx); err != nil {
			return err
		}
		a.printf("\n")
	}
}
