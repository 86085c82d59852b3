package node

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// A watch is fs.watch: it is opened synchronously, so that no event is lost,
// and then read until it is closed.
type watch struct {
	watcher   *fsnotify.Watcher
	base      string // what names are relative to
	single    string // the only file of interest, or empty
	recursive bool
	close     sync.Once
}

type watchEvent struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

func (p *Primitives) addWatchOps(ops map[string]operation) {
	ops["node.fs.watchOpen"] = op(p.watchOpen)
	ops["node.fs.watch"] = eventOp(p.watchRun)
}

func (p *Primitives) watchOpen(_ context.Context, a struct {
	Path      string
	Recursive bool
},
) (any, error) {
	var w *watch
	err := p.at(a.Path, access{call: "watch", follow: true}, func(where place) error {
		info, err := where.fs.Stat(where.rel)
		if err != nil {
			return err
		}
		// The watcher takes a name; it must lead where the grant says.
		real, err := filepath.EvalSymlinks(where.abs)
		if err != nil {
			return err
		}
		if _, ok := p.readRoots.find(real); !ok {
			return denied("read:"+real, real)
		}
		w, err = newWatch(real, info.IsDir(), a.Recursive)
		return err
	})
	if err != nil {
		return nil, err
	}
	id, ok := register(p, p.watches, w)
	if !ok {
		w.stop()
		return nil, errClosed
	}
	return id, nil
}

func newWatch(path string, isDir, recursive bool) (*watch, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watch{watcher: watcher, base: path, recursive: recursive && isDir}
	if !isDir {
		// The folder is watched, since editors replace a file by renaming.
		w.base, w.single = filepath.Dir(path), filepath.Base(path)
	}
	if w.recursive {
		err = w.addTree(path)
	} else {
		err = watcher.Add(w.base)
	}
	if err != nil {
		w.stop()
		return nil, err
	}
	return w, nil
}

// addTree watches a folder and those below it; links are not followed.
func (w *watch) addTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return err
			}
			return nil // gone again
		}
		if d.IsDir() {
			return w.watcher.Add(path)
		}
		return nil
	})
}

func (w *watch) stop() {
	w.close.Do(func() { _ = w.watcher.Close() })
}

func (p *Primitives) watchRun(ctx context.Context, a struct{ ID int }, emit func(any)) (any, error) {
	w, ok := lookup(p, p.watches, a.ID)
	if !ok {
		return nil, newErrno("EBADF", "watch", "")
	}
	defer func() {
		take(p, p.watches, a.ID)
		w.stop()
	}()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case err, ok := <-w.watcher.Errors:
			if !ok {
				return nil, nil
			}
			return nil, systemError(err, "watch", w.base, "")
		case event, ok := <-w.watcher.Events:
			if !ok {
				return nil, nil
			}
			w.report(event, emit)
		}
	}
}

// report translates one event; a write is "change", all else that alters the
// list of names is "rename".
func (w *watch) report(event fsnotify.Event, emit func(any)) {
	name, err := filepath.Rel(w.base, event.Name)
	if err != nil || name == "." || strings.HasPrefix(name, "..") {
		name = filepath.Base(event.Name)
	}
	if w.single != "" && name != w.single {
		return
	}
	if w.recursive && event.Has(fsnotify.Create) {
		_ = w.addTree(event.Name) // a file, or gone already: nothing to watch
	}
	switch {
	case event.Has(fsnotify.Create), event.Has(fsnotify.Remove), event.Has(fsnotify.Rename):
		emit(watchEvent{"rename", name})
	case event.Has(fsnotify.Write), event.Has(fsnotify.Chmod):
		emit(watchEvent{"change", name})
	}
}

func (p *Primitives) closeWatches() {
	for _, w := range takeAll(p, p.watches) {
		w.stop()
	}
}
