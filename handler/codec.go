package handler

import (
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// Codec translates between the engine and the hooks of one dialect. A dialect
// gives a codec to the handlers that run its hooks, so that no handler knows a
// dialect's spelling. Implementations are safe for concurrent use.
type Codec interface {
	// EncodeInput returns the bytes that the hook gets, on stdin or as a request
	// body, with the line break that the dialect ends them with.
	EncodeInput(call *hook.Call) ([]byte, error)
	// DecodeResult reads what the hook answered. Notes are remarks for the run's
	// record, such as a key that means nothing. An answer that is none is an error,
	// a *hook.Failure: it is never taken for consent or for silence.
	DecodeResult(call *hook.Call, a Answer) (res hook.Result, notes []string, err error)
}

// AsyncCodec is implemented by codecs of dialects in which a hook can say, by the
// first line of its output, that it goes on in the background.
type AsyncCodec interface {
	// DecodeAsync reads the first line; ok is false when it is an ordinary one. A
	// timeout of 0 is none of the hook's own.
	DecodeAsync(line []byte) (timeout time.Duration, ok bool)
}

// Answer is what a hook that runs outside the program answered.
type Answer struct {
	// ExitCode is the process's exit code, -1 when a signal ended it; 0 for
	// answers that come without one.
	ExitCode int
	// Signal names the signal that ended the process, "" otherwise.
	Signal string
	// Stdout and Stderr are the output up to the handler's cap, the bytes as they
	// came.
	Stdout, Stderr []byte
	// StdoutTruncated says that Stdout was cut at the cap, so that it must not be
	// read as a whole answer.
	StdoutTruncated bool
}
