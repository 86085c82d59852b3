package otel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/redact"
)

// scope names the instrumentation.
const scope = "github.com/hookline-dev/hookline"

// defaultInterval is how often metrics are sent.
const defaultInterval = 30 * time.Second

// Options configure an Exporter. What they leave open is taken from the standard
// variables of the environment, such as OTEL_EXPORTER_OTLP_ENDPOINT.
type Options struct {
	// Endpoint is the base URL of the collector, to which v1/traces and v1/metrics are
	// appended; "" leaves it to the environment.
	Endpoint string
	// Headers are sent along, for authorisation.
	Headers map[string]string
	// Service and Version say whose spans these are; "" is hookline.
	Service, Version string
	// NoTraces and NoMetrics switch one of the two off.
	NoTraces, NoMetrics bool
	// Interval is how often metrics are sent; 0 is 30 seconds.
	Interval time.Duration
	// Getenv reads TRACEPARENT and TRACESTATE, by which whoever started this program tells
	// of a span that Start continues; nil continues none.
	Getenv func(string) string
	// Environ is the environment, as KEY=VALUE, whose secrets must not be sent; nil is
	// that of the program.
	Environ []string
	// Head, if not nil, returns the number and the hash of the last record of an audit log
	// that is written before spans are made; spans of events carry them, so that the
	// collector knows where the log ended. See audit.Log.Head.
	Head func() (seq uint64, hash string)
	// Warn is told once when something cannot be delivered, from a goroutine of the
	// exporter, and must not block; nil tells nobody.
	Warn func(error)
}

// Configured reports whether an environment asks for telemetry: it names an endpoint
// for OTLP, or otlp as an exporter, and does not switch the SDK off.
func Configured(getenv func(string) string) bool {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"} {
		if getenv(name) != "" {
			return true
		}
	}
	return getenv("OTEL_TRACES_EXPORTER") == "otlp" || getenv("OTEL_METRICS_EXPORTER") == "otlp"
}

// Exporter turns outcomes into spans and metrics. It is safe for concurrent use.
// Shut it down when the last event is over.
type Exporter struct {
	red    *redact.Redactor
	warn   func(error)
	head   func() (uint64, string)
	parent propagation.MapCarrier
	tracer trace.Tracer
	meters instruments
	traces *sdktrace.TracerProvider
	meter  *sdkmetric.MeterProvider

	// runs holds what is known of runs that Wrap saw, by run, until they are recorded.
	runs sync.Map
}

var _ hook.Recorder = (*Exporter)(nil)

// New starts an exporter. It fails when the configuration makes no sense; whether
// the collector is there shows only later.
func New(ctx context.Context, o Options) (*Exporter, error) {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	e := &Exporter{red: redact.New(o.Environ), head: o.Head}
	if o.Getenv != nil {
		e.parent = propagation.MapCarrier{"traceparent": o.Getenv("TRACEPARENT"), "tracestate": o.Getenv("TRACESTATE")}
	}
	var once sync.Once
	e.warn = func(err error) {
		if o.Warn != nil && err != nil {
			once.Do(func() { o.Warn(fmt.Errorf("telemetry is not delivered: %w", err)) })
		}
	}
	res := describe(o)
	if err := e.startTraces(ctx, o, res); err != nil {
		return nil, err
	}
	if err := e.startMetrics(ctx, o, res); err != nil {
		return nil, errors.Join(err, e.Shutdown(ctx))
	}
	return e, nil
}

func describe(o Options) *resource.Resource {
	service := o.Service
	if service == "" {
		service = "hookline"
	}
	attrs := []attribute.KeyValue{attribute.String("service.name", service)}
	if o.Version != "" {
		attrs = append(attrs, attribute.String("service.version", o.Version))
	}
	own := resource.NewSchemaless(attrs...)
	// Attributes of the environment win: they are the person's.
	if all, err := resource.Merge(own, resource.Environment()); err == nil {
		return all
	}
	return own
}

func (e *Exporter) startTraces(ctx context.Context, o Options, res *resource.Resource) error {
	opts := []sdktrace.TracerProviderOption{sdktrace.WithResource(res), sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample()))}
	if !o.NoTraces {
		var eo []otlptracehttp.Option
		if o.Endpoint != "" {
			eo = append(eo, otlptracehttp.WithEndpointURL(join(o.Endpoint, "v1/traces")))
		}
		if len(o.Headers) > 0 {
			eo = append(eo, otlptracehttp.WithHeaders(o.Headers))
		}
		exporter, err := otlptracehttp.New(ctx, eo...)
		if err != nil {
			return fmt.Errorf("starting the export of traces: %w", err)
		}
		opts = append(opts, sdktrace.WithBatcher(quietSpans{exporter, e.warn}))
	}
	e.traces = sdktrace.NewTracerProvider(opts...)
	e.tracer = e.traces.Tracer(scope)
	return nil
}

func (e *Exporter) startMetrics(ctx context.Context, o Options, res *resource.Resource) error {
	opts := []sdkmetric.Option{sdkmetric.WithResource(res)}
	if !o.NoMetrics {
		var eo []otlpmetrichttp.Option
		if o.Endpoint != "" {
			eo = append(eo, otlpmetrichttp.WithEndpointURL(join(o.Endpoint, "v1/metrics")))
		}
		if len(o.Headers) > 0 {
			eo = append(eo, otlpmetrichttp.WithHeaders(o.Headers))
		}
		exporter, err := otlpmetrichttp.New(ctx, eo...)
		if err != nil {
			return fmt.Errorf("starting the export of metrics: %w", err)
		}
		interval := o.Interval
		if interval <= 0 {
			interval = defaultInterval
		}
		opts = append(opts, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(quietMetrics{exporter, e.warn}, sdkmetric.WithInterval(interval))))
	}
	e.meter = sdkmetric.NewMeterProvider(opts...)
	return e.meters.make(e.meter.Meter(scope))
}

func join(base, path string) string { return strings.TrimRight(base, "/") + "/" + path }

// Shutdown sends what is left and stops the exporter. It ends with the context at
// the latest; an error says that something may not have been delivered.
func (e *Exporter) Shutdown(ctx context.Context) error {
	var errs []error
	if e.traces != nil {
		errs = append(errs, e.traces.Shutdown(ctx))
	}
	if e.meter != nil {
		errs = append(errs, e.meter.Shutdown(ctx))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("shutting telemetry down: %w", err)
	}
	return nil
}

// instruments are the metrics.
type instruments struct {
	events, runs, failures    metric.Int64Counter
	eventSeconds, hookSeconds metric.Float64Histogram
}

// buckets are the bounds of the histograms, in seconds: from hooks in the process to
// those that ask a model.
var buckets = metric.WithExplicitBucketBoundaries(0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

func (i *instruments) make(m metric.Meter) error {
	var errs [5]error
	i.events, errs[0] = m.Int64Counter("hookline.events", metric.WithUnit("{event}"), metric.WithDescription("Events that had hooks"))
	i.runs, errs[1] = m.Int64Counter("hookline.hook.runs", metric.WithUnit("{run}"), metric.WithDescription("Runs of hooks, and hooks that were skipped"))
	i.failures, errs[2] = m.Int64Counter("hookline.hook.failures", metric.WithUnit("{run}"), metric.WithDescription("Hooks that could not answer"))
	i.eventSeconds, errs[3] = m.Float64Histogram("hookline.event.duration", metric.WithUnit("s"), metric.WithDescription("How long an event's hooks took in all"), buckets)
	i.hookSeconds, errs[4] = m.Float64Histogram("hookline.hook.duration", metric.WithUnit("s"), metric.WithDescription("How long a hook took"), buckets)
	if err := errors.Join(errs[:]...); err != nil {
		return fmt.Errorf("making metrics: %w", err)
	}
	return nil
}
