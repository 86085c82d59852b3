package otel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/hookline-dev/hookline/hook"
)

// event is an event that Start began.
type event struct {
	span  trace.Span
	start time.Time
}

// eventKey finds the event of an exporter in a context.
type eventKey struct{ e *Exporter }

// Start begins the span of an event. Fire the event with the context that it
// returns, and call end afterwards. The span is a child of the one that ctx has, or else
// of the one that Options.Getenv tells of.
func (e *Exporter) Start(ctx context.Context, in hook.Input) (_ context.Context, end func()) {
	now := time.Now()
	if !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = propagation.TraceContext{}.Extract(ctx, e.parent)
	}
	ctx, span := e.begin(ctx, in, now)
	return context.WithValue(ctx, eventKey{e}, &event{span, now}), func() { span.End() }
}

func (e *Exporter) begin(ctx context.Context, in hook.Input, at time.Time) (context.Context, trace.Span) {
	name := in.Event().String()
	base := in.Base()
	attrs := []attribute.KeyValue{attribute.String("hookline.event", name)}
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, attribute.String(key, e.clip(value)))
		}
	}
	add("session.id", base.SessionID)
	add("hookline.subject", in.Subject())
	add("hookline.agent_id", base.AgentID)
	return e.tracer.Start(ctx, name, trace.WithTimestamp(at), trace.WithAttributes(attrs...))
}

// Record makes the spans of an event whose span Start did not begin, and counts.
func (e *Exporter) Record(ctx context.Context, in hook.Input, out *hook.Outcome) {
	if len(out.Runs) == 0 {
		return
	}
	now := time.Now()
	ev, started := ctx.Value(eventKey{e}).(*event)
	if !started {
		start := now.Add(-longest(out))
		var span trace.Span
		ctx, span = e.begin(ctx, in, start)
		ev = &event{span, start}
	}
	for i := range out.Runs {
		e.run(ctx, ev, &out.Runs[i], now)
	}
	ev.span.SetAttributes(attribute.String("hookline.decision", out.Decision.String()), attribute.Int("hookline.runs", len(out.Runs)))
	if out.DecidedBy != "" {
		ev.span.SetAttributes(attribute.String("hookline.decided_by", e.clip(out.DecidedBy)))
	}
	if e.head != nil {
		if seq, hash := e.head(); seq > 0 {
			ev.span.SetAttributes(attribute.Int64("hookline.audit.seq", int64(seq)), attribute.String("hookline.audit.hash", hash))
		}
	}
	e.countEvent(ctx, out, now.Sub(ev.start))
	if !started {
		ev.span.End(trace.WithTimestamp(now))
	}
}

// longest guesses how long an event took from its runs: at least as long as the
// longest of those that may have run at the same time, and as those that did not.
func longest(out *hook.Outcome) time.Duration {
	var parallel, sequential time.Duration
	for i := range out.Runs {
		r := &out.Runs[i]
		if r.Hook.Flow == hook.Parallel {
			parallel = max(parallel, r.Duration)
		} else {
			sequential += r.Duration
		}
	}
	return parallel + sequential
}

// run records one run: in the span that Wrap began, or in one made now. What did not
// run is an event of the span.
func (e *Exporter) run(ctx context.Context, ev *event, r *hook.Run, now time.Time) {
	e.countRun(ctx, r)
	if r.Status == hook.StatusSkipped {
		ev.span.AddEvent("hook skipped", trace.WithAttributes(attribute.String("hookline.hook", e.clip(r.Hook.Name)), attribute.String("hookline.why", e.clip(r.Why))))
		return
	}
	if _, seen := e.runs.LoadAndDelete(runKey{r.Hook, r.Seq}); seen {
		return // its span has ended with all that it knows
	}
	_, span := e.tracer.Start(ctx, e.spanName(r.Hook), trace.WithTimestamp(now.Add(-r.Duration)), trace.WithAttributes(e.hookAttributes(r.Hook)...))
	e.finish(span, r.Status, r.Decision, r.Reason, r.Err, r.Report)
	span.End(trace.WithTimestamp(now))
}

func (e *Exporter) spanName(i *hook.Info) string { return "hook " + e.clip(i.Name) }

func (e *Exporter) hookAttributes(i *hook.Info) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("hookline.hook", e.clip(i.Name)), attribute.String("hookline.dialect", i.Dialect),
		attribute.String("hookline.scope", i.Scope), attribute.String("hookline.source", e.clip(i.Source)),
	}
}

// finish puts what a run came to into its span.
func (e *Exporter) finish(span trace.Span, status hook.Status, decision hook.Decision, reason string, err error, report *hook.Report) {
	span.SetAttributes(attribute.String("hookline.status", status.String()), attribute.String("hookline.decision", decision.String()))
	if reason != "" {
		span.SetAttributes(attribute.String("hookline.reason", e.clip(reason)))
	}
	if err != nil {
		span.SetAttributes(attribute.String("error.type", kindOf(err)))
		span.SetStatus(codes.Error, e.clip(err.Error()))
	}
	if report != nil && report.ExitCode != nil {
		span.SetAttributes(attribute.Int("process.exit.code", *report.ExitCode))
	}
}

// maxText bounds one attribute, in bytes.
const maxText = 1 << 10

func (e *Exporter) clip(s string) string {
	s, _ = e.red.Clip(s, maxText)
	return s
}
