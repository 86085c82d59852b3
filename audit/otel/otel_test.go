package otel

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/hookline-dev/hookline/hook"
)

func newExporter(t *testing.T, change ...func(*Options)) (*Exporter, *collector) {
	t.Helper()
	c := newCollector(t)
	o := Options{Endpoint: c.URL, Environ: []string{}, Interval: time.Hour, Warn: func(err error) { t.Errorf("warned: %v", err) }}
	for _, f := range change {
		f(&o)
	}
	e, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e, c
}

func shutdown(t *testing.T, e *Exporter) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := e.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
}

// engine has a hook that denies, one that fails and one that is not approved.
func engine(t *testing.T, e *Exporter, wrap bool) *hook.Engine {
	t.Helper()
	reg := hook.NewRegistry()
	add := func(name string, h hook.HandlerFunc) {
		r := hook.Registration{Event: hook.EventPreToolUse, Name: name, Dialect: "claude", Scope: "user", Source: "s.json:1"}
		switch {
		case h == nil:
			r.Inactive = "untrusted"
		case wrap:
			r.Handler = e.Wrap(h)
		default:
			r.Handler = h
		}
		if _, err := reg.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	code := 2
	add("denies", func(_ context.Context, c *hook.Call) (hook.Result, error) {
		time.Sleep(2 * time.Millisecond)
		c.Report = &hook.Report{ExitCode: &code}
		return hook.Deny("no rm"), nil
	})
	add("fails", func(context.Context, *hook.Call) (hook.Result, error) {
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "garbage")
	})
	add("waits", nil)
	eng := hook.New(reg, hook.WithRecorder(e))
	t.Cleanup(func() {
		if err := eng.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return eng
}

func input() *hook.PreToolUse {
	return &hook.PreToolUse{Common: hook.Common{SessionID: "s1"}, ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": "secret-command"})}
}

// TestSpans fires an event with a span of its own, wrapped and not, and without.
func TestSpans(t *testing.T) {
	for name, c := range map[string]struct{ start, wrap bool }{"all": {true, true}, "recorder and start": {true, false}, "recorder": {false, false}, "recorder and wrap": {false, true}} {
		t.Run(name, func(t *testing.T) {
			e, col := newExporter(t, func(o *Options) { o.Headers = map[string]string{"x-key": "k"}; o.Service = "mine" })
			eng := engine(t, e, c.wrap)
			ctx, end := t.Context(), func() {}
			if c.start {
				ctx, end = e.Start(ctx, input())
			}
			if _, err := eng.Fire(ctx, input()); err != nil {
				t.Fatal(err)
			}
			end()
			shutdown(t, e)
			if len(col.spans) != 3 || col.service != "mine" || col.headers[0].Get("x-key") != "k" {
				t.Fatalf("%d spans of %q", len(col.spans), col.service)
			}
			event, denies, fails := col.span(t, "PreToolUse"), col.span(t, "hook denies"), col.span(t, "hook fails")
			for _, s := range col.spans {
				if s != event && (!bytes.Equal(s.ParentSpanId, event.SpanId) || !bytes.Equal(s.TraceId, event.TraceId)) {
					t.Errorf("%s is not a child of the event", s.Name)
				}
				if s.EndTimeUnixNano < s.StartTimeUnixNano || s.StartTimeUnixNano == 0 {
					t.Errorf("%s: from %d to %d", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano)
				}
			}
			if denies.EndTimeUnixNano-denies.StartTimeUnixNano < 2e6 || event.StartTimeUnixNano > denies.StartTimeUnixNano && c.start {
				t.Errorf("times: event %d, hook %d to %d", event.StartTimeUnixNano, denies.StartTimeUnixNano, denies.EndTimeUnixNano)
			}
			if value(event.Attributes, "hookline.decision") != "deny" || value(event.Attributes, "session.id") != "s1" || value(event.Attributes, "hookline.decided_by") != "denies" {
				t.Errorf("event: %v", event.Attributes)
			}
			if len(event.Events) != 1 || value(event.Events[0].Attributes, "hookline.hook") != "waits" || value(event.Events[0].Attributes, "hookline.why") != "untrusted" {
				t.Errorf("events: %v", event.Events)
			}
			if value(denies.Attributes, "hookline.reason") != "no rm" || value(denies.Attributes, "hookline.status") != "ran" || value(denies.Attributes, "hookline.dialect") != "claude" {
				t.Errorf("denies: %v", denies.Attributes)
			}
			if value(fails.Attributes, "error.type") != "answer" || fails.Status.GetMessage() != "garbage" || value(fails.Attributes, "hookline.status") != "failed" {
				t.Errorf("fails: %v %v", fails.Attributes, fails.Status)
			}
			if bytes.Contains(col.raw, []byte("secret-command")) {
				t.Error("the tool's input was sent")
			}
			n := 0
			e.runs.Range(func(any, any) bool { n++; return true })
			if n != 0 {
				t.Errorf("%d runs are still kept", n)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	e, col := newExporter(t)
	eng := engine(t, e, true)
	for range 3 {
		if _, err := eng.Fire(t.Context(), input()); err != nil {
			t.Fatal(err)
		}
	}
	shutdown(t, e)
	sum := func(name, key, want string) int64 {
		var n int64
		for _, p := range col.metrics[name].GetSum().GetDataPoints() {
			if value(p.Attributes, key) == want {
				n += p.GetAsInt()
			}
		}
		return n
	}
	if n := sum("hookline.events", "hookline.decision", "deny"); n != 3 {
		t.Errorf("%d events", n)
	}
	if n := sum("hookline.hook.runs", "hookline.status", "skipped"); n != 3 {
		t.Errorf("%d skipped", n)
	}
	if n := sum("hookline.hook.failures", "error.type", "answer"); n != 3 {
		t.Errorf("%d failures", n)
	}
	count := func(m *metrics.Metric) (n uint64, total float64) {
		for _, p := range m.GetHistogram().GetDataPoints() {
			n += p.Count
			total += p.GetSum()
		}
		return n, total
	}
	if n, s := count(col.metrics["hookline.hook.duration"]); n != 6 || s < 0.006 || s > 30 {
		t.Errorf("%d durations of hooks, %f s", n, s)
	}
	if n, _ := count(col.metrics["hookline.event.duration"]); n != 3 {
		t.Errorf("%d durations of events", n)
	}
}

// TestTraceparentReachesProcesses runs a process as a hook does and continues its
// parent's trace.
func TestTraceparentReachesProcesses(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	parent := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	e, col := newExporter(t, func(o *Options) {
		o.Getenv = func(k string) string { return map[string]string{"TRACEPARENT": parent}[k] }
	})
	reg := hook.NewRegistry()
	var got string
	h := e.Wrap(hook.HandlerFunc(func(ctx context.Context, c *hook.Call) (hook.Result, error) {
		cmd := exec.CommandContext(ctx, sh, "-c", `printf %s "$TRACEPARENT"`)
		cmd.Env = append(os.Environ(), e.Env(c)...)
		out, err := cmd.Output()
		got = string(out)
		return hook.Result{}, err
	}))
	if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Name: "proc", Handler: h, Timeout: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	eng := hook.New(reg, hook.WithRecorder(e))
	defer eng.Close()
	ctx, end := e.Start(t.Context(), input())
	if _, err := eng.Fire(ctx, input()); err != nil {
		t.Fatal(err)
	}
	_, endInner := e.Start(ctx, &hook.Stop{}) // an event that this one brings about
	endInner()
	end()
	shutdown(t, e)
	if inner := col.span(t, "Stop"); hex.EncodeToString(inner.ParentSpanId) != hex.EncodeToString(col.span(t, "PreToolUse").SpanId) {
		t.Errorf("the inner event's parent is %x", inner.ParentSpanId)
	}
	span := col.span(t, "hook proc")
	if want := "00-" + hex.EncodeToString(span.TraceId) + "-" + hex.EncodeToString(span.SpanId) + "-01"; got != want || !strings.Contains(want, "0af7651916cd43dd8448eb211c80319c") {
		t.Errorf("TRACEPARENT %q, want %q", got, want)
	}
	if event := col.span(t, "PreToolUse"); hex.EncodeToString(event.ParentSpanId) != "b7ad6b7169203331" {
		t.Errorf("the event's parent is %x", event.ParentSpanId)
	}
	if env := e.Env(&hook.Call{ID: "x-1"}); env != nil {
		t.Errorf("outside of a run: %q", env)
	}
}

// TestCollectorThatIsNotThere must cost nobody anything but one warning.
func TestCollectorThatIsNotThere(t *testing.T) {
	var mu sync.Mutex
	var warned []error
	e, col := newExporter(t, func(o *Options) {
		o.Warn = func(err error) { mu.Lock(); warned = append(warned, err); mu.Unlock() }
	})
	col.Close()
	eng := engine(t, e, true)
	start := time.Now()
	for range 100 {
		ctx, end := e.Start(t.Context(), input())
		if out, err := eng.Fire(ctx, input()); err != nil || out.Decision != hook.DecisionDeny {
			t.Fatalf("%v %+v", err, out)
		}
		end()
	}
	if d := time.Since(start); d > 5*time.Minute {
		t.Errorf("events took %v", d)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	_ = e.Shutdown(ctx)
	mu.Lock()
	defer mu.Unlock()
	if len(warned) != 1 {
		t.Errorf("warned %d times: %v", len(warned), warned)
	}
}

func TestSecretsAreNotSent(t *testing.T) {
	canary := "c4n4ry-of-the-environment"
	e, col := newExporter(t, func(o *Options) { o.Environ = []string{"DEPLOY_TOKEN=" + canary} })
	reg := hook.NewRegistry()
	for _, err := range []error{nil, errors.New(canary)} {
		if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Name: "h " + canary, Source: canary, Handler: e.Wrap(hook.HandlerFunc(
			func(context.Context, *hook.Call) (hook.Result, error) { return hook.Deny(canary), err },
		))}); err != nil {
			t.Fatal(err)
		}
	}
	eng := hook.New(reg, hook.WithRecorder(e))
	defer eng.Close()
	in := input()
	in.SessionID, in.ToolName = canary, canary
	ctx, end := e.Start(t.Context(), in)
	for _, ctx := range []context.Context{ctx, t.Context()} {
		if _, err := eng.Fire(ctx, in); err != nil {
			t.Fatal(err)
		}
	}
	end()
	shutdown(t, e)
	if len(col.spans) == 0 || bytes.Contains(col.raw, []byte(canary)) {
		t.Errorf("%d spans, and the secret is among what was sent", len(col.spans))
	}
}

type rich struct{ hook.HandlerFunc }

func (rich) Identity() string     { return "me" }
func (rich) Grace() time.Duration { return time.Second }

func TestWrapKeepsWhatAHandlerIs(t *testing.T) {
	e, _ := newExporter(t, func(o *Options) { o.NoTraces, o.NoMetrics = true, true })
	defer shutdown(t, e)
	h := e.Wrap(rich{})
	if id, ok := h.(hook.Identifier); !ok || id.Identity() != "me" {
		t.Error("the identity is lost")
	}
	if g, ok := h.(hook.Graceful); !ok || g.Grace() != time.Second {
		t.Error("the grace is lost")
	}
	if _, ok := e.Wrap(hook.HandlerFunc(nil)).(hook.Identifier); ok {
		t.Error("an identity was invented")
	}
	if e.Wrap(nil) != nil {
		t.Error("nothing became a handler")
	}
}

func TestConfigured(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"nothing":  {nil, false},
		"endpoint": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, true},
		"exporter": {map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true},
		"disabled": {map[string]string{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"}, false},
	} {
		if got := Configured(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
