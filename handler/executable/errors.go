package executable

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// UntrustedError says that a program was not executed because nobody has
// approved its content.
type UntrustedError struct{ Path, Digest string }

// Error names the program and its digest.
func (e *UntrustedError) Error() string {
	return fmt.Sprintf("%s is not trusted (%s)", strconv.Quote(e.Path), e.Digest)
}

// ErrNoType is the cause of an error when the program ran and what it
// printed is not a type that is known.
var ErrNoType = errors.New("that is not a known type")

// queryError says that a program did not tell its type.
type queryError struct {
	Path string
	// Printed is the head of what it printed on standard output, and Stderr the
	// end of what it printed on standard error, each on one line.
	Printed, Stderr string
	// ExitCode is -1 when a signal ended the program or it never ran.
	ExitCode int
	// Signal names the signal that ended it.
	Signal string
	// Err is what went wrong: ErrNoType, context.DeadlineExceeded, a
	// *process.StartError and the like.
	Err error
}

// Error names the program, what went wrong and what it printed.
func (e *queryError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ask %s for its type: %v", strconv.Quote(e.Path), e.Err)
	if e.ExitCode > 0 {
		fmt.Fprintf(&b, "; exit status %d", e.ExitCode)
	}
	if e.Signal != "" {
		fmt.Fprintf(&b, "; ended by %s", e.Signal)
	}
	if e.Printed != "" {
		fmt.Fprintf(&b, "; it printed %q", e.Printed)
	}
	if e.Stderr != "" {
		fmt.Fprintf(&b, "; stderr: %q", e.Stderr)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *queryError) Unwrap() error { return e.Err }
