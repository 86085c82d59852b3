package mcpproxy

import (
	"testing"
	"time"
)

func TestAStreamThatIsOfNoUseIsAskedForLessAndLess(t *testing.T) {
	at := place{delay: 20 * time.Millisecond}
	for i, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		if got := at.pause(false); got != want {
			t.Errorf("before attempt %d it waits %v", i, got)
		}
	}
	for range 100 {
		at.pause(false)
	}
	if got := at.pause(false); got != maxPause {
		t.Errorf("in the end it waits %v", got)
	}
	if got := at.pause(true); got != at.delay {
		t.Errorf("after a message it waits %v", got)
	}
	if got := at.pause(false); got != time.Second {
		t.Errorf("then it waits %v", got)
	}
	slow := place{delay: time.Hour}
	if got := slow.pause(false); got != time.Hour {
		t.Errorf("sooner than the server says, after %v", got)
	}
}
