//go:build !unix

package ui

import (
	"context"
	"io"
)

// waiter returns nil: there is no way to wait for a console here.
func waiter(io.Reader) func(context.Context) error { return nil }
