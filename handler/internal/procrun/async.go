package procrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// maxAnnouncement bounds the first line that may say that a hook goes on in the
// background. A longer one is output.
const maxAnnouncement = 64 << 10

// handOver is how long a process that goes on may run under nobody's deadline
// after its first context has ended, before the engine takes it over.
const handOver = 5 * time.Second

var utf8BOM = []byte("\uFEFF")

// turn is what happens to a process that is watched: it says that it goes on, when
// exit and err are nil, or it has ended.
type turn struct {
	exit *process.Exit
	err  error
}

// watched runs the process, and lets it go on in the background when it says so.
// The engine is told while Handle runs where it can be, which needs no goroutine;
// otherwise the process has one of its own and Handle returns early.
func (r *run) watched(ctx context.Context, codec handler.AsyncCodec) (hook.Result, error) {
	if ctx.Err() != nil {
		return hook.Result{}, fmt.Errorf("start the hook: %w", context.Cause(ctx))
	}
	a := &announcement{codec: codec}
	progress := r.Spec.OnOutput
	r.Spec.OnOutput = func(s process.Stream, chunk []byte) {
		if s == process.Stdout {
			a.take(chunk)
		}
		if progress != nil {
			progress(s, chunk)
		}
	}
	if r.goesOn(ctx) {
		return r.inPlace(ctx, a)
	}
	return r.runDetached(ctx, a)
}

// goesOn reports whether the engine can let the run go on while Handle runs: it can
// those with a deadline of their own.
func (r *run) goesOn(ctx context.Context) bool {
	_, ok := ctx.Deadline()
	return ok && !r.call.Background && r.call.Hook != nil && r.call.Hook.Timeout > 0
}

// inPlace runs the process in this goroutine. What it answers after it has gone on
// is the late answer.
func (r *run) inPlace(ctx context.Context, a *announcement) (hook.Result, error) {
	gone := false
	a.made = func() {
		if gone = r.call.GoOn(a.timeout); gone {
			r.release() // others need the place, and nobody waits for this hook any more
		}
	}
	exit, err := r.start(ctx)
	if !gone {
		return r.ended(turn{exit, err}, 0)
	}
	r.call.Report = &hook.Report{Notes: slices.Clone(r.Notes)}
	return r.ended(turn{exit, err}, a.end)
}

// runDetached runs the process in a goroutine that ends with it, and returns early when
// the hook says that it goes on.
func (r *run) runDetached(ctx context.Context, a *announcement) (hook.Result, error) {
	turns := make(chan turn, 2)
	a.made = func() { turns <- turn{} }
	l := newLife(ctx)
	go func() {
		exit, err := r.start(l.ctx)
		turns <- turn{exit, err}
	}()
	t := <-turns
	if t == (turn{}) {
		if ctx.Err() == nil {
			return r.goOn(ctx, l, a, turns), nil
		}
		t = <-turns
	}
	l.end()
	return r.ended(t, 0)
}

// ended settles a run that is over.
func (r *run) ended(t turn, offset int) (hook.Result, error) {
	if t.err != nil {
		return hook.Result{}, launchFailure(t.err)
	}
	return r.settle(t.exit, offset)
}

// goOn is the answer of a hook that goes on in the background: its process runs
// on, and what it says after the first line is its late answer.
func (r *run) goOn(ctx context.Context, l *life, a *announcement, turns <-chan turn) hook.Result {
	r.note("it goes on in the background")
	taken := l.hold(ctx)
	wait := func(bg context.Context) (hook.Result, error) {
		taken(bg)
		t := <-turns
		l.end()
		r.call.Report = &hook.Report{Notes: slices.Clone(r.Notes)}
		return r.ended(t, a.end)
	}
	return hook.Result{Async: &hook.Async{Timeout: a.timeout, Wait: wait}}
}

// life is the context of a process that may outlive the one it was started under.
type life struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	unlink func() bool
}

func newLife(first context.Context) *life {
	l := &life{}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	l.link(first)
	return l
}

// link makes the life end with ctx.
func (l *life) link(ctx context.Context) {
	l.unlink = context.AfterFunc(ctx, func() { l.cancel(context.Cause(ctx)) })
}

// end releases the life of a process that is over.
func (l *life) end() {
	l.unlink()
	l.cancel(nil)
}

// hold keeps the process alive between its first context, which the caller may
// end as soon as the event is over, and the one of the background run, which
// taken is called with. A hook that ran out of time meanwhile is not taken over by
// the engine and is ended; so is one that nobody takes over for other reasons.
func (l *life) hold(first context.Context) (taken func(context.Context)) {
	l.unlink()
	done := make(chan struct{})
	unwatch := context.AfterFunc(first, func() {
		if cause := context.Cause(first); errors.Is(cause, hook.ErrTimeout) {
			l.cancel(cause)
			return
		}
		patience := time.NewTimer(handOver)
		defer patience.Stop()
		select {
		case <-patience.C:
			l.cancel(context.Cause(first))
		case <-done:
		}
	})
	var once sync.Once
	return func(next context.Context) {
		once.Do(func() {
			unwatch()
			close(done)
			l.link(next)
		})
	}
}

// announcement looks in the output, as it comes, for the line that says that the
// hook goes on.
type announcement struct {
	codec handler.AsyncCodec
	made  func() // called once, when the line is there

	head    []byte // what came before, as long as it is undecided
	decided bool
	timeout time.Duration
	end     int // where the rest of the output begins
}

// take looks at the next chunk. Calls are not concurrent, and what it found may be
// read once made was called.
func (a *announcement) take(chunk []byte) {
	if a.decided {
		return
	}
	head := chunk
	if len(a.head) > 0 {
		a.head = append(a.head, chunk...)
		head = a.head
	}
	line, end, complete := firstLine(head)
	switch {
	case len(line) > maxAnnouncement:
		a.decided = true
	case complete, bytes.HasSuffix(bytes.TrimSpace(line), []byte("}")):
		// A whole object counts without its line break, which a hook may print
		// later or never.
		timeout, ok := a.codec.DecodeAsync(line)
		if a.decided = ok || complete; ok {
			a.timeout, a.end = timeout, end
			a.made()
		}
	case len(head) > 2*maxAnnouncement:
		a.decided = true // blank lines without end
	}
	if a.decided {
		a.head = nil
	} else if len(a.head) == 0 {
		a.head = bytes.Clone(chunk)
	}
}

// firstLine returns the first line that is not blank, without its line break,
// where it ends, and whether its end was seen.
func firstLine(b []byte) (line []byte, end int, complete bool) {
	start := 0
	if bytes.HasPrefix(b, utf8BOM) {
		start = len(utf8BOM)
	}
	for start < len(b) {
		stop := bytes.IndexByte(b[start:], '\n')
		if stop < 0 {
			return b[start:], len(b), false
		}
		line = b[start : start+stop]
		start += stop + 1
		if len(bytes.TrimSpace(line)) > 0 {
			return bytes.TrimSuffix(line, []byte{'\r'}), start, true
		}
	}
	return nil, len(b), false
}
