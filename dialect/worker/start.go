package worker

import (
	"context"

	"github.com/hookline-dev/hookline/handler/worker"
)

// The types of package handler/worker that a caller needs.
type (
	// Spec says what to run.
	Spec = worker.Spec
	// Worker is a worker that was started.
	Worker = worker.Worker
)

// Start starts a worker of Hookline's own protocol and waits for its hello. The context
// bounds the start and nothing after it. The caller closes the worker.
func Start(ctx context.Context, spec Spec) (*Worker, error) {
	spec.Wire = worker.Lines{}
	return worker.Start(ctx, spec)
}

// expect returns a worker that is started by its first call, and that is known to ask
// for the hooks of hello. The caller closes it.
func expect(spec Spec, hello worker.Hello) (*Worker, error) {
	spec.Wire = worker.Lines{}
	return worker.Expect(spec, hello)
}
