package builtin

import (
	"sync"

	"github.com/hookline-dev/hookline/handler/process"
)

// output keeps a bounded part of one stream: the head of standard output, the tail of
// standard error. It may be written to from several goroutines.
type output struct {
	stream process.Stream
	limit  int
	notify func(process.Stream, []byte)
	shared *sync.Mutex // of both streams: notify is never called concurrently

	kept  []byte
	total int64
}

// Write never fails: what is beyond the limit is counted and dropped.
func (o *output) Write(b []byte) (int, error) {
	o.shared.Lock()
	defer o.shared.Unlock()
	room := max(o.limit-int(min(o.total, int64(o.limit))), 0)
	o.total += int64(len(b))
	if o.notify != nil && room > 0 && len(b) > 0 {
		o.notify(o.stream, b[:min(room, len(b))])
	}
	switch {
	case len(b) <= room:
		o.kept = append(o.kept, b...)
	case o.stream == process.Stdout:
		o.kept = append(o.kept, b[:room]...)
	default:
		o.kept = append(o.kept, b...)
		if len(o.kept) > 2*o.limit {
			o.kept = append(o.kept[:0], o.tail()...)
		}
	}
	return len(b), nil
}

func (o *output) tail() []byte { return o.kept[max(len(o.kept)-o.limit, 0):] }

// result returns what was kept, how much there was, and whether they differ.
func (o *output) result() (kept []byte, total int64, truncated bool) {
	o.shared.Lock()
	defer o.shared.Unlock()
	kept = o.tail()
	return kept, o.total, o.total > int64(len(kept))
}
