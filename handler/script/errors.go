package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/diag"
)

// errReentrant is returned by a call into a module from inside that module's
// own synchronous call to its host: waiting for it would wait for itself.
var errReentrant = errors.New("a module cannot be called from inside its own call to the host")

// errClosed is returned by calls into a closed module.
var errClosed = errors.New("the module is closed")

// errNoHandler is returned by Dispatch for an event handler that the
// module did not register.
var errNoHandler = errors.New("the module registered no such handler")

// Position is a place in a source file. Line and Column start at 1; 0 means
// unknown.
type Position struct {
	File   string
	Line   int
	Column int
}

// String returns file:line:column, as far as it is known.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// LoadError says why a module could not be loaded.
type LoadError struct {
	// Path is the module's file.
	Path string
	// Problems has at least one entry.
	Problems []diag.Diagnostic
	// Err is the cause, when it is more than a text.
	Err error
}

// Error lists the problems, one a line.
func (e *LoadError) Error() string {
	lines := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		line := p.String()
		if p.Remedy != "" {
			line += " (" + p.Remedy + ")"
		}
		lines = append(lines, line)
	}
	return "Failed to load hook: " + strings.Join(lines, "\n")
}

// Unwrap returns the cause.
func (e *LoadError) Unwrap() error { return e.Err }

// Error is a JavaScript error that a handler threw or a promise was rejected
// with.
type Error struct {
	// Name is the error's class, such as "TypeError"; empty when the thrown
	// value was not an Error.
	Name string
	// Message is the error's message.
	Message string
	// Code is the error's code, such as "ENOENT", if it has one.
	Code string
	// Position is where it was thrown, in the module's own source.
	Position Position
	// Stack is the trace, in the module's own source positions.
	Stack string
}

// Error returns the message with its place.
func (e *Error) Error() string {
	msg := e.Message
	if e.Name != "" && e.Name != "Error" {
		msg = e.Name + ": " + msg
	}
	if e.Position.File == "" {
		return msg
	}
	return msg + " at " + e.Position.String()
}

// condemnedError says that the module's engine was dropped while a call
// waited. The module is loaded again for the next call.
type condemnedError struct {
	// Path is the module's file.
	Path string
	// Reason says why.
	Reason condemnation
	// Detail has more, such as the time budget; it may be empty.
	Detail string
}

// condemnation is a reason to drop an engine.
type condemnation string

// The reasons.
const (
	// overBudget: JavaScript ran longer than its CPU slice.
	overBudget condemnation = "ran over its time budget"
	// outOfMemory: the heap limit was hit.
	outOfMemory condemnation = "ran out of memory"
	// stuck: native code could not be stopped; its goroutine was abandoned.
	stuck condemnation = "could not be stopped"
	// brokeEngine: the engine itself failed.
	brokeEngine condemnation = "broke its engine"
)

// Error says which module was ended, and why.
func (e *condemnedError) Error() string {
	msg := fmt.Sprintf("the module %s %s and was ended", e.Path, e.Reason)
	if e.Detail != "" {
		msg += ": " + e.Detail
	}
	return msg
}

// UnsupportedError says that the host has no such thing.
type UnsupportedError struct {
	// What names it as the module knows it, such as "pi.setModel".
	What string
}

// Error returns "not supported by this host: " and the name.
func (e *UnsupportedError) Error() string { return "not supported by this host: " + e.What }
