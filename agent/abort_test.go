package agent

import (
	"context"
	"errors"
	"testing"
)

// TestAnAbortBetweenTakingTheAgentAndItsPromptCounts has the interruption come while the
// agent is held and its prompt has not begun.
func TestAnAbortBetweenTakingTheAgentAndItsPromptCounts(t *testing.T) {
	why := errors.New("not that one")
	a := &Agent{}
	if err := a.holder.take(); err != nil {
		t.Fatal(err)
	}
	a.Abort(why)
	begun := func() error {
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		defer a.holder.begin(cancel)()
		return context.Cause(ctx)
	}
	if err := begun(); !errors.Is(err, why) {
		t.Errorf("the prompt begins with %v", err)
	}
	a.holder.release()
	a.Abort(why) // of nothing
	if err := a.holder.take(); err != nil {
		t.Fatal(err)
	}
	defer a.holder.release()
	if err := begun(); err != nil {
		t.Errorf("the next prompt begins with %v", err)
	}
}
