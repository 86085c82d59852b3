package hook_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/hook"
)

// collect is an observer that keeps what it sees.
type collect struct {
	mu   sync.Mutex
	seen []hook.Emission
}

func (c *collect) Observe(m hook.Emission) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, m)
}

func TestEmissionsHaveTheSDKsShape(t *testing.T) {
	reg := hook.NewRegistry()
	code := 2
	talk := hook.HandlerFunc(func(_ context.Context, c *hook.Call) (hook.Result, error) {
		for _, part := range []string{"h\xc3", "\xa9", "llo"} { // a sequence that is split over two chunks
			c.Progress(hook.Stdout, []byte(part))
		}
		c.Report = &hook.Report{ExitCode: &code, Stdout: "héllo", Stderr: "no"}
		return hook.Deny("no"), nil
	})
	if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: talk, Timeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	hook.On(reg, says(hook.None()))
	hook.On(reg, func(context.Context, pre) (hook.Result, error) { return hook.None(), errors.New("x") })
	var c collect
	e := hook.New(reg, hook.WithObserver(&c))
	fire(t, e, bash("ls"))
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	var kinds, outcomes []string
	ids, uuids := map[string]int{}, map[string]bool{}
	for _, m := range c.seen {
		kinds = append(kinds, m.Subtype)
		if m.Subtype == hook.HookResponse {
			outcomes = append(outcomes, m.Outcome)
		}
		ids[m.HookID]++
		uuids[m.UUID] = true
		if !utf8.ValidString(m.Stdout) || m.HookName != "PreToolUse:Bash" || m.SessionID != "s1" || m.Type != "system" {
			t.Errorf("%+v", m)
		}
	}
	if got := strings.Join(kinds, " "); got != "hook_started hook_progress hook_progress hook_progress hook_response hook_started hook_response hook_started hook_response" {
		t.Errorf("kinds %s", got)
	}
	if !slices.Equal(outcomes, []string{"blocked", "success", "error"}) || len(ids) != 3 || len(uuids) != len(c.seen) {
		t.Errorf("outcomes %q, %d ids, %d uuids of %d", outcomes, len(ids), len(uuids), len(c.seen))
	}
	b, err := json.Marshal(c.seen[4])
	if err != nil || !bytes.Contains(b, []byte(`"hook_event":"PreToolUse"`)) || !bytes.Contains(b, []byte(`"exit_code":2,"outcome":"blocked"`)) {
		t.Errorf("%s, %v", b, err)
	}
}

func TestObserverNeverBlocksFire(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, says(hook.None()))
	release := make(chan struct{})
	e := hook.New(reg, hook.WithObserver(hook.ObserverFunc(func(hook.Emission) { <-release })))
	for range 5000 {
		fire(t, e, bash("ls"))
	}
	if n := e.ObserverDropped(); n == 0 {
		t.Error("10,000 messages fit into the queue of an observer that stands still")
	}
	close(release)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestChannelObserverCountsDrops(t *testing.T) {
	ch := make(chan hook.Emission, 1)
	o := hook.NewChannelObserver(ch)
	for range 3 {
		o.Observe(hook.Emission{})
	}
	if o.Dropped() != 2 || len(ch) != 1 {
		t.Errorf("%d dropped, %d sent", o.Dropped(), len(ch))
	}
}

func TestSlogObserverNamesHookAndOutcome(t *testing.T) {
	var buf bytes.Buffer
	o := hook.SlogObserver(slog.New(slog.NewTextHandler(&buf, nil)))
	o.Observe(hook.Emission{Subtype: hook.HookResponse, Outcome: "error", HookEvent: hook.EventStop, Hook: &hook.Info{Name: "guard"}})
	if s := buf.String(); !strings.Contains(s, "level=WARN") || !strings.Contains(s, "hook=guard") || !strings.Contains(s, "event=Stop") {
		t.Error(s)
	}
	hook.SlogObserver(nil).Observe(hook.Emission{Hook: &hook.Info{}})
}

func TestPanickingObserverHurtsNobody(t *testing.T) {
	reg := hook.NewRegistry()
	hook.On(reg, says(hook.Allow()))
	e := engine(t, reg, hook.WithObserver(hook.ObserverFunc(func(hook.Emission) { panic("observer") })))
	if out := fire(t, e, bash("ls")); out.Decision != hook.DecisionAllow {
		t.Errorf("decision %v", out.Decision)
	}
}
