package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// Telemetry sees what hooks do and sends it somewhere: the Exporter of package audit/otel
// is one. It is safe for concurrent use.
type Telemetry interface {
	hook.Recorder
	// Start begins an event, which is fired with the context that it returns; end ends it.
	Start(ctx context.Context, in hook.Input) (_ context.Context, end func())
	// Wrap returns the handler with its runs seen from their start on.
	Wrap(h hook.Handler) hook.Handler
	// Env is what the process gets, as KEY=VALUE, that runs a call of a handler which Wrap
	// returned.
	Env(call *hook.Call) []string
	// Shutdown sends what is left.
	Shutdown(ctx context.Context) error
}

// TelemetryOptions are what a host has for its Telemetry.
type TelemetryOptions struct {
	// Head returns the number and the hash of the last record of the audit log, 0 and ""
	// without one.
	Head func() (seq uint64, hash string)
	// Warn tells the person that something cannot be delivered. It does not block.
	Warn func(error)
}

// telemetry is what the options make of it. The zero value sends nothing.
type telemetry struct{ to Telemetry }

func (h *Host) newTelemetry(ctx context.Context) (telemetry, error) {
	if h.opts.Telemetry == nil {
		return telemetry{}, nil
	}
	to, err := h.opts.Telemetry(ctx, TelemetryOptions{
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
	return telemetry{to}, nil
}

// start begins an event; the returned function ends it.
func (t telemetry) start(ctx context.Context, in hook.Input) (context.Context, func()) {
	if t.to == nil {
		return ctx, func() {}
	}
	return t.to.Start(ctx, in)
}

// wrap has a hook's runs seen from their start on.
func (t telemetry) wrap(h hook.Handler) hook.Handler {
	if t.to == nil {
		return h
	}
	return t.to.Wrap(h)
}

// traceparent is what process hooks get to join the trace.
func (t telemetry) traceparent(call *hook.Call) string {
	if t.to == nil {
		return ""
	}
	for _, kv := range t.to.Env(call) {
		if v, ok := strings.CutPrefix(kv, "TRACEPARENT="); ok {
			return v
		}
	}
	return ""
}

// close sends what is left, for at most a few seconds.
func (t telemetry) close() error {
	if t.to == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return t.to.Shutdown(ctx)
}
