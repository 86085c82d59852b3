package hook_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/hook"
)

// liveSession is a host's session.
type liveSession struct {
	hook.Metadata
	messages []hook.Message
}

func (s *liveSession) ID() string                         { return "live" }
func (s *liveSession) Turn() int                          { return 3 }
func (s *liveSession) Messages() []hook.Message           { return s.messages }
func (s *liveSession) SetMessages(m []hook.Message) error { s.messages = m; return nil }
func (s *liveSession) SetMetadata(key string, v any)      { s.Set(key, v) }

type session struct{ *liveSession }

func (s session) Metadata(key string) (any, bool) { return s.Get(key) }

func TestHookReachesTheLiveSession(t *testing.T) {
	live := session{&liveSession{messages: []hook.Message{hook.UserMessage("secret"), hook.UserMessage("fine")}}}
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in pre) (hook.Result, error) {
		s := in.Session()
		if s.ID() != "live" || s.Turn() != 3 {
			t.Errorf("session %v", s)
		}
		in.SetMetadata("seen", len(s.Messages()))
		return hook.None(), s.SetMessages(s.Messages()[1:])
	})
	in := bash("ls")
	in.Live = live
	fire(t, engine(t, reg), in)
	if v, ok := live.Get("seen"); !ok || v != 2 || len(live.messages) != 1 {
		t.Errorf("metadata %v %v, %d messages", v, ok, len(live.messages))
	}
}

func TestMetadataPassesBetweenHooksWithoutASession(t *testing.T) {
	for _, timeout := range []time.Duration{0, time.Minute} { // in the caller's goroutine and in its own
		reg := hook.NewRegistry()
		hook.On(reg, func(_ context.Context, in pre) (hook.Result, error) {
			if in.Session() != nil {
				t.Error("there is a session")
			}
			in.SetMetadata("k", "v")
			return hook.None(), nil
		}, hook.Timeout(timeout))
		var got any
		hook.On(reg, func(_ context.Context, in pre) (hook.Result, error) {
			got, _ = in.Metadata("k")
			return hook.None(), nil
		}, hook.Timeout(timeout))
		in := bash("ls")
		fire(t, engine(t, reg), in)
		if v, _ := in.Metadata("k"); got != "v" || v != "v" {
			t.Errorf("hook saw %v, caller sees %v", got, v)
		}
	}
}

func TestContextMessagesAreChained(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.Context) (hook.Result, error) {
		in.Messages[0].Content = hook.RawJSON(`"changed in place"`)
		return hook.None(), nil
	})
	hook.On(reg, func(_ context.Context, in *hook.Context) (hook.Result, error) {
		return hook.Result{Messages: append(in.Messages, hook.UserMessage("added"))}, nil
	}, hook.Timeout(time.Minute))
	given := []hook.Message{hook.UserMessage("one")}
	in := &hook.Context{Messages: given}
	out := fire(t, engine(t, reg), in)
	var texts []string
	for _, m := range out.Messages {
		texts = append(texts, m.Text())
	}
	if d := cmp.Diff([]string{"changed in place", "added"}, texts); d != "" {
		t.Error(d)
	}
}

func TestSessionOperations(t *testing.T) {
	reg := hook.NewRegistry()
	first, second := &hook.Compaction{Summary: "first"}, &hook.Compaction{Summary: "second"}
	hook.On(reg, func(context.Context, *hook.PreCompact) (hook.Result, error) {
		return hook.Result{Compaction: first}, nil
	})
	hook.On(reg, func(context.Context, *hook.PreCompact) (hook.Result, error) {
		return hook.Result{Compaction: second}, nil
	})
	hook.On(reg, func(context.Context, *hook.SessionBeforeSwitch) (hook.Result, error) {
		return hook.Result{Cancel: true}, nil
	})
	ran := false
	hook.On(reg, func(context.Context, *hook.SessionBeforeSwitch) (hook.Result, error) {
		ran = true
		return hook.None(), nil
	})
	hook.On(reg, func(context.Context, *hook.SessionBeforeTree) (hook.Result, error) { return hook.Deny("stay"), nil })
	inject := func(text string) func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
			return hook.Result{Inject: &hook.CustomMessage{CustomType: text}}, nil
		}
	}
	hook.On(reg, inject("one"))
	hook.On(reg, inject("two"))
	e := engine(t, reg)
	if out := fire(t, e, &hook.PreCompact{}); out.Compaction != second || out.Blocked() {
		t.Errorf("compaction: the last should win: %+v", out.Compaction)
	}
	if out := fire(t, e, &hook.SessionBeforeSwitch{}); !out.Cancel || out.Decision != hook.DecisionDeny || ran {
		t.Errorf("cancel %v, decision %v, next hook ran %v", out.Cancel, out.Decision, ran)
	}
	if out := fire(t, e, &hook.SessionBeforeTree{}); !out.Cancel || out.Reason != "stay" {
		t.Errorf("a deny should cancel: %+v", out)
	}
	if out := fire(t, e, &hook.UserPromptSubmit{}); len(out.Inject) != 2 || out.Inject[0].CustomType != "one" || out.Inject[1].CustomType != "two" || out.Result().Inject.CustomType != "one" {
		t.Errorf("all injected messages should be kept, in order: %+v", out.Inject)
	}
}
