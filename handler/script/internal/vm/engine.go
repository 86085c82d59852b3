package vm

import "strings"

// Engine runs JavaScript. It is owned by one goroutine; only Interrupt may be
// called from another one.
type Engine interface {
	// Eval runs a script to its end; what it evaluates to is dropped. Jobs it
	// queued are left to RunJobs.
	Eval(p Program) error
	// CallRT calls a function that the runtime script exported and returns
	// its result when that is a string, "" otherwise. Arguments are strings,
	// booleans, integers and floats.
	CallRT(name string, args ...any) (string, error)
	// RunJobs runs queued promise jobs until none is left.
	RunJobs() error
	// Interrupt ends the running JavaScript. Called a second time before
	// Resume it also refuses it more memory, which ends the native loops that
	// never look at the interrupt flag. It is safe at any time and from any
	// goroutine, also after Close.
	Interrupt()
	// Resume makes the engine usable after an Interrupt. The engine may still
	// hold the jobs of what was interrupted, so a caller that cannot tell what
	// those do closes the engine instead.
	Resume()
	// Close frees the engine.
	Close() error
}

// Program is one script.
type Program struct {
	// Name is the file name in stack traces.
	Name string
	// Source is the text.
	Source string
	// Code is what Compile made of the text; empty means compile now. Code of
	// another engine version is ignored.
	Code []byte
}

// Host is called for every call that the runtime script makes into Go. It runs
// on the engine's goroutine, inside the JavaScript that called.
type Host func(op string, args []any) (string, error)

// Config says how an engine is set up. The zero value of a limit means the
// default.
type Config struct {
	// Memory bounds the JavaScript heap, in bytes (default DefaultMemory).
	Memory int64
	// Host answers the runtime's calls.
	Host Host
	// Runtime is run first; the object that it leaves in the global variable
	// runtimeGlobal holds the functions that CallRT calls.
	Runtime Program
	// Rejected is told, on the engine's goroutine, that a promise was rejected
	// and nobody listens (yet): the runtime's function "rejection" has noted
	// which. It must not call into the engine.
	Rejected func()
}

// DefaultMemory is the heap limit of an engine whose Config has none.
const DefaultMemory = 64 << 20

// Names of the globals through which the runtime script and the engine meet.
// The runtime removes both.
const (
	hostGlobal    = "__hl_host"
	runtimeGlobal = "__hl_rt"
)

// Error is a JavaScript exception.
type Error struct {
	// Name is the error class, such as "TypeError".
	Name string
	// Message is the error's message.
	Message string
	// Stack has one frame a line, in the engine's notation.
	Stack string
}

// Error returns the class and the message.
func (e *Error) Error() string {
	if e.Name == "" || e.Name == "Error" {
		return e.Message
	}
	return e.Name + ": " + e.Message
}

// Interrupted reports whether the script was ended by Interrupt.
func (e *Error) Interrupted() bool {
	return e.Name == "InternalError" && e.Message == "interrupted"
}

// OutOfMemory reports whether the script hit its memory limit.
func (e *Error) OutOfMemory() bool {
	return IsOutOfMemory(e.Name, e.Message)
}

// IsOutOfMemory reports whether an exception says that the memory limit was hit.
func IsOutOfMemory(name, message string) bool {
	// With no memory left the message itself may not fit.
	return name == "InternalError" && (message == "" || strings.HasPrefix(message, "out of memory"))
}
