package procrun

import (
	"strings"
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
	if len(exit.Left) > 0 {
		r.note("processes that the hook left behind were ended: %v", exit.Left)
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
