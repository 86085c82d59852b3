// Package vm hides the script engine behind an interface of six methods, so
// that everything above it (the event loop, the JavaScript runtime, the
// bundles) would work the same on another engine.
//
// The engine is QuickJS, translated to Go (modernc.org/quickjs): no cgo, a
// memory limit, and regular expressions that answer as Node's do.
//
// An Engine belongs to one goroutine. Only Interrupt may be called from
// others, at any time.
package vm
