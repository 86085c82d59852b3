// Package script runs hook modules written in TypeScript or JavaScript, in an
// engine inside this program: no Node is needed, and an event costs microseconds.
//
// Load bundles a module with everything it imports, runs it, and returns it with
// what it registered. Dispatch runs one of its event handlers; RunCommand,
// RunTool, Render and their kin run the rest. In which order handlers run, and
// what their answers mean together, is the engine's business (package hook);
// NewHook makes a hook.Handler of a handler, given a codec.
//
// # One module, one engine, one goroutine
//
// A module has a JavaScript engine of its own, owned by one goroutine, so that
// modules cannot reach into each other. The calls of a module interleave where
// it waits, as they do in Node: a handler may run while an earlier one waits for
// a person.
//
// What JavaScript asks of Go is answered in two ways. Synchronous calls (the
// session's entries, ctx.hasUI) answer from memory; a call into the module from
// within one is refused. Asynchronous ones (dialogs, programs,
// requests) run in goroutines, and settle a promise when they are done.
//
// # Modules that misbehave
//
// A run of JavaScript that does not come back within its slice is interrupted.
// Native code that never looks at the interrupt is refused memory, and, should
// that not end it either, left behind with its goroutine and counted (Stats).
// An engine that was interrupted or out of memory is condemned: the calls that
// wait get an error, and the module is loaded again for the next one.
// What arrives late for the old engine is ignored.
//
// The slice is wall time, but on a machine so busy that this process hardly gets
// to run it is extended, up to ten times.
//
// Rejected promises that nobody handles, errors in timers and the like are
// reported to Options.OnReport, in terms of the module's own files.
//
// # Grants
//
// A module does nothing outside its engine without a grant: see Grants. They are
// enforced here and in package node, not in JavaScript.
package script
