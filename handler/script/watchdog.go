package script

import (
	"sync"
	"time"
)

// The escalation of a watchdog after the slice is over: the engine is
// interrupted, then refused memory, then given up together with its goroutine.
const (
	starveAfter  = 100 * time.Millisecond
	abandonAfter = 5 * time.Second
)

// patience is how many slices longer a run may take on a machine so busy that this
// process does not get the processor for one: JavaScript that waits for a processor is
// not a runaway.
const patience = 10

// watchdog bounds one uninterrupted run of JavaScript. All methods but the
// timer's own run on the goroutine that owns the engine.
type watchdog struct {
	interrupt func() // called at the end of the slice and once more later
	abandon   func() // called when that did not help
	// cpuTime reads the processor time of the process that runs the JavaScript. It is nil
	// for another process than this one: slices are not extended.
	cpuTime func() time.Duration

	mu    sync.Mutex
	timer *time.Timer
	stage int
	slice time.Duration
	until time.Time     // when the timer is due, while running
	left  time.Duration // what is left of the slice, while paused
	armed bool

	overtime time.Duration // how long the slice has been extended
	cpu      time.Duration // processor time of the process when the clock was last started
}

// start begins a slice.
func (w *watchdog) start(slice time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stage, w.overtime = 0, 0
	w.slice = slice
	w.run(slice)
}

// run has the clock go for JavaScript that begins or goes on.
func (w *watchdog) run(d time.Duration) {
	if w.cpuTime != nil {
		w.cpu = w.cpuTime()
	}
	w.arm(d)
}

func (w *watchdog) arm(d time.Duration) {
	w.armed = true
	w.until = time.Now().Add(d)
	if w.timer == nil {
		w.timer = time.AfterFunc(d, w.fire)
		return
	}
	w.timer.Reset(d)
}

// stop ends a slice and reports whether it was over budget.
func (w *watchdog) stop() (over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	w.timer.Stop()
	return w.stage > 0
}

// over reports whether the current slice is over budget.
func (w *watchdog) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stage > 0
}

// pause stops the clock while JavaScript waits inside a host call.
func (w *watchdog) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.armed && w.stage == 0 {
		w.timer.Stop()
		w.left = max(time.Until(w.until), time.Millisecond)
		w.armed = false
	}
}

// resume starts the clock again.
func (w *watchdog) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.armed && w.stage == 0 && w.left > 0 {
		w.run(w.left)
		w.left = 0
	}
}

func (w *watchdog) fire() {
	w.mu.Lock()
	if !w.armed || w.early() || w.stage == 0 && w.extend() {
		w.mu.Unlock()
		return
	}
	w.stage++
	stage := w.stage
	switch stage {
	case 1:
		w.arm(starveAfter)
	case 2:
		w.arm(abandonAfter)
	}
	w.mu.Unlock()
	if stage <= 2 {
		w.interrupt()
		return
	}
	w.abandon()
}

// early reports whether the timer was set anew while its function waited for
// the lock.
func (w *watchdog) early() bool {
	d := time.Until(w.until)
	if d <= 0 {
		return false
	}
	w.timer.Reset(d)
	return true
}

// extend gives a slice that is over another quarter while the process has not had the
// processor for as long as the slice is since JavaScript last began to run.
func (w *watchdog) extend() bool {
	if w.cpuTime == nil || w.overtime >= patience*w.slice || w.cpuTime()-w.cpu >= w.slice {
		return false
	}
	step := w.slice / 4
	w.overtime += step
	w.arm(step)
	return true
}
