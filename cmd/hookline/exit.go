package main

import (
	"context"
	"errors"
	"fmt"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitBlocked = 3
)

// usageError is a mistake in how the command was called.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// errBlocked says that a hook blocked; the outcome has been printed.
var errBlocked = errors.New("blocked by a hook")

// errSilent fails without another word; what there is to say has been said.
var errSilent = errors.New("failed")

// exitWith ends the program with a code that means something to who started it; what there
// is to say has been said.
type exitWith int

func (e exitWith) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exitCode maps an error to the exit code and says whether it is still to be
// printed. It is the one place that knows.
func exitCode(err error) (code int, print bool) {
	switch {
	case err == nil:
		return exitOK, false
	case errors.Is(err, errBlocked):
		return exitBlocked, false
	case errors.Is(err, errSilent):
		return exitFailed, false
	case errors.Is(err, context.Canceled):
		return exitFailed, true
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage, true
	}
	if e, ok := errors.AsType[exitWith](err); ok {
		return int(e), false
	}
	return exitFailed, true
}
