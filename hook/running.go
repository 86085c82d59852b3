package hook

import "sync"

// running counts what an engine has started. Unlike a sync.WaitGroup it may be counted
// up while somebody waits: an event may come just as the engine is closed.
type running struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n becomes 0; nil when nobody waits
}

func (r *running) add() {
	r.mu.Lock()
	r.n++
	r.mu.Unlock()
}

func (r *running) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n--; r.n == 0 && r.none != nil {
		close(r.none)
		r.none = nil
	}
}

// wait returns a channel that is closed when nothing runs.
func (r *running) wait() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := make(chan struct{})
	if r.n == 0 {
		close(c)
		return c
	}
	if r.none == nil {
		r.none = c
	}
	return r.none
}
