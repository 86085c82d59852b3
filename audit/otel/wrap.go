package otel

import (
	"context"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/hookline-dev/hookline/hook"
)

// runKey tells runs apart.
type runKey struct {
	hook *hook.Info
	seq  uint64
}

// Wrap returns a handler that runs h within a span of its own, when the event was
// begun with Start; otherwise it is h, and Record makes the span. A nil h stays nil.
func (e *Exporter) Wrap(h hook.Handler) hook.Handler {
	if h == nil {
		return nil
	}
	w := &wrapped{Handler: h, e: e}
	if id, ok := h.(hook.Identifier); ok {
		return &identified{w, id}
	}
	return w
}

// wrapped is a handler within a span.
type wrapped struct {
	hook.Handler
	e *Exporter
}

// Handle runs the handler.
func (w *wrapped) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	ev, ok := ctx.Value(eventKey{w.e}).(*event)
	seq, numbered := seqOf(call.ID)
	if !ok || !numbered {
		return w.Handler.Handle(ctx, call)
	}
	ctx, span := w.e.tracer.Start(trace.ContextWithSpan(ctx, ev.span), w.e.spanName(call.Hook), trace.WithAttributes(w.e.hookAttributes(call.Hook)...))
	defer span.End()
	key := runKey{call.Hook, seq}
	w.e.runs.Store(key, span)
	if call.Background {
		defer w.e.runs.Delete(key) // its record came when it started
	}
	res, err := w.Handler.Handle(ctx, call)
	w.e.finish(span, statusOf(ctx, err), res.Decision, res.Reason, err, call.Report)
	return res, err
}

func statusOf(ctx context.Context, err error) hook.Status {
	switch {
	case err == nil:
		return hook.StatusRan
	case context.Cause(ctx) == hook.ErrTimeout:
		return hook.StatusTimedOut
	case ctx.Err() != nil:
		return hook.StatusCancelled
	}
	return hook.StatusFailed
}

var (
	_ hook.Graceful   = (*wrapped)(nil)
	_ hook.Identifier = (*identified)(nil)
)

// Grace returns the handler's own.
func (w *wrapped) Grace() time.Duration {
	if g, ok := w.Handler.(hook.Graceful); ok {
		return g.Grace()
	}
	return 0
}

// identified is a handler that has an identity.
type identified struct {
	*wrapped
	id hook.Identifier
}

// Identity returns the handler's own.
func (i *identified) Identity() string { return i.id.Identity() }

// Env returns TRACEPARENT, and TRACESTATE when there is one, as KEY=VALUE for a
// process that runs the call of a handler which Wrap returned; nil outside of a
// trace.
func (e *Exporter) Env(call *hook.Call) []string {
	seq, ok := seqOf(call.ID)
	if !ok {
		return nil
	}
	v, ok := e.runs.Load(runKey{call.Hook, seq})
	if !ok {
		return nil
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), v.(trace.Span)), carrier)
	var out []string
	for _, key := range []string{"traceparent", "tracestate"} {
		if value := carrier[key]; value != "" {
			out = append(out, strings.ToUpper(key)+"="+value)
		}
	}
	return out
}

// seqOf is the number at the end of a call's id.
func seqOf(id string) (uint64, bool) {
	n, err := strconv.ParseUint(id[strings.LastIndexByte(id, '-')+1:], 10, 64)
	return n, err == nil
}
