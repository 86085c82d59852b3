// Package otel sends what hooks do to an OpenTelemetry collector, over OTLP and
// HTTP: a span for each event, a child span for each hook that ran, and metrics. A
// program that does not import it does not link the SDK: host.Options.Telemetry takes an
// exporter.
//
// An [Exporter] is a hook.Recorder, which alone is enough for spans and metrics: the
// spans are then made when an event is over. With [Exporter.Start] around events and
// [Exporter.Wrap] around handlers the spans are there while hooks run, under the
// host's own span when its context has one, and [Exporter.Env] hands TRACEPARENT to
// processes, so that what a hook does can join the trace.
//
// Nothing here waits for the collector, save for Shutdown. What cannot be delivered
// is dropped, and Options.Warn is told once. No global of the SDK is touched.
//
// What tools were given and returned is not sent. Texts of hooks, such as the reason
// of a deny, are sent with secrets taken out.
package otel
