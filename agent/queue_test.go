package agent_test

import (
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent"
)

// A message that wakes the agent is not lost to somebody who looks whether it is idle
// at that moment.
func TestNoMessageIsLostToWhoeverWaits(t *testing.T) {
	const messages = 30
	b := newBench(t, "turns: [{text: Done., usage: {output: 1}, repeat: -1}]")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = b.a.WaitIdle(t.Context())
				}
			}
		})
	}
	defer wg.Wait()
	defer close(stop)
	for i := range int64(messages) {
		b.a.Queue("go on", agent.FollowUp)
		b.a.Wake()
		for end := time.Now().Add(30 * time.Second); b.a.Usage().OutputTokens <= i; time.Sleep(100 * time.Microsecond) {
			if time.Now().After(end) {
				t.Fatalf("message %d is lost", i+1)
			}
		}
	}
}
