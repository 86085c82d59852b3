// Package worker turns persistent workers into registrations: Hookline's own, which
// speak the protocol of docs/worker-protocol.md, and kodelet's extensions.
//
// [Start] starts a worker and waits until it has said what it wants;
// [Registrations] are the hooks for a registry. Both kinds keep the promises of package
// handler/worker: a worker that dies keeps its registrations, and their calls fail by
// policy while it is down.
package worker
