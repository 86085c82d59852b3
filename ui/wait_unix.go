//go:build unix

package ui

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// waiter returns a function that waits until src can be read without blocking,
// or nil when src is not a file.
func waiter(src io.Reader) func(context.Context) error {
	f, ok := src.(*os.File)
	if !ok {
		return nil
	}
	return func(ctx context.Context) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		defer r.Close()
		stop := context.AfterFunc(ctx, func() { w.Close() })
		defer func() {
			if stop() {
				w.Close()
			}
		}()
		fds := []unix.PollFd{
			{Fd: int32(f.Fd()), Events: unix.POLLIN},
			{Fd: int32(r.Fd()), Events: unix.POLLIN},
		}
		for {
			_, err := unix.Poll(fds, -1)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// An error is left for the read to find.
			return nil
		}
	}
}
