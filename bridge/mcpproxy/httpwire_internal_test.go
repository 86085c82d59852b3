package mcpproxy

import (
	"testing"
	"time"
)

func TestAStreamThatIsOfNoUseIsAskedForLessAndLess(t *testing.T) {
	at := place{delay: 20 * time.Millisecond}
	for i, want := range []time.Duration{at.delay, time.Second, 2 * time.Second, 4 * time.Second} {
		if at.idle = i; at.pause() != want {
			t.Errorf("of no use %d times it waits %v", i, at.pause())
		}
	}
	if at.idle = 100; at.pause() != maxPause {
		t.Errorf("in the end it waits %v", at.pause())
	}
	slow := place{delay: time.Hour, idle: 1}
	if got := slow.pause(); got != time.Hour {
		t.Errorf("sooner than the server says, after %v", got)
	}
}
