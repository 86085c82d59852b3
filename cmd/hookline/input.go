package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/ui"
)

// readInput reads the file that an argument names, or with "-" standard input, up to a
// number of bytes. A person who waits at the terminal for it may interrupt it. What can't be
// read is a mistake of who named it.
func (a *app) readInput(ctx context.Context, name string, limit int) ([]byte, error) {
	r := a.in
	if name == "-" {
		a.reads("standard input, which Ctrl-D ends,")
	} else {
		file, err := os.Open(a.inDir(name))
		if err != nil {
			return nil, &usageError{err}
		}
		defer file.Close()
		r = file
	}
	data, err := readAll(ctx, io.LimitReader(r, int64(limit)+1))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &usageError{err}
	case len(data) > limit:
		return nil, usagef("%s is larger than %d MiB", inputName(name), limit>>20)
	}
	return data, nil
}

// reads says to a person at the terminal what a command reads there.
func (a *app) reads(what string) {
	if in, ok := a.in.(*os.File); ok && ui.IsTerminal(in) {
		a.warnf("Reading %s here.", what)
	}
}

func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return escaped(name)
}

// readAll reads to the end, unless the context ends first. Then a read that does not
// return is left behind.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	type result struct {
		b   []byte
		err error
	}
	done := make(chan result, 1)
	go func() {
		b, err := io.ReadAll(r)
		done <- result{b, err}
	}()
	select {
	case got := <-done:
		return got.b, got.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// whyNotJSON says why text is not one JSON value, nil when it is.
func whyNotJSON(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("it is empty")
	}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return errors.New("it begins with a byte order mark; save it without one")
	}
	var value jsontext.Value
	err := json.Unmarshal(data, &value, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err == nil {
		return nil
	}
	return fmt.Errorf("it is not valid JSON: %s", jsonx.ErrorText(err))
}
