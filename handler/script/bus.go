package script

import (
	"sync"
	"time"
)

// Bus connects the event buses of a host's modules: what one emits on its
// pi.events reaches the listeners of the others. A nil Bus connects nothing.
// It is safe for concurrent use.
type Bus struct {
	mu      sync.Mutex
	modules []*Module
}

func (b *Bus) add(m *Module) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.modules = append(b.modules, m)
}

func (b *Bus) remove(m *Module) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for n, other := range b.modules {
		if other == m {
			b.modules = append(b.modules[:n:n], b.modules[n+1:]...)
			return
		}
	}
}

// emit passes an event on to the other modules. It waits for none of them.
func (b *Bus) emit(from *Module, channel string, data []byte) {
	if b == nil {
		return
	}
	b.mu.Lock()
	modules := b.modules
	b.mu.Unlock()
	for _, m := range modules {
		if m != from {
			m.hear(channel, string(data))
		}
	}
}

// hear queues an event for the module's listeners. A module that is not loaded
// just then, or too busy to take it, misses it.
func (m *Module) hear(channel, data string) {
	m.mu.Lock()
	i := m.cur
	m.mu.Unlock()
	if i == nil || !i.alive() {
		return
	}
	i.heard.Store(true)
	select {
	case i.queue <- func() { i.callRT("bus", channel, data) }:
	default:
		i.report(Report{Kind: ReportIgnored, Message: "the event " + channel + " of another module came too fast"})
	}
}

// workOff lets the listeners have what was emitted before the module ended, if they do not
// take longer over it than closeWait.
func (i *instance) workOff() {
	if !i.heard.Load() || i.reentrant() {
		return
	}
	limit := time.NewTimer(closeWait)
	defer limit.Stop()
	done := make(chan struct{})
	select {
	case i.queue <- func() { close(done) }: // behind all that was queued before
	case <-i.dead:
		return
	case <-limit.C:
		return
	}
	select {
	case <-done:
	case <-i.dead:
	case <-limit.C:
	}
}
