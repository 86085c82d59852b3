package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Filter chooses records. The zero Filter chooses all. A field that is set must
// match.
type Filter struct {
	Session string
	// Event is a canonical name, without regard to case.
	Event string
	// Hook is a name, or a pattern such as team/*. The name of a worker stands for all
	// of its hooks.
	Hook string
	// Decision is a hook's own decision or that of the event.
	Decision string
	Status   string
	Tool     string
	// Dir is a directory that the session worked in or below.
	Dir string
	// Since and Until bound the time, Until excluded.
	Since, Until time.Time
}

// Match reports whether the filter chooses a record.
func (f Filter) Match(r *Record) bool {
	equal := func(want, got string) bool { return want == "" || strings.EqualFold(want, got) }
	switch {
	case f.Session != "" && f.Session != r.Session,
		f.Dir != "" && !below(f.Dir, r.CWD),
		!equal(f.Event, r.Event), !equal(f.Status, r.Status), !equal(f.Tool, r.Tool),
		f.Decision != "" && !strings.EqualFold(f.Decision, r.Decision) && !strings.EqualFold(f.Decision, r.Outcome),
		!f.Since.IsZero() && r.Time.Before(f.Since), !f.Until.IsZero() && !r.Time.Before(f.Until):
		return false
	}
	if f.Hook == "" || f.Hook == r.Hook || strings.HasPrefix(r.Hook, f.Hook+"#") {
		return true
	}
	ok, err := path.Match(f.Hook, r.Hook)
	return err == nil && ok
}

// below reports whether a path is a directory or below it, by name.
func below(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return p != "" && err == nil && filepath.IsLocal(rel)
}

// LineError is the error of a line that is not a record.
type LineError struct {
	Path string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Read returns the records that a filter chooses, oldest first, those of files that
// were put aside included. A line that cannot be read is a *LineError, after which
// reading goes on; so does a line whose hash is wrong, whose record is returned with
// the error. A log that is not there has no records.
func Read(path string, filter Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		all, err := openFiles(path)
		defer closeFiles(all)
		if err != nil && !yield(Record{}, err) {
			return
		}
		for _, f := range all {
			if !readLines(f.name, f.file, filter, yield) {
				return
			}
		}
	}
}

// named is an open file of a log.
type named struct {
	name string
	file *os.File
}

// openFiles opens the files of a log and returns them oldest first. They are opened
// newest first: a file that is put aside meanwhile gets a name that is looked at
// later, so that none is missed. One name may be free, where a process ended while it
// moved files up. Of files that cannot be opened there is an error;
// the others are returned nevertheless.
func openFiles(path string) ([]named, error) {
	var out []named
	var errs []error
	gaps := 0
	for i := -1; ; i++ {
		name := path
		if i >= 0 {
			name += "." + strconv.Itoa(i)
		}
		file, err := openRegular(name, os.O_RDONLY)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if i > 0 { // there need be neither the log nor one on its way to path.1
				gaps++
			}
			if gaps > 1 {
				slices.Reverse(out)
				return out, errors.Join(errs...)
			}
		case err != nil:
			errs = append(errs, err)
		case len(out) > 0 && sameFile(out[len(out)-1].file, file):
			_ = file.Close()
		default:
			out = append(out, named{name, file})
		}
	}
}

func sameFile(a, b *os.File) bool {
	ia, err := a.Stat()
	if err != nil {
		return false
	}
	ib, err := b.Stat()
	return err == nil && os.SameFile(ia, ib)
}

func closeFiles(all []named) {
	for _, f := range all {
		_ = f.file.Close()
	}
}

func readLines(name string, src io.Reader, f Filter, yield func(Record, error) bool) bool {
	in := newLines(src)
	for n := 1; ; n++ {
		line, err := in.next()
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return true
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLong) {
			return yield(Record{}, fmt.Errorf("reading %s: %w", name, err))
		}
		r, err := parse(line, err)
		if err != nil {
			if !yield(r, &LineError{name, n, err}) {
				return false
			}
			continue
		}
		if f.Match(&r) && !yield(r, nil) {
			return false
		}
	}
}

// parse reads a line; cause is what was wrong in getting it.
func parse(line []byte, cause error) (Record, error) {
	switch {
	case errors.Is(cause, errLong):
		return Record{}, cause
	case cause != nil:
		return Record{}, errTorn
	}
	return open(line)
}

var (
	errLong = fmt.Errorf("it is longer than %d bytes", maxLine)
	errTorn = errors.New("the line is not finished")
)

// lines reads lines up to a length.
type lines struct{ r *bufio.Reader }

func newLines(r io.Reader) *lines { return &lines{bufio.NewReaderSize(r, 64<<10)} }

// next returns a line without its newline. A line that ends with the file comes with
// io.EOF; of one that is too long the beginning comes with errLong.
func (l *lines) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil && long:
			return line, errLong
		case err == nil:
			return line[:len(line)-1], nil
		}
		return line, err
	}
}
