package builtin

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// DefaultMemory is how much this process may grow while a script runs, in bytes, of
// which the script's variables are a part.
const DefaultMemory = 256 << 20

const (
	watchFirst = 20 * time.Millisecond // most scripts are over by then
	watchNext  = 10 * time.Millisecond
)

// ErrMemory says that a script took more memory than it may.
var ErrMemory = errors.New("the script took too much memory")

// watch derives a context that ends when this process grows by too much, and returns
// what watches, and the function that ends it and says how the run has failed. What the process grows by
// is not the script's alone, but a script that grows it without end is found.
func watch(ctx context.Context, limit uint64) (context.Context, *watcher, func() error) {
	if limit == 0 {
		limit = DefaultMemory
	}
	bounded, cancel := context.WithCancelCause(ctx)
	w := &watcher{cancel: cancel, limit: limit}
	w.mu.Lock()
	w.timer = time.AfterFunc(watchFirst, w.look)
	w.mu.Unlock()
	return bounded, w, func() error {
		defer cancel(nil)
		return w.end()
	}
}

type watcher struct {
	cancel context.CancelCauseFunc
	limit  uint64

	mu    sync.Mutex
	timer *time.Timer
	ended bool
	base  uint64 // at the first look

	failed error // why the run is none, nil when it is one
}

// fail ends the run, which has failed by this error if it is the first.
func (w *watcher) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failLocked(err)
}

func (w *watcher) failLocked(err error) {
	if w.failed == nil {
		w.failed = err
	}
	w.cancel(err)
}

// end ends watching and says how the run has failed.
func (w *watcher) end() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.timer.Stop()
	return w.failed
}

func (w *watcher) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	now := heap()
	if w.base == 0 {
		w.base = now
	}
	if now > w.base+w.limit {
		runtime.GC() // what is garbage does not count
		now = heap()
	}
	if now > w.base+w.limit {
		w.failLocked(fmt.Errorf("%w: %d MiB", ErrMemory, (now-w.base)>>20))
		return
	}
	w.timer.Reset(watchNext)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
