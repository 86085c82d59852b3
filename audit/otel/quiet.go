package otel

import (
	"context"
	"errors"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// quietSpans hands the errors of an exporter to warn. The SDK would give them to its
// global handler, which prints.
type quietSpans struct {
	sdktrace.SpanExporter
	warn func(error)
}

func (q quietSpans) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := q.SpanExporter.ExportSpans(ctx, spans); err != nil {
		q.warn(err)
	}
	return nil
}

// quietMetrics is quietSpans for metrics.
type quietMetrics struct {
	sdkmetric.Exporter
	warn func(error)
}

func (q quietMetrics) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	if err := q.Exporter.Export(ctx, m); err != nil && !errors.Is(err, context.Canceled) {
		q.warn(err)
	}
	return nil
}
