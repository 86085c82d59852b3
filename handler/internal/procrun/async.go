package procrun

import (
	"bytes"
	"context"
	"errors"
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

// announcement looks for the line in the head of stdout.
type announcement struct {
	codec   handler.AsyncCodec
	timeout time.Duration
	end     int // where the rest of the output begins
}

// seen reports whether the head is enough to tell. A complete object counts
// without its line break, which a hook may print later or never.
func (a *announcement) seen(head []byte) bool {
	line, _, complete := firstLine(head)
	if complete || len(head) >= maxAnnouncement {
		return true
	}
	if !bytes.HasSuffix(bytes.TrimSpace(line), []byte("}")) {
		return false
	}
	_, ok := a.codec.DecodeAsync(line)
	return ok
}

// made reports whether the head says that the hook goes on.
func (a *announcement) made(head []byte) (ok bool) {
	line, end, _ := firstLine(head)
	if len(line) == 0 || len(line) > maxAnnouncement {
		return false
	}
	a.end = end
	a.timeout, ok = a.codec.DecodeAsync(line)
	return ok
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

// goOn is the answer of a hook that goes on in the background: its process runs
// on, and what it says after the first line is its late answer.
func (r *run) goOn(ctx context.Context, p *process.Process, a announcement) hook.Result {
	r.note("it goes on in the background")
	keep := holdOn(ctx, p)
	wait := func(bg context.Context) (hook.Result, error) {
		p.Govern(bg)
		keep()
		exit := p.Wait()
		r.call.Report = &hook.Report{Notes: slices.Clone(r.Notes)}
		return r.settle(exit, a.end)
	}
	return hook.Result{Async: &hook.Async{Timeout: a.timeout, Wait: wait}}
}

// holdOn keeps the process alive between its first context, which the caller may
// end as soon as the event is over, and the one of the background run. A hook
// that ran out of time meanwhile is not handed over by the engine and is ended;
// so is one that nobody takes over for other reasons. The function ends the
// watch.
func holdOn(first context.Context, p *process.Process) (taken func()) {
	hold, end := context.WithCancelCause(context.Background())
	done := make(chan struct{})
	p.Govern(hold)
	unwatch := context.AfterFunc(first, func() {
		cause := context.Cause(first)
		if errors.Is(cause, hook.ErrTimeout) {
			end(cause)
			return
		}
		patience := time.NewTimer(handOver)
		defer patience.Stop()
		select {
		case <-patience.C:
			end(cause)
		case <-p.Done():
		case <-done:
		}
	})
	return sync.OnceFunc(func() {
		unwatch()
		close(done)
		end(nil)
	})
}
