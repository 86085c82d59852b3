package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// The second interrupt ends hooks that have time left.
func TestHurryEndsHooks(t *testing.T) {
	reg := hook.NewRegistry()
	running, ended := make(chan struct{}), make(chan error, 1)
	hook.On(reg, func(ctx context.Context, _ *hook.SessionEnd) (hook.Result, error) {
		close(running)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return hook.None(), nil
	}, hook.Timeout(time.Hour))
	hurry := make(chan struct{})
	var said bytes.Buffer
	r := &agentRun{app: &app{streams: &streams{err: &said, hurry: hurry}}, Agent: &host.Agent{Host: &host.Host{Engine: hook.New(reg)}}}
	stop := r.watchHurry()
	fired := make(chan struct{})
	go func() {
		defer close(fired)
		_, _ = r.Engine.Fire(context.Background(), &hook.SessionEnd{Reason: "other"})
	}()
	<-running
	close(hurry)
	select {
	case err := <-ended:
		if !errors.Is(err, hook.ErrClosed) {
			t.Errorf("the hook was ended by %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the hook goes on")
	}
	<-fired
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "ended now") {
		t.Errorf("said %q", said.String())
	}
}
