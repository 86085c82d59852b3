package script

import (
	"testing"
	"time"
)

// A slice is over when the process has had the processor for it, or has waited for
// patience slices more: what counts is read from the watchdog, not from a clock.
func TestASliceIsLongerWhereTheProcessorIsBusy(t *testing.T) {
	const slice = 4 * time.Millisecond
	var used time.Duration
	for name, c := range map[string]struct {
		cpuTime  func() time.Duration
		overtime time.Duration
	}{
		"had the processor":       {func() time.Duration { used += slice; return used }, 0},
		"never had the processor": {func() time.Duration { return 0 }, patience * slice},
		"another process":         {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			over := make(chan time.Duration, 1)
			w := &watchdog{cpuTime: c.cpuTime, abandon: func() {}}
			w.interrupt = func() {
				select {
				case over <- w.overtime:
				default:
				}
			}
			w.start(slice)
			got := <-over
			if !w.stop() || got != c.overtime {
				t.Errorf("extended by %v, wanted %v", got, c.overtime)
			}
		})
	}
}
