//go:build linux

package process

import (
	"testing"
	"time"
)

func sleeper(t *testing.T, p *Pool) *Ahead {
	t.Helper()
	a := &Ahead{Pool: p, N: 3}
	t.Cleanup(p.Close)
	if err := a.Fill(Spec{Path: "/bin/cat", Env: []string{}}, nil); err != nil {
		t.Fatal(err)
	}
	return a
}

func becomes(t *testing.T, p *Pool, n int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); p.Waiting() != n; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d wait, want %d", p.Waiting(), n)
		}
	}
}

// TestPoolIdle proves that what waits too long is ended, and the keeper with it.
func TestPoolIdle(t *testing.T) {
	p := &Pool{Idle: 300 * time.Millisecond, tick: 20 * time.Millisecond}
	sleeper(t, p)
	becomes(t, p, 3)
	becomes(t, p, 0)
	p.mu.Lock()
	keeping := p.keeping
	p.mu.Unlock()
	if keeping {
		t.Error("the keeper of an empty pool runs on")
	}
	p.wg.Wait()
}

// TestPoolMemory bounds the memory so that one process is too many.
func TestPoolMemory(t *testing.T) {
	p := &Pool{RSS: 1, tick: 20 * time.Millisecond}
	sleeper(t, p)
	becomes(t, p, 1) // the second is refused
	p.mu.Lock()
	if rss(p.waiting[0].process.Pid()) <= 0 {
		t.Error("a process occupies nothing")
	}
	p.mu.Unlock()
	becomes(t, p, 0)
}

// TestPoolDead proves that the keeper removes what has ended by itself.
func TestPoolDead(t *testing.T) {
	p := &Pool{tick: 20 * time.Millisecond}
	a := sleeper(t, p)
	becomes(t, p, 3)
	p.mu.Lock()
	for _, w := range p.waiting {
		w.process.Kill(nil)
	}
	p.mu.Unlock()
	becomes(t, p, 0)
	if !a.givenUp(nil) {
		t.Error("three that ended before their input are not a reason to give up")
	}
}
