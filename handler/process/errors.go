package process

import (
	"errors"
	"fmt"
	"strconv"
)

// ErrKilled is the cause of an end by [Process.Kill] without a cause.
var ErrKilled = errors.New("killed by its owner")

// ErrFed is returned by [Process.Feed] when the process has had its input.
var ErrFed = errors.New("the process already has its input")

// Reason says why a process could not be started.
type Reason uint8

// The reasons. Anything else the system may say is ReasonOther.
const (
	ReasonOther          Reason = iota
	ReasonNotFound              // no such program
	ReasonNotExecutable         // a directory, or without permission to run
	ReasonBadFormat             // neither a program nor a script with a #! line
	ReasonNoInterpreter         // the program named by the #! line is missing
	ReasonBusy                  // the file is still open for writing
	ReasonBadDir                // the working directory is gone or not usable
	ReasonTooBig                // arguments and environment beyond the system's limit
	ReasonExhausted             // out of descriptors, processes or memory
	ReasonUnsafePath            // found only through a relative entry of PATH
	ReasonUnsafeArgument        // an argument that cannot be passed unchanged
	ReasonSandbox               // its sandbox could not be entered
)

// String returns the reason in a few words.
func (r Reason) String() string {
	switch r {
	case ReasonNotFound:
		return "not found"
	case ReasonNotExecutable:
		return "not executable"
	case ReasonBadFormat:
		return "not a program and no #! line"
	case ReasonNoInterpreter:
		return "interpreter not found"
	case ReasonBusy:
		return "file is being written"
	case ReasonBadDir:
		return "working directory not usable"
	case ReasonTooBig:
		return "arguments and environment too big"
	case ReasonExhausted:
		return "out of descriptors, processes or memory"
	case ReasonUnsafePath:
		return "found only through a relative PATH entry"
	case ReasonUnsafeArgument:
		return "argument cannot be passed safely"
	case ReasonSandbox:
		return "its sandbox could not be entered"
	}
	return "could not start"
}

// StartError says that a process was not started: nothing of it has run.
type StartError struct {
	Reason Reason
	// Path is the program as it was named, Dir the working directory asked for.
	Path, Dir string
	// SearchPath is the PATH that was searched; empty if none was.
	SearchPath string
	// Detail is what helps to repair it, such as a missing interpreter's name.
	Detail string
	// Err is what the system said.
	Err error
}

// Error names the program, the reason and where it was looked for.
func (e *StartError) Error() string {
	s := "starting " + strconv.Quote(e.Path) + ": " + e.Reason.String()
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.SearchPath != "" {
		s += fmt.Sprintf(", PATH=%s", e.SearchPath)
	}
	if e.Dir != "" {
		s += fmt.Sprintf(", in %s", strconv.Quote(e.Dir))
	}
	return s
}

// Unwrap returns the system's error.
func (e *StartError) Unwrap() error { return e.Err }
