package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// The keys of a terminal.
const (
	enter  = "\r"
	escape = "\x1b"
	up     = "\x1b[A"
	down   = "\x1b[B"
	ctrlC  = "\x03"
	ctrlO  = "\x0f"
)

const writes = `
turns:
  - text: "I will *write* it."
    tool_calls: [{name: Bash, input: {command: "touch written"}}]
  - text: "That is all."
`

func TestAConversation(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: \"Hello **there**.\\n\\n- one\\n- two\"}]"})
	c.wait("default · scripted")
	c.send("Hi" + enter)
	screen := c.wait("> Hi", "Hello **there**.", "• one", "• two")
	if strings.Count(screen, "Hello **there**.") != 1 {
		t.Errorf("the answer is shown more than once:\n%s", screen)
	}
}

func TestWhatIsWrittenBeforeTheAgentIsThere(t *testing.T) {
	hold := make(chan struct{})
	c := newChat(t, setup{turns: "turns: [{text: Hello.}]", settings: func(*Session) { <-hold }})
	c.wait("starting")
	c.send("early" + enter)
	c.wait("next: early")
	close(hold)
	c.wait("> early", "Hello.")
}

func TestPermissionDialog(t *testing.T) {
	for _, k := range []struct {
		keys    string
		written bool
		end     string
	}{{"1", true, "That is all."}, {enter, true, "That is all."}, {escape, false, "interrupted:"}, {"3", false, "That is all."}, {down + down + enter, false, "That is all."}} {
		var told atomic.Int32
		c := newChat(t, setup{turns: writes, hooks: func(r *hook.Registry) {
			hook.On(r, func(context.Context, *hook.PermissionDenied) (hook.Result, error) {
				told.Add(1)
				return hook.Result{}, nil
			})
			hook.On(r, func(context.Context, *hook.PostToolBatch) (hook.Result, error) {
				told.Add(1)
				return hook.Result{}, nil
			})
			hook.On(r, func(context.Context, *hook.Stop) (hook.Result, error) { told.Add(1); return hook.Result{}, nil })
		}})
		c.send("Go" + enter)
		c.ready("Allow Bash?", "command: touch written", "Yes, always: Bash(touch")
		c.send(k.keys)
		c.wait(k.end)
		if heard := told.Load() > 0; heard == (k.keys == escape) {
			t.Errorf("%q: hooks were told of what comes after a call: %v", k.keys, heard)
		}
		if _, err := os.Stat(filepath.Join(c.dir, "written")); (err == nil) != k.written {
			t.Errorf("%q: written: %v\n%s", k.keys, err, c.g.text())
		}
	}
}

func TestARefusalWithAReason(t *testing.T) {
	c := newChat(t, setup{turns: writes})
	c.send("Go" + enter)
	c.ready("Allow Bash?")
	c.send("4")
	c.wait("What should the agent do instead?")
	c.send("use a file" + enter)
	c.wait("That is all.", "use a file")
}

func TestKeysOfBeforeAreNoAnswer(t *testing.T) {
	c := newChat(t, setup{turns: writes})
	c.send("Go" + enter)
	c.wait("A question waits: Tab to answer")
	c.send("1" + "abc")
	c.wait("> 1abc") // it is in the draft
	c.send("\t")
	c.wait("Allow Bash?")
	c.wait("one moment")
	if _, err := os.Stat(filepath.Join(c.dir, "written")); err == nil {
		t.Fatal("a key that came too early was the answer")
	}
	c.ready("Allow Bash?")
	c.send("1")
	c.wait("That is all.", "> 1abc")
}

func TestInterruptAndQueue(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: never, delay: 1h}, {text: second}]"})
	c.send("first" + enter)
	c.wait("● working")
	c.send("then this" + enter)
	c.wait("next: then this")
	c.send("\x1b[1;3A") // alt-up takes it back
	c.wait("> then this")
	c.send(enter)
	c.wait("next: then this")
	c.send(ctrlC)
	if screen := c.wait("Interrupted.", "parked, enter sends it: then this"); strings.Count(screen, "nterrupted") != 1 {
		t.Errorf("an interruption is said more than once:\n%s", screen)
	}
	c.send(enter)
	c.wait("second")
}

func TestCtrlCEnds(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: ok}]"})
	c.wait("default · scripted")
	c.send("text" + ctrlC)
	c.until("an empty input", func(s string) bool { return !strings.Contains(s, "> text") })
	c.send(ctrlC)
	c.wait("ctrl-c again to end")
	c.clk.advance(2 * endWait)
	c.send(ctrlC) // too late for that one
	c.send("x")
	c.wait("> x")
	c.send(ctrlC + ctrlC + ctrlC)
	if err := <-c.over; err != nil {
		t.Error(err)
	}
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	if c.g.e.IsAltScreen() || c.g.e.CursorHidden() {
		t.Errorf("the terminal is not as it was: it got %q at the end", c.g.raw.Bytes()[max(0, c.g.raw.Len()-500):])
	}
}

func TestHistoryAndLines(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: ok, repeat: 9}]"})
	c.wait("default · scripted")
	c.send("one" + enter)
	c.wait("ok")
	c.send("a\x0ab" + up + up)
	c.wait("> one")
	c.send(down + "\x15")
	c.send("\x1b[200~pasted\nlines\x1b[201~")
	screen := c.wait("> pasted\n", "\n  lines")
	if strings.Count(screen, "ok") != 1 {
		t.Errorf("a paste was sent:\n%s", screen)
	}
}

func TestCommandsAreCompleted(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: ok}]", settings: func(s *Session) {
		s.Commands = command.New(s.Loop, command.Options{More: func() []command.Command {
			return []command.Command{{Name: "deploy-now"}, {Name: "deploy-later"}}
		}})
	}})
	c.wait("default · scripted")
	c.send("/de\t")
	c.wait("> /deploy-\n", "/deploy-now", "/deploy-later")
	c.send("n\t")
	if screen := c.wait("> /deploy-now"); strings.Contains(screen, "/deploy-later") {
		t.Errorf("what does not fit is still offered:\n%s", screen)
	}
	c.send("!")
	c.wait("> /deploy-now !") // a blank was there already
}

func TestHooksAreSeen(t *testing.T) {
	c := newChat(t, setup{turns: writes, hooks: func(r *hook.Registry) {
		hook.On(r, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
			return hook.Deny("no touching"), nil
		}, hook.Name("guard"))
		hook.On(r, func(context.Context, *hook.Notification) (hook.Result, error) { return hook.Result{}, nil }, hook.Name("bell"))
	}})
	c.send("Go" + enter)
	c.wait("⊘ blocked by PreToolUse guard: no touching", "✗ Bash touch written", "1 blocked, 0 failed", "That is all.")
	c.send("/hooks" + enter)
	c.wait("PreToolUse guard · ran 1, blocked 1, p95 ", "Notification bell\n")
	c.send(enter)
	c.wait("> 1. What it did last")
	c.send(enter)
	c.wait("PreToolUse guard: blocked after")
}

// TestWhatWasRefusedComesBack says of a prompt that a hook refused that it stands in the input
// again; a command does not: what is typed next would be its arguments.
func TestWhatWasRefusedComesBack(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: unused}]", hooks: func(r *hook.Registry) {
		hook.On(r, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) { return hook.Deny("not that"), nil })
		hook.On(r, func(context.Context, *hook.PreModelSwitch) (hook.Result, error) { return hook.Deny("no other"), nil })
	}, config: func(cfg *agent.Config) {
		cfg.Resolve = func(name string) (model.Provider, string, error) { return cfg.Model, name, nil }
	}})
	c.send("/model other" + enter)
	c.wait("The model stays: no other", "\n>\n")
	c.idle()
	c.send("tell me" + enter)
	c.wait("not that", "\n> tell me\n")
}

// TestWhatHooksChangeIsSeen has hooks that change a call, add context and keep the agent going.
func TestWhatHooksChangeIsSeen(t *testing.T) {
	c := newChat(t, setup{width: 100, height: 40, turns: "turns: [{tool_calls: [{name: Read, input: {file_path: a, limit: 3}}]}, {text: one}, {text: two}]", hooks: func(r *hook.Registry) {
		for _, to := range []string{"b", "c"} {
			hook.On(r, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
				return hook.Result{UpdatedInput: hook.RawJSON([]byte(`{"file_path":"` + to + `","limit":3,"offset":1}`))}, nil
			}, hook.Name("to-"+to))
		}
		hook.On(r, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
			return hook.Result{UpdatedInput: hook.RawJSON([]byte(`{"limit":null}`)), InputPatch: true}, nil
		}, hook.Name("whole"))
		hook.On(r, func(context.Context, *hook.PostToolUseFailure) (hook.Result, error) {
			return hook.Result{}, errors.New("disk is full")
		}, hook.Name("watch"))
		hook.On(r, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
			return hook.Result{Context: []string{"0123456789"}}, nil
		}, hook.Name("ctx.py"))
		asked := false
		hook.On(r, func(context.Context, *hook.Stop) (hook.Result, error) {
			if asked {
				return hook.Result{}, nil
			}
			asked = true
			return hook.Deny("tests fail"), nil
		}, hook.Name("tests"))
	}})
	c.send("Go" + enter)
	screen := c.wait("+ context of 10 bytes from UserPromptSubmit ctx.py",
		"✎ PreToolUse to-b changed the input: file_path: a → b, offset: 1\n",
		"✎ PreToolUse to-c changed the input: file_path: b → c\n",
		"✎ PreToolUse whole changed the input: no limit\n",
		"✗ PostToolUseFailure watch failed, not counted as agreement: disk is full",
		"↻ Stop tests has the agent go on: tests fail", "two", "1 blocked, 1 failed")
	if strings.Count(screen, "disk is full") != 1 {
		t.Errorf("a failure is said more than once:\n%s", screen)
	}
}

// TestHooksAreCounted has the counts of a hook, and how long its runs took.
func TestHooksAreCounted(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: ok}]", hooks: func(r *hook.Registry) {
		hook.On(r, func(context.Context, *hook.Stop) (hook.Result, error) { return hook.Result{}, nil }, hook.Name("tests"))
		hook.On(r, func(context.Context, *hook.SessionEnd) (hook.Result, error) { return hook.Result{}, nil }, hook.Name("bye"))
	}})
	c.wait("default · scripted")
	for i := range 300 {
		outcome := map[int]string{1: "blocked", 2: "error", 3: "cancelled"}[i]
		c.app.Observe(hook.Emission{
			Subtype: hook.HookResponse, HookEvent: hook.EventStop, Hook: &hook.Info{Name: "tests"}, Outcome: outcome, Duration: time.Duration(i+1) * time.Millisecond,
		})
	}
	c.send("/hooks" + enter)
	c.wait("← event: all (2) →", "Stop tests · ran 300, blocked 1, failed 1, cancelled 1, p95 290ms", "1. SessionEnd bye")
	c.send("\x1b[C")
	c.wait("← event: SessionEnd (1) →", "> 1. SessionEnd bye")
	c.send("2") // is not shown
	c.send("\x1b[C")
	c.wait("← event: Stop (1) →", "> 2. Stop tests")
	c.send(enter)
	c.wait("> 1. What it did last")
	c.send(escape)
	c.wait("← event: Stop (1) →") // as it was
}

func TestDialogsOfHooks(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: ok}]"})
	c.wait("default · scripted")
	answers := make(chan string, 1)
	ask := func(f func() (any, bool, error)) {
		go func() {
			v, ok, err := f()
			answers <- fmt.Sprintf("%v %v %v", v, ok, err)
		}()
	}
	d := ui.Dialog{Source: "guard.ts"}
	for _, k := range []struct {
		name, want, keys, shows string
		ask                     func() (any, bool, error)
	}{
		{"select", "1 true <nil>", down + enter, "2. beta", func() (any, bool, error) { return c.app.Select(t.Context(), "Which?", []string{"alpha", "beta"}, d) }},
		{"select by filter", "1 true <nil>", "be" + enter, "2. beta", func() (any, bool, error) { return c.app.Select(t.Context(), "Which?", []string{"alpha", "beta"}, d) }},
		{"select dismissed", "-1 false <nil>", escape, "2. beta", func() (any, bool, error) { return c.app.Select(t.Context(), "Which?", []string{"alpha", "beta"}, d) }},
		{"confirm", "true true <nil>", "y", "Sure?", func() (any, bool, error) {
			ok, err := c.app.Confirm(t.Context(), "Sure?", "of it", d)
			return ok, true, err
		}},
		{"confirm stands on no", "false true <nil>", enter, "Sure?", func() (any, bool, error) {
			ok, err := c.app.Confirm(t.Context(), "Sure?", "of it", d)
			return ok, true, err
		}},
		{"input", "abc true <nil>", "abc" + enter, "Name?", func() (any, bool, error) { return c.app.Input(t.Context(), "Name?", "yours", d) }},
		{"editor", "oldx true <nil>", "x" + enter, "Text?", func() (any, bool, error) { return c.app.Editor(t.Context(), "Text?", "old", d) }},
	} {
		ask(k.ask)
		c.ready(k.shows, "guard.ts asks")
		c.send(k.keys)
		if got := <-answers; got != k.want {
			t.Errorf("%s: %q, want %q", k.name, got, k.want)
		}
		c.until("no question", func(s string) bool { return !strings.Contains(s, "asks") })
	}
}

func TestACancelledQuestionDisappears(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: ok}]"})
	c.wait("default · scripted")
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := c.app.Confirm(ctx, "Sure?", "", ui.Dialog{})
		failed <- err
	}()
	c.wait("Sure?")
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c.until("no question", func(s string) bool { return !strings.Contains(s, "Sure?") })
}

// TestWhatAHookPrintedIsShownOnce has what a hook printed come before and after its line.
func TestWhatAHookPrintedIsShownOnce(t *testing.T) {
	for _, first := range []bool{true, false} {
		c := newChat(t, setup{turns: "turns: [{text: ok}]"})
		c.wait("default · scripted")
		printed := func() {
			c.app.OnEvent(agent.Event{Kind: agent.KindHookOutput, Source: "guard", Text: "not that\n"})
		}
		if first {
			printed()
		}
		c.app.Record(t.Context(), nil, &hook.Outcome{Event: hook.EventStop, Runs: []hook.Run{{
			Hook: &hook.Info{Name: "guard"}, Status: hook.StatusRan, Decision: hook.DecisionDeny, Reason: "not that\n",
		}}})
		if !first {
			printed()
		}
		c.app.OnEvent(agent.Event{Kind: agent.KindHookOutput, Source: "other", Text: "something else\n"})
		if screen := c.wait("⊘ blocked by Stop guard: not that", "· other: something else"); strings.Count(screen, "not that") != 1 {
			t.Errorf("first %v:\n%s", first, screen)
		}
	}
}
