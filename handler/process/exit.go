package process

import (
	"fmt"
	"time"
)

// Exit is what became of a process that was started.
type Exit struct {
	// Pid is the id the process had. It may already belong to another one.
	Pid int
	// Code is the exit code, or -1 if a signal ended the process or its end
	// could not be learnt.
	Code int
	// Signal is the name of the signal that ended it ("SIGKILL"), or empty.
	Signal string

	// TimedOut says that we ended it because a deadline passed, Cancelled that
	// we ended it for any other cause. At most one is set; neither is when the
	// process ended by itself, however late. Code and output are what they are
	// in either case: a process may answer SIGTERM with exit 0.
	TimedOut, Cancelled bool
	// Cause is the cause with which we ended it: that of the context (see
	// context.Cause) or the one given to [Process.Kill]. Nil otherwise.
	Cause error

	// Stdout is the head of standard output, Stderr the tail of standard error,
	// each up to its limit.
	Stdout, Stderr []byte
	// StdoutBytes and StderrBytes count all that was read, kept or not.
	StdoutBytes, StderrBytes int64
	// StdoutTruncated and StderrTruncated say that more was read than kept.
	StdoutTruncated, StderrTruncated bool

	// StdinBytes counts what the process's input pipe took of the payload.
	// Fewer than were given means that the process did not read them.
	StdinBytes int64

	// Left are processes that a process which ended by itself had left behind, and which
	// were ended. Linux only; elsewhere they are ended and not named.
	Left []int
	// PipeHeld says that a child of the process still held its output open
	// when we stopped reading.
	PipeHeld bool
	// Survivors are processes of the tree that were alive when the run ended:
	// those that hold a pipe, or that a kill did not end. Linux only.
	Survivors []int

	// Phases says where the time went, Duration is all of it.
	Phases   Phases
	Duration time.Duration
}

// Phases are the parts of a run, by the monotonic clock.
type Phases struct {
	// Start is the time to create the pipes and start the program, retries
	// included.
	Start time.Duration
	// Stdin is the time from the start (or from Feed) until the input was
	// closed: all of it taken, or refused by a process that had stopped
	// reading. Zero if it fitted the pipe at once.
	Stdin time.Duration
	// Run is the time from the start to the process's own end.
	Run time.Duration
	// Drain is the time from there until its output ended or was given up.
	Drain time.Duration
}

// Success reports whether the process ended by itself with code 0.
func (e *Exit) Success() bool {
	return e.Code == 0 && e.Signal == "" && !e.Ended()
}

// Ended reports whether we ended the process, for whatever cause.
func (e *Exit) Ended() bool { return e.TimedOut || e.Cancelled }

// String describes the end in a few words: "exit status 1", "killed by
// SIGSEGV", "timed out after 1s".
func (e *Exit) String() string {
	switch {
	case e.TimedOut:
		return fmt.Sprintf("timed out after %s", e.Duration.Round(time.Millisecond))
	case e.Cancelled:
		return fmt.Sprintf("cancelled after %s: %v", e.Duration.Round(time.Millisecond), e.Cause)
	case e.Signal != "":
		return "killed by " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}
