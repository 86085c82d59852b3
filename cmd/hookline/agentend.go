package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/ui/clean"
)

// awaitBackground waits for hooks that run in the background, so that what they are
// for is done: each for its own time, all of them for that of the flag, and no longer
// than the person wants. What they answer comes too late for the session.
func (w *wiring) awaitBackground(ctx context.Context) {
	runs := w.engine.Background()
	if len(runs) == 0 || w.flags.backgroundWait <= 0 || ctx.Err() != nil {
		return
	}
	wait, cancel := context.WithTimeout(ctx, w.flags.backgroundWait)
	defer cancel()
	hint := time.AfterFunc(2*time.Second, func() {
		w.app.warnf("Waiting for hooks in the background; Ctrl-C ends them.")
	})
	defer hint.Stop()
	var left []string
	for _, r := range runs {
		if _, err := r.Wait(wait); err != nil {
			left = append(left, clean.PlainLine(r.Hook.Name))
		}
	}
	if len(left) == 0 {
		return
	}
	why := "by Ctrl-C"
	if ctx.Err() == nil {
		why = fmt.Sprintf("after %s; --background-wait gives them more time", w.flags.backgroundWait)
	}
	w.app.warnf("Ended in the background: %s (%s).", strings.Join(left, ", "), why)
}

// watchHurry ends hooks at once when the person interrupts a second time. The function
// returned ends the watching.
func (w *wiring) watchHurry() func() error {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-w.app.hurry:
			w.app.warnf("hookline: hooks that still run are ended now")
			_ = w.engine.Close() // closing it once more says the same
		case <-stop:
		}
	}()
	return func() error {
		close(stop)
		<-ended
		return nil
	}
}
