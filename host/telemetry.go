package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/audit/otel"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// telemetry sends a span for each event and each hook, and metrics, to a collector.
// The zero value sends nothing.
type telemetry struct {
	exporter *otel.Exporter
	getenv   func(string) string
}

// newTelemetry starts the exporter when the standard variables of OpenTelemetry ask
// for one.
func (h *Host) newTelemetry(ctx context.Context) (telemetry, error) {
	if !otel.Configured(h.opts.Getenv) {
		return telemetry{}, nil
	}
	e, err := otel.New(ctx, otel.Options{
		Version: h.opts.Version,
		Head: func() (uint64, string) {
			if h.Audit == nil {
				return 0, ""
			}
			return h.Audit.Head()
		},
		Warn: func(err error) { h.notify(ui.Warning, "telemetry: %v", err) },
	})
	if err != nil {
		return telemetry{}, fmt.Errorf("start telemetry: %w", err)
	}
	return telemetry{e, h.opts.Getenv}, nil
}

// start begins the span of an event, within the trace of whoever started the
// program; the returned function ends it.
func (t telemetry) start(ctx context.Context, in hook.Input) (context.Context, func()) {
	if t.exporter == nil {
		return ctx, func() {}
	}
	return t.exporter.Start(otel.Continue(ctx, t.getenv), in)
}

// wrap gives a hook a span of its own.
func (t telemetry) wrap(h hook.Handler) hook.Handler {
	if t.exporter == nil {
		return h
	}
	return t.exporter.Wrap(h)
}

// traceparent is what process hooks get to join the trace.
func (t telemetry) traceparent(call *hook.Call) string {
	if t.exporter == nil {
		return ""
	}
	for _, kv := range t.exporter.Env(call) {
		if v, ok := strings.CutPrefix(kv, "TRACEPARENT="); ok {
			return v
		}
	}
	return ""
}

// close sends what is left, for at most a few seconds.
func (t telemetry) close() error {
	if t.exporter == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return t.exporter.Shutdown(ctx)
}
