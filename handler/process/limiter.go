package process

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limiter bounds how many processes run at once. It has two queues: those who
// wait urgently (a guard that a decision depends on) go before all others, each
// queue in order of arrival. A nil Limiter has no bound.
type Limiter struct {
	mu     sync.Mutex
	free   int
	urgent []chan struct{}
	others []chan struct{}
}

// NewLimiter returns a Limiter of n places; n below 1 counts as 1.
func NewLimiter(n int) *Limiter { return &Limiter{free: max(n, 1)} }

// Urgency says who gets a place that becomes free.
type Urgency bool

// What is urgent comes before all that can wait.
const (
	CanWait Urgency = false
	Urgent  Urgency = true
)

// Acquire waits for a place. It returns how long that took and the function
// that gives the place back, to be called once; later calls do nothing. The
// error is the cause of a context that ended first.
func (l *Limiter) Acquire(ctx context.Context, u Urgency) (release func(), waited time.Duration, err error) {
	if l == nil {
		return func() {}, 0, nil
	}
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	l.mu.Lock()
	if l.free > 0 {
		l.free--
		l.mu.Unlock()
		return (&place{l: l}).release, 0, nil
	}
	queue := &l.others
	if u == Urgent {
		queue = &l.urgent
	}
	turn := make(chan struct{})
	*queue = append(*queue, turn)
	l.mu.Unlock()

	began := time.Now()
	select {
	case <-turn:
		return (&place{l: l}).release, time.Since(began), nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(*queue, turn); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	} else {
		l.passOn() // the place came at the same moment
	}
	return nil, time.Since(began), context.Cause(ctx)
}

// place is a place that was taken.
type place struct {
	l     *Limiter
	given atomic.Bool
}

// release gives the place back, once.
func (p *place) release() {
	if p.given.Swap(true) {
		return
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	p.l.passOn()
}

// passOn gives a place to the next in line. The lock is held.
func (l *Limiter) passOn() {
	for _, queue := range []*[]chan struct{}{&l.urgent, &l.others} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = slices.Delete(*queue, 0, 1)
			return
		}
	}
	l.free++
}
