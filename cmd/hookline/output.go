package main

import (
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// checkedWriter keeps the first error of the writer below it, for those who print
// and don't look. It may be used by several goroutines when that writer may.
type checkedWriter struct {
	to   io.Writer
	gone func() // told when the reader wants no more; may be nil

	mu  sync.Mutex
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		if w.gone != nil && readerGone(err) {
			w.gone()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			w.err = err
		}
	}
	return n, err
}

// fault returns the first error, nil when all that happened is that the reader
// wants no more.
func (w *checkedWriter) fault() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if readerGone(w.err) {
		return nil
	}
	return w.err
}

// watch tells when the reader goes away, also while nothing is written, until the
// function returned is called.
func (w *checkedWriter) watch() (stop func()) {
	if file, ok := w.to.(*os.File); ok && w.gone != nil {
		return watchReader(file, w.gone)
	}
	return func() {}
}

func readerGone(err error) bool {
	if runtime.GOOS == "windows" {
		const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232)
		return errors.Is(err, brokenPipe) || errors.Is(err, noData)
	}
	return errors.Is(err, syscall.EPIPE)
}
