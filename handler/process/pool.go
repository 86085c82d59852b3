package process

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Defaults of the zero values of a [Pool].
const (
	defaultPoolSize = 16
	defaultPoolRSS  = 512 << 20
	defaultPoolIdle = 10 * time.Minute
)

// poolTick is how often a pool looks after its processes.
const poolTick = 5 * time.Second

// errIdle is the cause of the end of a process that waited for an input which no
// longer comes.
var errIdle = errors.New("it was started ahead of its input and is not needed")

// Pool keeps processes that were started ahead of their input, for any number of
// hooks, within bounds that hold for all of them together. Set its fields before its
// first use and none after it; its methods may be called concurrently. Close it.
type Pool struct {
	// Size is how many processes may wait; 0 is 16.
	Size int
	// RSS is how much memory those that wait may occupy, in bytes; 0 is
	// 512 MiB. Beyond it the oldest are ended and none is started. Only Linux
	// tells how much a process occupies.
	RSS int64
	// Idle is how long a process waits; 0 is 10 minutes. The next run starts
	// afresh, and then one waits again.
	Idle time.Duration

	tick time.Duration // for tests; 0 is poolTick

	mu       sync.Mutex
	waiting  []*waiting // oldest first
	starting int
	keeping  bool // the keeper runs
	closed   bool
	base     context.Context
	cancel   context.CancelCauseFunc
	wg       sync.WaitGroup
}

// errPoolClosed is the cause of the end of processes that waited when their pool was
// closed.
var errPoolClosed = errors.New("the pool of processes is closed")

// Close ends the processes that wait and returns when they are gone. Those that have
// had their input go on under the context of their run. Later runs start afresh.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.open()
	all := p.waiting
	p.waiting = nil
	p.mu.Unlock()
	p.cancel(errPoolClosed)
	for _, w := range all {
		w.process.Wait()
	}
	p.wg.Wait()
}

// Waiting returns how many processes wait.
func (p *Pool) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting)
}

// open makes the context of those that wait. The lock is held.
func (p *Pool) open() {
	if p.base == nil {
		p.base, p.cancel = context.WithCancelCause(context.Background())
	}
}

// take removes the oldest process that waits for a hook, nil when there is none.
func (p *Pool) take(a *Ahead) *waiting {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.waiting, func(w *waiting) bool { return w.owner == a })
	if i < 0 {
		return nil
	}
	w := p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	return w
}

// drop ends a process that was taken and is of no use.
func (p *Pool) drop(w *waiting) {
	w.process.Kill(errIdle)
	if !p.spawn(func() { w.process.Wait() }) {
		w.process.Wait()
	}
}

// reserve says whether one more process may be started for a hook that wants n.
func (p *Pool) reserve(a *Ahead, n int) bool {
	memory := p.memory()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open()
	if p.closed || len(p.waiting)+p.starting >= orDefault(p.Size, defaultPoolSize) {
		return false
	}
	own := a.starting
	for _, w := range p.waiting {
		if w.owner == a {
			own++
		}
	}
	if own >= n || memory >= orDefault(p.RSS, defaultPoolRSS) {
		return false
	}
	a.starting++
	p.starting++
	return true
}

// put takes over a process that was started after reserve; nil when it was not. It
// reports false when the pool has no use for it any more.
func (p *Pool) put(a *Ahead, w *waiting) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	a.starting--
	p.starting--
	if w == nil || p.closed {
		return false
	}
	p.waiting = append(p.waiting, w)
	if !p.keeping {
		p.keeping = true
		p.wg.Go(p.keep)
	}
	return true
}

// spawn runs fn in a goroutine that Close waits for, and reports false when the pool
// is closed.
func (p *Pool) spawn(fn func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.open()
	p.wg.Go(fn)
	return true
}

// keep looks after the processes for as long as there are any.
func (p *Pool) keep() {
	ticker := time.NewTicker(orDefault(p.tick, poolTick))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-p.base.Done():
			return
		}
		useless, more := p.sweep(time.Now())
		for _, w := range useless {
			w.process.Kill(errIdle)
			w.process.Wait()
		}
		if !more {
			return
		}
	}
}

// sweep removes the processes that have ended, waited too long or are too many for
// the memory that they may occupy, and returns them. Without any left the keeper is
// to end.
func (p *Pool) sweep(now time.Time) (useless []*waiting, more bool) {
	over := p.memory() - orDefault(p.RSS, defaultPoolRSS)
	p.mu.Lock()
	defer p.mu.Unlock()
	idle := orDefault(p.Idle, defaultPoolIdle)
	p.waiting = slices.DeleteFunc(p.waiting, func(w *waiting) bool {
		gone := w.process.ended()
		if gone || w.out.spoke() {
			w.owner.failed(w)
		} else if now.Sub(w.since) < idle {
			return false
		}
		useless = append(useless, w)
		return true
	})
	for over > 0 && len(p.waiting) > 0 {
		over -= max(rss(p.waiting[0].process.Pid()), 1)
		useless = append(useless, p.waiting[0])
		p.waiting = slices.Delete(p.waiting, 0, 1)
	}
	p.keeping = len(p.waiting) > 0
	return useless, p.keeping
}

// memory returns how much those that wait occupy. Whoever takes one does not wait for
// that to be found out.
func (p *Pool) memory() (sum int64) {
	p.mu.Lock()
	all := slices.Clone(p.waiting)
	p.mu.Unlock()
	for _, w := range all {
		if !w.process.ended() {
			sum += rss(w.process.Pid())
		}
	}
	return sum
}

func orDefault[T int | int64 | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}
