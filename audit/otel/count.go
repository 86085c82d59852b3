package otel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/hookline-dev/hookline/hook"
)

func (e *Exporter) countEvent(ctx context.Context, out *hook.Outcome, d time.Duration) {
	set := metric.WithAttributes(attribute.String("hookline.event", out.Event.String()), attribute.String("hookline.decision", out.Decision.String()))
	e.meters.events.Add(ctx, 1, set)
	e.meters.eventSeconds.Record(ctx, d.Seconds(), set)
}

func (e *Exporter) countRun(ctx context.Context, r *hook.Run) {
	who := []attribute.KeyValue{
		attribute.String("hookline.event", r.Hook.Event.String()), attribute.String("hookline.hook", e.clip(r.Hook.Name)),
		attribute.String("hookline.dialect", r.Hook.Dialect),
	}
	how := append(who[:len(who):len(who)], attribute.String("hookline.status", r.Status.String()), attribute.String("hookline.decision", r.Decision.String()))
	e.meters.runs.Add(ctx, 1, metric.WithAttributes(how...))
	if r.Status != hook.StatusSkipped && r.Status != hook.StatusPending {
		e.meters.hookSeconds.Record(ctx, r.Duration.Seconds(), metric.WithAttributes(who...))
	}
	if r.Err != nil {
		why := append(who[:len(who):len(who)], attribute.String("error.type", kindOf(r.Err)), attribute.Bool("hookline.failed_closed", r.FailedClosed))
		e.meters.failures.Add(ctx, 1, metric.WithAttributes(why...))
	}
}

// kindOf is the kind of failure that an error is.
func kindOf(err error) string {
	if f, ok := errors.AsType[*hook.Failure](err); ok {
		return string(f.Kind)
	}
	return string(hook.FailureError)
}
