package audit

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"
)

// Follow returns the records that a filter chooses as they are written, from now
// on, until the context ends; the sequence ends with it. The log need not be there
// yet, and may be put aside meanwhile. poll is how often it is looked at; 0 is 200
// milliseconds.
func Follow(ctx context.Context, path string, f Filter, poll time.Duration) iter.Seq2[Record, error] {
	if poll <= 0 {
		poll = 200 * time.Millisecond
	}
	w := &follower{path: path, filter: f}
	w.begin() // now, and not when somebody ranges over the result
	return func(yield func(Record, error) bool) {
		defer w.close()
		tick := time.NewTicker(poll)
		defer tick.Stop()
		for {
			if !w.step(yield) {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// follower reads what is appended to a log.
type follower struct {
	path   string
	filter Filter
	file   *os.File
	rest   []byte // of a line that is not finished yet
	line   int
	seq    uint64 // of the last record that was seen
}

// begin stands at the end of the log.
func (w *follower) begin() {
	file, err := openRegular(w.path, os.O_RDONLY)
	if err != nil {
		return
	}
	w.file = file
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return
	}
	buf := make([]byte, min(end, tail))
	n, _ := file.ReadAt(buf, end-int64(len(buf)))
	for data := bytes.TrimSuffix(buf[:n], []byte("\n")); len(data) > 0; {
		i := bytes.LastIndexByte(data, '\n') + 1
		if r, err := open(data[i:]); err == nil {
			w.seq = r.Seq
			return
		}
		data = data[:max(0, i-1)]
	}
}

func (w *follower) close() {
	if w.file != nil {
		_ = w.file.Close()
	}
}

// step passes on what is new.
func (w *follower) step(yield func(Record, error) bool) bool {
	if w.file != nil {
		if !w.drain(yield) {
			return false
		}
		there, err := os.Lstat(w.path)
		mine, merr := w.file.Stat()
		if err == nil && merr == nil && os.SameFile(there, mine) {
			return w.shrunk(mine)
		}
		// It was put aside or removed. What was written to it last is read first.
		if !w.drain(yield) {
			return false
		}
		w.close()
		w.file, w.rest, w.line = nil, nil, 0
	}
	all, err := openFiles(w.path)
	if err != nil && !yield(Record{}, err) {
		closeFiles(all)
		return false
	}
	if len(all) == 0 || all[len(all)-1].name != w.path {
		closeFiles(all) // it is being put aside, or not there yet
		return true
	}
	w.file = all[len(all)-1].file
	// Others may have been put aside since the last look.
	defer closeFiles(all[:len(all)-1])
	for _, f := range all[:len(all)-1] {
		if !readLines(f.name, f.file, Filter{}, func(r Record, err error) bool { return err != nil || w.pass(r, yield) }) {
			return false
		}
	}
	return w.drain(yield)
}

// shrunk starts again when the file was cut.
func (w *follower) shrunk(info fs.FileInfo) bool {
	at, err := w.file.Seek(0, io.SeekCurrent)
	if err == nil && info.Size() < at {
		_, _ = w.file.Seek(0, io.SeekStart)
		w.rest, w.line = nil, 0
	}
	return true
}

// pass hands on a record that was not seen yet.
func (w *follower) pass(r Record, yield func(Record, error) bool) bool {
	if r.Seq <= w.seq {
		return true
	}
	w.seq = r.Seq
	return !w.filter.Match(&r) || yield(r, nil)
}

// drain reads what there is of the open file.
func (w *follower) drain(yield func(Record, error) bool) bool {
	buf := make([]byte, 64<<10)
	for {
		n, err := w.file.Read(buf)
		w.rest = append(w.rest, buf[:n]...)
		for {
			line, after, whole := bytes.Cut(w.rest, []byte("\n"))
			if !whole {
				break
			}
			w.rest = after
			w.line++
			r, perr := open(line)
			if perr != nil {
				if !yield(r, &LineError{w.path, w.line, perr}) {
					return false
				}
				continue
			}
			if !w.pass(r, yield) {
				return false
			}
		}
		if len(w.rest) > maxLine {
			w.rest = nil
		}
		if n == 0 || err != nil {
			return true
		}
	}
}
