package executable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/handler/internal/procrun"
	"github.com/hookline-dev/hookline/handler/internal/text"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/internal/shebang"
	"github.com/hookline-dev/hookline/sandbox"
)

const (
	// defaultQueryTimeout bounds the question for a program's type.
	defaultQueryTimeout = 5 * time.Second
	// defaultParallel is how many programs are asked at once.
	defaultParallel = 2

	maxTypeOutput = 4 << 10
	maxTypeName   = 64
)

// Types asks programs for their type. Set its fields before its first use and
// none after it; it is then safe for concurrent use. It must not be copied after
// its first use.
type Types struct {
	// Trusted says whether a program with this content may be run. The digest is
	// "sha256:" and the sum in hexadecimal. Nil trusts nothing.
	Trusted func(path, digest string) bool
	// Known says whether a word is a type. Nil takes any word of small letters,
	// digits and underscores.
	Known func(typ string) bool
	// CacheDir is the directory of the file in which answers are remembered; ""
	// remembers them only as long as Types lives. It must not be writable for
	// those who are not trusted.
	CacheDir string
	// Parallel is how many programs are asked at once; 0 is 2.
	Parallel int
	// Timeout bounds each question; 0 is 5 seconds.
	Timeout time.Duration
	// Dir is the working directory of the programs; "" is each program's own.
	Dir string
	// Base is the environment as KEY=VALUE to which HOOKLINE=1 is added. Nil is
	// this program's own without credentials, loader variables and the like.
	Base []string

	env   procrun.Environment
	once  sync.Once
	slots *process.Limiter
	cache cache
}

// Type is a program's answer.
type Type struct {
	// Path is the program as it was given, Type its answer, "" with an error.
	Path, Type string
	// Digest is that of the content; "" when it could not be read.
	Digest string
	// Cached says that the program was not started for the answer.
	Cached bool
	// Err says why there is no answer: an *UntrustedError, the failure of the question, an error
	// of the file system, or the cause of the context.
	Err error
}

func (t *Types) init() {
	t.once.Do(func() {
		n := t.Parallel
		if n <= 0 {
			n = defaultParallel
		}
		t.slots = process.NewLimiter(n)
		t.cache.open(t.CacheDir)
	})
}

// Program is a program that is asked for its type.
type Program struct {
	// Path is the program, by which it is trusted, remembered and named in errors.
	Path string
	// Copy, when not "", is a private copy of it, and what is started.
	Copy string
	// Env, when not nil, is used in the place of Types.Base.
	Env []string
	// Wall, when not nil, is what it stays within.
	Wall *sandbox.Wall
}

// Query returns the type of one program; see [Type] for the errors.
func (t *Types) Query(ctx context.Context, path string) (string, error) {
	a := t.QueryAll(ctx, []Program{{Path: path}})[0]
	return a.Type, a.Err
}

// QueryAll returns the types of programs, in the order in which they were given.
func (t *Types) QueryAll(ctx context.Context, programs []Program) []Type {
	t.init()
	out := make([]Type, len(programs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(len(programs), max(t.Parallel, defaultParallel)) {
		wg.Go(func() {
			for i := range next {
				out[i] = t.one(ctx, programs[i])
			}
		})
	}
	for i := range programs {
		next <- i
	}
	close(next)
	wg.Wait()
	t.cache.save()
	return out
}

// Remembered returns what a program answered when it was last asked, "" when it never was,
// whatever has become of it since.
func (t *Types) Remembered(path string) string {
	t.init()
	if typ := t.cache.last(path); t.known(typ) {
		return typ
	}
	return ""
}

// CacheError returns what is wrong with the file of remembered answers, nil when
// nothing is. Answers do not depend on it; without it, programs are asked again.
func (t *Types) CacheError() error { return t.cache.problem() }

func (t *Types) one(ctx context.Context, p Program) Type {
	given := p.Path
	a := Type{Path: given}
	path, err := filepath.Abs(given)
	if err != nil {
		a.Err = fmt.Errorf("find %q: %w", given, err)
		return a
	}
	start := cmp.Or(p.Copy, path)
	release, _, err := t.slots.Acquire(ctx, process.CanWait)
	if err != nil {
		a.Err = fmt.Errorf("ask %q for its type: %w", given, err)
		return a
	}
	defer release()
	seen, digest, err := look(start, identity{}, "")
	if err != nil {
		a.Err = fmt.Errorf("look at %q: %w", given, err)
		return a
	}
	a.Digest = digest
	if t.Trusted == nil || !t.Trusted(path, digest) {
		a.Err = &UntrustedError{Path: path, Digest: digest}
		return a
	}
	if typ, ok := t.cache.get(path, seen, digest); ok && t.known(typ) {
		a.Type, a.Cached = typ, true
		return a
	}
	a.Type, a.Err = t.ask(ctx, path, start, p, seen)
	if a.Err == nil {
		t.cache.put(path, seen, digest, a.Type)
	}
	return a
}

// ask starts the program, which is known as path.
func (t *Types) ask(ctx context.Context, path, start string, p Program, seen identity) (string, error) {
	timeout := t.Timeout
	if timeout <= 0 {
		timeout = defaultQueryTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	dir := t.Dir
	if dir == "" {
		dir = filepath.Dir(path)
	}
	env := t.env.With(t.Base, []string{"HOOKLINE=1"})
	if p.Env != nil {
		env = new(procrun.Environment).With(p.Env, []string{"HOOKLINE=1"})
	}
	exit, err := process.Run(ctx, process.Spec{
		Path: start, Args: []string{verbType}, Dir: dir, Env: env,
		StdoutLimit: maxTypeOutput, StderrLimit: maxTypeOutput, Wall: p.Wall,
	})
	if err != nil {
		return "", &queryError{Path: path, ExitCode: -1, Err: err}
	}
	fail := &queryError{
		Path: path, Printed: text.Quote(exit.Stdout), Stderr: strings.ReplaceAll(text.LastLine(exit.Stderr), start, path),
		ExitCode: exit.Code, Signal: exit.Signal,
	}
	typ := strings.TrimSpace(strings.TrimPrefix(string(exit.Stdout), "\uFEFF"))
	switch {
	case exit.TimedOut:
		fail.Err = fmt.Errorf("no answer within %v: %w", timeout, exit.Cause)
	case exit.Cancelled:
		fail.Err = exit.Cause
	case exit.Code != 0:
		fail.Err = errors.New("it failed")
		if fault := shebang.Fault(start, filepath.SplitList(procrun.Lookup(env, "PATH"))); fault != "" {
			fail.Err = errors.New(fault)
		}
	case exit.StdoutTruncated || !t.known(typ):
		fail.Err = ErrNoType
	default:
		if err := unchanged(start, seen); err != nil {
			fail.Err = err
			return "", fail
		}
		return typ, nil
	}
	return "", fail
}

// known reports whether a word is a type.
func (t *Types) known(typ string) bool {
	if typ == "" || len(typ) > maxTypeName {
		return false
	}
	for i := range len(typ) {
		c := typ[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return t.Known == nil || t.Known(typ)
}
