package backtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// maxLine bounds the lines of a session that are read, in bytes.
const maxLine = 64 << 20

// Events are those that are fired when nobody says which: their hooks judge, while those
// of others may commit, format and post.
var Events = []hook.Event{hook.EventPreToolUse, hook.EventPermissionRequest, hook.EventUserPromptSubmit}

// Fire fires an event through hooks. It is called by several goroutines.
type Fire func(ctx context.Context, in hook.Input) (hook.Outcome, error)

// Options say what is fired.
type Options struct {
	Sessions []Session
	// Since leaves out what happened before.
	Since  time.Time
	Events []hook.Event
	// Fire is that of the hooks, and Old, when not nil, that of their other version.
	Fire, Old Fire
	// Redact replaces the secrets in a text and bounds it to max bytes; cut says that it was
	// longer.
	Redact func(text string, max int) (out string, cut bool)
	// Jobs is how many sessions are gone through at once.
	Jobs int
	// Kept, when not "", is a file that keeps what was found out until all is done: a run
	// that was interrupted goes on where it was.
	Kept string
	// Progress, when not nil, is told how many bytes of all are done. It may be called by
	// several goroutines.
	Progress func(done, all int64)
}

// Run fires hooks on what happened. The report of an interrupted run is what there was.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &run{Options: o, total: newReport()}
	for _, s := range o.Sessions {
		r.all += s.Size
	}
	kept, todo, err := r.resume()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	work := make(chan Session)
	var wg sync.WaitGroup
	for range max(o.Jobs, 1) {
		wg.Go(func() {
			for s := range work {
				if ctx.Err() == nil {
					if err := r.session(ctx, s, kept); err != nil {
						stop(err)
					}
				}
			}
		})
	}
	for _, s := range todo {
		work <- s
	}
	close(work)
	wg.Wait()
	r.total.sort()
	err = context.Cause(ctx)
	return r.total, errors.Join(err, kept.close(err == nil))
}

func newReport() *Report {
	return &Report{Groups: []*Group{}, Differences: []*Group{}, Hooks: []*HookTimes{}}
}

// run is a run of a backtest.
type run struct {
	Options

	all   int64
	mu    sync.Mutex
	done  int64
	total *Report
}

// finish takes over what was found in a session.
func (r *run) finish(s Session, rep *Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total.merge(rep)
	r.done += s.Size
	if r.Progress != nil {
		r.Progress(r.done, r.all)
	}
}

// session fires what happened in a session. One that went away meanwhile has nothing.
func (r *run) session(ctx context.Context, s Session, kept *progress) error {
	f, err := os.Open(s.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read a session: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	t := &trial{run: r, rep: newReport(), stopped: map[string][]*Group{}}
	t.rep.Sessions = 1
	lines, reader := bufio.NewReaderSize(f, 64<<10), s.reader(s.Path)
	for n := 1; ; n++ {
		line, whole, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read session %s: %w", s.Path, err)
		}
		past, err := reader.Next(line)
		if err != nil || !whole {
			t.rep.Unread++
		}
		for _, p := range past {
			if err := t.event(ctx, p, fmt.Sprintf("%s:%d", s.Path, n)); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err // hooks were ended, so that what they said is not all
	}
	if err := kept.add(s, t.rep); err != nil {
		return err
	}
	r.finish(s, t.rep)
	return nil
}

// readLine reads a line. One that is too long is passed over: then whole is false.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	size := 0
	for {
		part, err := r.ReadSlice('\n')
		if size += len(part); size <= maxLine {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && size > 0:
			err = nil
		}
		if size > maxLine {
			return []byte("{}"), false, err
		}
		return line, true, err
	}
}

// wanted reports whether an event is to be fired.
func (r *run) wanted(p *dialect.Past) bool {
	return p.Input != nil && !p.Time.Before(r.Since) && slices.Contains(r.Events, p.Input.Event())
}
