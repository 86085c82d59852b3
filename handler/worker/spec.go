package worker

import (
	"errors"
	"fmt"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/sandbox"
)

// The defaults of the zero values in a [Spec].
const (
	defaultHelloTimeout = 10 * time.Second
	defaultCancelGrace  = 500 * time.Millisecond
	defaultMaxMessage   = 16 << 20
	defaultStderrLimit  = 64 << 10
	defaultBackoffMin   = 200 * time.Millisecond
	defaultBackoffMax   = 30 * time.Second
)

// maxConcurrency is the most calls at once that a worker may declare; a larger
// number counts as this one.
const maxConcurrency = 256

// maxHooks bounds how many hooks a worker may ask for.
const maxHooks = 1000

// Spec says what to run and within which bounds. Only Path is needed. It is not
// changed, and must not be after it was handed over.
type Spec struct {
	// Name names the worker in messages; "" takes the hello's name.
	Name string
	// Path, Args and Dir are the program, its arguments and its working directory,
	// as process.Spec has them.
	Path string
	Args []string
	Dir  string
	// Env is the environment as KEY=VALUE, to which HOOKLINE=1 and HOOKLINE_WORKER
	// with the version of the protocol are added. Nil is this program's own without
	// credentials, loader variables and the like; see process.Environ.
	Env []string

	// Wall, when not nil, is what the worker stays within.
	Wall *sandbox.Wall

	// Files are the files whose content the worker is made of. Nil stands for Path,
	// if it is a path, and for those arguments that name files.
	Files []string
	// Trusted says whether a file with this content may be run; it is asked for each
	// of Files before each start. The digest is "sha256:" and the sum in hexadecimal.
	// Nil means that the caller has made sure of it.
	Trusted func(path, digest string) bool

	// Wire is the protocol; nil is Lines.
	Wire Wire
	// Host answers what the worker asks for; nil is nobody.
	Host Host
	// OnLog takes what the worker logs, and what happens to it: restarts and
	// faults. It is called from any goroutine and must not block. Nil drops it.
	OnLog func(Log)
	// OnHello is called when the worker was started again and asks for other hooks
	// than before. Those that it no longer asks for fail; new ones are not called
	// until somebody registers them from a worker started anew.
	OnHello func(Hello)

	// HelloTimeout bounds the time from a start to the hello.
	HelloTimeout time.Duration
	// CancelGrace is how long a worker may stay silent about a call that was
	// cancelled before it is replaced.
	CancelGrace time.Duration
	// KillAfter is the time between asking a process to end and killing it; 0 is
	// process.DefaultGrace.
	KillAfter time.Duration
	// MaxMessage bounds a message from the worker, in bytes.
	MaxMessage int
	// StderrLimit bounds the tail of stderr that is kept for messages, in bytes.
	StderrLimit int
	// BackoffMin is the wait after the second failure in a row; it doubles with
	// each further one up to BackoffMax. After a first failure there is none.
	BackoffMin, BackoffMax time.Duration
}

// withDefaults returns the spec with its zero values replaced.
func (s Spec) withDefaults() Spec {
	def(&s.HelloTimeout, defaultHelloTimeout)
	def(&s.CancelGrace, defaultCancelGrace)
	def(&s.MaxMessage, defaultMaxMessage)
	def(&s.StderrLimit, defaultStderrLimit)
	def(&s.BackoffMin, defaultBackoffMin)
	def(&s.BackoffMax, defaultBackoffMax)
	if s.Wire == nil {
		s.Wire = Lines{}
	}
	if s.Host == nil {
		s.Host = noHost{}
	}
	return s
}

func def[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Hello is what a worker says of itself.
type Hello struct {
	Name    string
	Version string
	// Concurrency is how many calls it takes at once, at least 1.
	Concurrency int
	Hooks       []HookSpec
	// Remarks are things in the hello that mean nothing here.
	Remarks []string
}

// HookSpec is a hook that a worker asks for.
type HookSpec struct {
	// Event is the event's name as the worker says it.
	Event string
	// Name tells hooks of one event apart.
	Name string
	// Matcher is the pattern for the event's subject.
	Matcher string
	// Timeout is the hook's deadline; 0 is the default of the kind, NoTimeout none.
	Timeout time.Duration
	// OnFailure says what a failure counts as.
	OnFailure hook.FailurePolicy
	// Priority, Observe, Guard and Once are as hook.Registration has them.
	Priority             int
	Observe, Guard, Once bool
}

// NoTimeout is the Timeout of a hook that asks for no deadline.
const NoTimeout time.Duration = -1

// check settles a hello, or says what is wrong with it.
func (h *Hello) check() error {
	switch {
	case h.Concurrency < 0:
		return fmt.Errorf("concurrency %d is negative", h.Concurrency)
	case h.Concurrency > maxConcurrency:
		h.Remarks = append(h.Remarks, fmt.Sprintf("concurrency %d counts as %d, the most there is", h.Concurrency, maxConcurrency))
		h.Concurrency = maxConcurrency
	case len(h.Hooks) > maxHooks:
		return fmt.Errorf("%d hooks, more than %d", len(h.Hooks), maxHooks)
	}
	h.Concurrency = max(h.Concurrency, 1)
	for i, s := range h.Hooks {
		if s.Event == "" {
			return fmt.Errorf("hook %d names no event", i)
		}
	}
	return nil
}

// sameHook reports whether two are the same hook in two hellos: what it is called
// for is the same.
func (s HookSpec) sameHook(o HookSpec) bool {
	return s.Event == o.Event && s.Name == o.Name && s.Matcher == o.Matcher
}

// mapping finds the hooks of an earlier hello in a later one: for each its index
// there, or -1.
func mapping(earlier, later []HookSpec) (to []int, same bool) {
	to, same = make([]int, len(earlier)), len(earlier) == len(later)
	taken := make([]bool, len(later))
	for i, e := range earlier {
		to[i] = -1
		for j, l := range later {
			if !taken[j] && e.sameHook(l) {
				to[i], taken[j] = j, true
				break
			}
		}
		same = same && to[i] == i && e == later[i]
	}
	return to, same
}

// Log is a line of a worker's log.
type Log struct {
	Worker string
	// Level is debug, info, warning or error.
	Level   string
	Message string
}

// ErrClosed is the cause of calls that fail because the worker was closed.
var ErrClosed = errors.New("the worker is closed")

// untrustedError says that a file of a worker may not be run with the content it
// has.
type untrustedError struct{ Path, Digest string }

func (e *untrustedError) Error() string {
	return fmt.Sprintf("%q is not trusted with its present content (%s)", e.Path, e.Digest)
}

// downError says that a worker is not running and is not started again yet.
type downError struct {
	// Failures is how often in a row it could not be started or died.
	Failures int
	// Again is how long it takes until it may be started again.
	Again time.Duration
	// Last is what went wrong last.
	Last error
}

func (e *downError) Error() string {
	return fmt.Sprintf("the worker is down: it failed %d times in a row and may be started again in %v; last: %v",
		e.Failures, e.Again.Round(time.Millisecond), e.Last)
}

// Unwrap returns what went wrong last.
func (e *downError) Unwrap() error { return e.Last }
