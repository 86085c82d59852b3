package process

import (
	"os"
	"time"

	"github.com/hookline-dev/hookline/sandbox"
)

// Defaults of the zero values in a [Spec].
const (
	DefaultOutputLimit = 1 << 20
	DefaultGrace       = 500 * time.Millisecond
	defaultDrain       = 250 * time.Millisecond
)

// drainCap bounds the time spent on pipes that somebody else keeps open, as a
// multiple of [Spec.Drain].
const drainCap = 8

// Stream names one of the two output streams.
type Stream uint8

// The output streams of a process.
const (
	Stdout Stream = iota + 1
	Stderr
)

// String returns "stdout" or "stderr".
func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// Spec says what to run and within which bounds. Its zero values are the
// defaults; only Path is needed. A Spec is not changed and may be used again.
type Spec struct {
	// Path is the program. Without a path separator it is looked up in the PATH
	// of Env (on Windows, of the caller); otherwise a relative path is relative
	// to Dir.
	Path string
	// Args are the arguments after the program's own name, passed as they are:
	// no shell sees them.
	Args []string
	// Dir is the working directory; empty means the caller's.
	Dir string
	// Env is the environment as KEY=VALUE. Nil means the caller's environment
	// as [Environ] filters it with the zero [EnvPolicy]; empty means none. PWD
	// is added with Dir, and HOOKLINE_RUN, which marks the run's processes.
	Env []string

	// Wall, when not nil, is what the process and all that it starts stay within.
	Wall *sandbox.Wall

	// Stdin is written to the process, then its standard input is closed.
	Stdin []byte
	// StdinLater leaves standard input open after the start, for
	// [Process.Feed] or [Process.Stdin]. Stdin is then ignored.
	StdinLater bool
	// StdinFile and StdoutFile, when not nil, are what the process gets as its standard
	// input and output, in place of pipes of ours. They stay the caller's.
	StdinFile, StdoutFile *os.File
	// StdoutPipe hands standard output to the caller ([Process.Stdout]) in
	// place of capturing it.
	StdoutPipe bool

	// StdoutLimit and StderrLimit bound what is kept of each stream, in bytes.
	// 0 means [DefaultOutputLimit], a negative number keeps nothing.
	StdoutLimit, StderrLimit int

	// Grace is the time between SIGTERM and SIGKILL. 0 means [DefaultGrace], a
	// negative number kills at once.
	Grace time.Duration
	// Drain is how long a pipe that outlives the process may stay silent
	// before it is given up. 0 means 250 ms, a negative number takes
	// only what is there.
	Drain time.Duration

	// Leave lets go on what the process leaves behind when it ends by itself. Otherwise
	// that is ended, and named in [Exit.Left].
	Leave bool

	// Through has OnOutput called with all output, beyond the limits too.
	Through bool
	// OnOutput, if set, is called with each chunk as it is read, up to the
	// stream's limit. A chunk never ends inside a UTF-8 sequence that the
	// process completes later. Calls are never concurrent for one process; the
	// slice is valid during the call only. It must not block: the output is not
	// read meanwhile, and the run does not end before it returns.
	OnOutput func(Stream, []byte)

	noPump bool // for tests: read as systems do that cannot pump
}

// limit resolves a limit's zero and negative values.
func limit(n int) int {
	switch {
	case n == 0:
		return DefaultOutputLimit
	case n < 0:
		return 0
	}
	return n
}

// span resolves a duration's zero and negative values.
func span(d, def time.Duration) time.Duration {
	switch {
	case d == 0:
		return def
	case d < 0:
		return 0
	}
	return d
}
