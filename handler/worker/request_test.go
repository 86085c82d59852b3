package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// person answers dialogs; it takes its time.
type person struct {
	ui.None
	takes   time.Duration
	notices chan string
}

func (p *person) HasUI() bool { return true }

func (p *person) wait(ctx context.Context) error {
	select {
	case <-time.After(p.takes):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *person) Confirm(ctx context.Context, title, message string, d ui.Dialog) (bool, error) {
	return title == "Sure?" && message == "really" && d.Source != "", p.wait(ctx)
}

func (p *person) Select(ctx context.Context, _ string, choices []string, _ ui.Dialog) (int, bool, error) {
	return len(choices) - 1, len(choices) > 0, p.wait(ctx)
}

func (p *person) Input(ctx context.Context, _, placeholder string, _ ui.Dialog) (string, bool, error) {
	return "typed " + placeholder, true, p.wait(ctx)
}

func (p *person) Notify(message string, l ui.Level) {
	if p.notices != nil {
		p.notices <- string(l) + " " + message
	}
}

// session is a session with one message.
type session struct{ hook.Session }

func (session) Messages() []hook.Message { return []hook.Message{hook.UserMessage("hi")} }
func (session) Metadata(key string) (any, bool) {
	return map[string]int{"n": 1}, key == "known"
}

func fireIn(t *testing.T, e *hook.Engine, s hook.Session, cmd string) hook.Outcome {
	t.Helper()
	in := bash(cmd)
	in.Live = s
	out, err := e.Fire(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRequests(t *testing.T) {
	s := spec("single")
	p := &person{notices: make(chan string, 1)}
	s.Host = worker.Local{Person: p, Env: s.Env}
	e := engine(t, start(t, s))
	for _, tc := range []struct{ ask, want string }{
		{`"method":"ui.confirm","params":{"title":"Sure?","message":"really"}`, `{"error":"","value":true}`},
		{`"method":"ui.confirm","params":{"title":"Sure?"}`, `{"error":"","value":false}`},
		{`"method":"ui.select","params":{"title":"Which?","options":["a","b"]}`, `{"error":"","value":"b"}`},
		{`"method":"ui.select","params":{"title":"Which?"}`, `{"error":"","value":null}`},
		{`"method":"ui.input","params":{"title":"Name?","placeholder":"x"}`, `{"error":"","value":"typed x"}`},
		{`"method":"ui.notify","params":{"message":"n","level":"warning"}`, `{"error":"","value":null}`},
		{`"method":"ui.notify","params":{"massage":"n"}`, `unknown object member name`},
		{`"method":"session.messages"`, `{"error":"","value":[{"content":"hi","role":"user"}]}`},
		{`"method":"session.metadata","params":{"key":"known"}`, `{"error":"","value":{"n":1}}`},
		{`"method":"session.metadata","params":{"key":"other"}`, `{"error":"","value":null}`},
		{`"method":"session.delete"`, `unknown method`},
		{`"method":"exec","params":{"command":"no-such-program-anywhere"}`, `not found`},
	} {
		out := fireIn(t, e, session{}, "ask "+tc.ask)
		if len(out.Context) != 1 || !strings.Contains(out.Context[0], tc.want) {
			t.Errorf("%s: %q, error %v", tc.ask, out.Context, out.Runs[0].Err)
		}
	}
	select {
	case got := <-p.notices:
		if got != "warning n" {
			t.Errorf("notice %q", got)
		}
	default:
		t.Error("there was no notice")
	}
}

func TestRequestsOfNobody(t *testing.T) {
	e := engine(t, start(t, spec("single")))
	for ask, want := range map[string]string{
		`"method":"ui.confirm","params":{"title":"Sure?"}`: `{"error":"","value":false}`,
		`"method":"ui.input","params":{"title":"Name?"}`:   `{"error":"","value":null}`,
		`"method":"ui.notify","params":{"message":"n"}`:    `{"error":"","value":null}`,
		`"method":"exec","params":{"command":"true"}`:      `not supported by this host: exec`,
		`"method":"session.messages"`:                      `this host offers no session`,
	} {
		if out := fire(t, e, "ask "+ask); len(out.Context) != 1 || !strings.Contains(out.Context[0], want) {
			t.Errorf("%s: %q, error %v", ask, out.Context, out.Runs[0].Err)
		}
	}
}

// TestPersonStopsTheClock: a hook that waits for a person has no deadline meanwhile.
func TestPersonStopsTheClock(t *testing.T) {
	s := spec("single")
	s.Host = worker.Local{Person: &person{takes: 600 * time.Millisecond}}
	e := engine(t, start(t, s), within(250*time.Millisecond))
	out := fire(t, e, `ask "method":"ui.confirm","params":{"title":"Sure?","message":"really"}`)
	if !slices.Equal(out.Context, []string{`{"error":"","value":true}`}) {
		t.Errorf("context %q, error %v", out.Context, out.Runs[0].Err)
	}
}

// TestRequestEndsWithItsCall: a question that belongs to a call that was taken back is
// taken back too.
func TestRequestEndsWithItsCall(t *testing.T) {
	s := spec("single")
	s.Host = worker.Local{Person: &person{takes: time.Minute}}
	w := start(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	_, err := w.Handler(0).Handle(ctx, &hook.Call{Input: bash(`ask "method":"ui.confirm","params":{"title":"Sure?"}`)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if _, err := w.Handler(0).Handle(t.Context(), &hook.Call{Input: bash("answer")}); err != nil {
		t.Error(err)
	}
	if w.Starts() != 1 {
		t.Errorf("%d starts: the reply to the dialog did not come", w.Starts())
	}
}

func TestProgressAndLog(t *testing.T) {
	l := &logs{}
	s := spec("single")
	s.OnLog = l.add
	w := start(t, s)
	reg := hook.NewRegistry()
	if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: w.Handler(0), Timeout: 20 * time.Second}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := ""
	e := hook.New(reg, hook.WithObserver(hook.ObserverFunc(func(em hook.Emission) {
		mu.Lock()
		defer mu.Unlock()
		seen += em.Stdout
	})))
	fire(t, e, `lines {"type":"log","level":"warning","message":"careful"};{"type":"progress","id":ID,"text":"half way"};{"type":"result","id":ID}`)
	e.Close()
	mu.Lock()
	defer mu.Unlock()
	if !l.has("careful") || !strings.Contains(seen, "half way") {
		t.Errorf("log %+v, progress %q", l.all, seen)
	}
}
