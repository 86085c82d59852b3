package procrun

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// report fills in the record of a process that has ended.
func (r *run) report(exit *process.Exit) {
	rep := r.call.Report
	if exit.Code >= 0 {
		code := exit.Code
		rep.ExitCode = &code
	}
	rep.Signal = exit.Signal
	rep.Stdout, rep.Stderr = r.text(exit.Stdout, "stdout"), r.text(exit.Stderr, "stderr")
	rep.StdoutBytes, rep.StderrBytes = exit.StdoutBytes, exit.StderrBytes
	rep.Truncated = exit.StdoutTruncated || exit.StderrTruncated
	rep.Phases = hook.Phases(exit.Phases)
	if exit.StdoutTruncated {
		r.note("of %d bytes of stdout the first %d were kept", exit.StdoutBytes, len(exit.Stdout))
	}
	if exit.StderrTruncated {
		r.note("of %d bytes of stderr the last %d were kept", exit.StderrBytes, len(exit.Stderr))
	}
	switch {
	case exit.PipeHeld && len(exit.Survivors) > 0:
		r.note("a child of the hook still held its output open when reading stopped: %v", exit.Survivors)
	case exit.PipeHeld:
		r.note("a child of the hook still held its output open when reading stopped")
	}
}

// text returns output as text for the record.
func (r *run) text(b []byte, stream string) string {
	if utf8.Valid(b) {
		return string(b)
	}
	r.note("%s is not valid UTF-8", stream)
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// maxQuote bounds a piece of output that an error repeats, in characters.
const maxQuote = 200

// LastLine returns the last line that is not blank, on one line and without
// control characters.
func LastLine(b []byte) string {
	b = bytes.TrimRightFunc(b, unicode.IsSpace)
	return Quote(b[bytes.LastIndexByte(b, '\n')+1:])
}

// Quote returns the head of a piece of output on one line, without control
// characters.
func Quote(b []byte) string {
	out := make([]rune, 0, maxQuote)
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		b = b[n:]
		switch {
		case c == '\n' || c == '\t' || c == '\r':
			c = ' '
		case !unicode.IsPrint(c):
			continue
		}
		if len(out) == maxQuote {
			return strings.TrimSpace(string(out)) + "…"
		}
		out = append(out, c)
	}
	return strings.TrimSpace(string(out))
}
