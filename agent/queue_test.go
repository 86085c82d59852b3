package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/hook"
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
		for end := time.Now().Add(5 * time.Minute); b.a.Usage().OutputTokens <= i; time.Sleep(100 * time.Microsecond) {
			if time.Now().After(end) {
				t.Fatalf("message %d is lost", i+1)
			}
		}
	}
}

// Who waits until the agent is idle waits for a prompt too that is about to begin.
func TestWaitIdleWaitsForWhatWasWoken(t *testing.T) {
	b := newBench(t, "turns: [{text: Done., usage: {output: 1}, repeat: -1}]")
	for i := range int64(50) {
		b.a.Queue("go on", agent.FollowUp)
		b.a.Wake()
		if err := b.a.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.a.Usage().OutputTokens; got != i+1 {
			t.Fatalf("idle after %d of %d messages", got, i+1)
		}
	}
}

// A prompt that ends while it takes up messages leaves those that it did not come to.
func TestMessagesBehindAnInterruptStayQueued(t *testing.T) {
	b := newBench(t, "turns: [{text: Done., usage: {output: 1}, repeat: -1}]")
	var once sync.Once
	hook.On(b.reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
		if in.Prompt == "first" {
			once.Do(func() { b.a.Abort(errors.New("enough")) })
		}
		return hook.None(), nil
	})
	b.a.Queue("first", agent.Steer)
	b.a.Queue("second", agent.Steer)
	if _, err := b.a.Run(t.Context(), agent.Prompt{Text: "go"}); err == nil {
		t.Fatal("an interrupted prompt ended without an error")
	}
	if !b.a.HasQueued() {
		t.Fatal("the second message is lost")
	}
	b.a.Wake()
	if err := b.a.WaitIdle(t.Context()); err != nil || b.a.HasQueued() {
		t.Fatalf("%v, still queued: %t", err, b.a.HasQueued())
	}
}

// Nothing begins any more once the agent is closed, also what was woken before.
func TestCloseEndsWhatWasWoken(t *testing.T) {
	b := newBench(t, "turns: [{text: Done., usage: {output: 1}, repeat: -1}]")
	for range 20 {
		b.a.Queue("go on", agent.FollowUp)
		b.a.Wake()
	}
	if err := b.a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	used := b.a.Usage().OutputTokens
	b.a.Wake()
	if _, err := b.a.Run(t.Context(), agent.Prompt{Text: "go"}); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if got := b.a.Usage().OutputTokens; got != used {
		t.Errorf("%d tokens after the end, %d at it", got, used)
	}
}

func TestWhatWaitsCanBeTakenBack(t *testing.T) {
	b := newBench(t, `turns: [{text: done}]`)
	b.a.Queue("one", agent.Steer)
	b.a.QueueNote("a note", agent.Steer)
	b.a.Queue("two", agent.FollowUp)
	b.a.QueueNote("another", agent.Steer)
	if got := b.a.Waiting(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("waiting: %q", got)
	}
	for _, want := range []string{"two", "one", ""} {
		if got, ok := b.a.TakeBack(); got != want || ok != (want != "") {
			t.Errorf("took back %q, want %q", got, want)
		}
	}
	if !b.a.HasQueued() {
		t.Error("the notes are gone too")
	}
}

// A message for the next prompt wakes nobody, and stands behind what the person says.
func TestWhatWaitsForTheNextPromptStandsBehindIt(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	later := agent.CustomMessage{CustomType: "n", Content: []byte(`"later"`)}
	hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
		b.a.QueueCustom(later, agent.NextPrompt)
		return hook.None(), nil
	})
	b.prompt("first")
	b.a.Wake()
	if err := b.a.WaitIdle(t.Context()); err != nil || b.a.HasQueued() {
		t.Fatalf("%v, it counts as queued: %t", err, b.a.HasQueued())
	}
	b.prompt("second")
	texts := b.model.texts()
	if len(texts) != 3 {
		t.Fatalf("%d calls of the model, want 3", len(texts))
	}
	expect(t, texts[1], "!later")
	expect(t, texts[2], "user: second\nuser: later")
}

// What an AgentEnd hook puts in is worked on before the prompt is over.
func TestAgentEndHooksPutInMessages(t *testing.T) {
	b := newBench(t, "turns: [{text: one}, {text: two}]")
	var once sync.Once
	hook.On(b.reg, func(context.Context, *hook.AgentEnd) (hook.Result, error) {
		once.Do(func() { b.a.QueueNote("one thing more", agent.Steer) })
		return hook.None(), nil
	})
	if res := b.prompt("go"); res.Turns != 2 || res.Text != "two" {
		t.Errorf("%+v", res)
	}
	expect(t, b.model.texts()[1], "user: one thing more")
}

// Where the agent stays, the model is told of hooks of a new directory that failed or said no.
func TestTheModelHearsOfFailedHooksOfADirectory(t *testing.T) {
	two, one := 2, 1
	for _, test := range []struct {
		name     string
		code     *int
		err      error
		stays    bool
		requests int
	}{
		{"silence", nil, nil, true, 0},
		{"exit 1 with an answer", &one, nil, true, 0},
		{"exit 2", &two, nil, true, 1},
		{"a failure", nil, errors.New("it is broken"), true, 1},
		{"an agent that ends", &two, nil, false, 0},
	} {
		b := newBench(t, talk, func(_ *bench, cfg *agent.Config) { cfg.Rewake = test.stays })
		answer := hook.HandlerFunc(func(_ context.Context, c *hook.Call) (hook.Result, error) {
			c.Report = &hook.Report{ExitCode: test.code}
			return hook.None(), test.err
		})
		if _, err := b.reg.Add(hook.Registration{Event: hook.EventDirectoryAdded, Name: "watch", Handler: answer}); err != nil {
			t.Fatal(err)
		}
		if err := b.a.DirectoryAdded(t.Context(), "/side", "slash_command"); err != nil {
			t.Fatal(err)
		}
		if err := b.a.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := b.model.texts()
		if len(got) != test.requests || len(got) == 1 && !strings.Contains(got[0], "/side") {
			t.Errorf("%s: the model was told %q", test.name, got)
		}
	}
}
