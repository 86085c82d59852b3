package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// Report is what Verify found.
type Report struct {
	// Files are the files that were read, oldest first, and Records how many whole
	// records they have.
	Files   []string `json:"files"`
	Records int      `json:"records"`
	First   uint64   `json:"first_seq"`
	Last    uint64   `json:"last_seq"`
	Dropped uint64   `json:"dropped"`
	Faults  []Fault  `json:"faults"`
	Notes   []string `json:"notes"`
}

// Intact reports whether nothing was changed, removed or moved.
func (r *Report) Intact() bool { return len(r.Faults) == 0 }

// Fault is a place at which the chain is broken.
type Fault struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	// Kind is edited, missing, order, torn, foreign or end.
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.Path + ": " + f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Message)
}

// The kinds of fault.
const (
	FaultEdited  = "edited"  // a line is not what was written
	FaultMissing = "missing" // lines before it are gone
	FaultOrder   = "order"   // lines were moved or repeated
	FaultTorn    = "torn"    // a line is not finished and nothing says why
	FaultForeign = "foreign" // something that is not a record
	FaultEnd     = "end"     // lines at the end are gone
)

// maxFaults bounds how many faults are listed.
const maxFaults = 1000

// Verify reads the log that Options name by Path, Key and Second, with the files that
// were put aside, and looks for lines that were changed, removed, moved or added, and for
// an end that is not the signed one. The error is one of reading; a log of which nothing
// is there, nor its key, is fs.ErrNotExist. It may run while others write.
func Verify(o Options) (Report, error) {
	path := o.Path
	s, err := look(&o)
	defer closeFiles(s.files)
	if err != nil {
		return Report{}, err
	}
	v := &verifier{report: Report{Faults: []Fault{}, Notes: []string{}}}
	newest := len(s.files) > 0 && s.files[len(s.files)-1].name == path
	if !newest {
		if len(s.files) == 0 && errors.Is(s.headErr, errNoHead) && s.keyErr == nil && s.key.unused {
			return v.report, fmt.Errorf("reading the audit log %s: %w", path, fs.ErrNotExist)
		}
		v.report.Notes = append(v.report.Notes, path+" is not there: it was removed, or a process ended while it put it aside")
	}
	for i, f := range s.files {
		if err := v.file(f.name, io.LimitReader(f.file, s.sizes[i]), newest && i == len(s.files)-1); err != nil {
			return v.report, err
		}
	}
	v.flushTorn()
	older := len(s.files)
	if newest {
		older--
	}
	v.finish(&o, s, older)
	return v.report, nil
}

// snapshot is a log at one moment.
type snapshot struct {
	files     []named
	sizes     []int64
	key       key
	keyErr    error
	head      head
	headErr   error
	second    head
	secondErr error
}

// look opens a log while nobody writes to it.
func look(o *Options) (s snapshot, err error) {
	if _, err := os.Lstat(o.Path + ".lock"); err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), lockWait)
		defer cancel()
		lock, err := fsx.Lock(ctx, o.Path+".lock")
		if ctx.Err() != nil {
			return s, fmt.Errorf("waiting for another process that writes to the audit log: %w", err)
		}
		if err == nil { // otherwise it cannot be written here, and nobody does
			defer func() { _ = lock.Unlock() }()
		}
	}
	s.key, s.keyErr = readKey(o.keyPath())
	s.head, s.headErr = openHead(o.Path+".head", s.key)
	if o.Second != "" {
		s.second, s.secondErr = openHead(o.Second, s.key)
	}
	if s.files, err = openFiles(o.Path); err != nil {
		return s, err
	}
	for _, f := range s.files {
		info, err := f.file.Stat()
		if err != nil {
			return s, fmt.Errorf("looking at the audit log: %w", err)
		}
		s.sizes = append(s.sizes, info.Size())
	}
	return s, nil
}

type verifier struct {
	report Report
	last   *Record // the last record in order
	end    *Record // that with the highest number
	open   *Fault  // the last line is not finished
	torn   []byte  // a line before that is not a record, and where it stands
	tornAt Fault
}

func (v *verifier) fault(path string, line int, kind, message string) {
	if len(v.report.Faults) < maxFaults {
		v.report.Faults = append(v.report.Faults, Fault{path, line, kind, message})
	}
}

func (v *verifier) file(name string, file io.Reader, newest bool) error {
	v.report.Files = append(v.report.Files, name)
	in := newLines(file)
	for n := 1; ; n++ {
		line, err := in.next()
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil // the next file may say why the last line is torn
		case errors.Is(err, io.EOF):
			v.flushTorn()
			if newest {
				v.open = &Fault{name, n, FaultTorn, "the last line is not finished"}
			} else {
				v.fault(name, n, FaultTorn, "the line is not finished")
			}
			return nil
		case errors.Is(err, errLong):
			v.flushTorn()
			v.fault(name, n, FaultForeign, err.Error())
		case err != nil:
			return fmt.Errorf("reading %s: %w", name, err)
		default:
			v.line(name, n, line)
		}
	}
}

// line checks one line. One that is not a record is kept until the next shows whether
// it is known to be torn.
func (v *verifier) line(name string, n int, line []byte) {
	r, err := open(line)
	if err != nil {
		v.flushTorn()
		v.torn = bytes.Clone(line)
		v.tornAt = Fault{name, n, FaultForeign, err.Error()}
		if errors.Is(err, errEdited) {
			v.tornAt.Kind = FaultEdited
			if v.last == nil || r.Seq == v.last.Seq+1 {
				// Its neighbours are checked as if it were whole.
				v.flushTorn()
				v.place(&r)
				v.last = &r
			}
		}
		return
	}
	v.explainTorn(&r)
	v.report.Records++
	v.place(&r)
	v.report.Dropped += r.Dropped
	v.link(name, n, &r)
}

// place notes where the log begins and ends.
func (v *verifier) place(r *Record) {
	if v.report.First == 0 {
		v.report.First = r.Seq
	}
	if r.Seq >= v.report.Last {
		v.report.Last, v.end = r.Seq, r
	}
}

// link checks that a record follows the one before it.
func (v *verifier) link(name string, n int, r *Record) {
	last := v.last
	v.last = r
	if r.Kind == kindUnproved {
		v.fault(name, n, FaultEnd, "when this was written, the log was not as it had been left: "+r.Reason)
	}
	if last != nil && last.Key != "" && r.Key == "" {
		v.fault(name, n, FaultForeign, "it was written by something that does not sign the log")
	}
	switch {
	case last == nil:
		if r.Seq == 1 && r.Prev != "" {
			v.fault(name, n, FaultMissing, "the first record says that there was one before it")
		}
	case r.Seq == last.Seq+1 && r.Prev == last.Hash:
	case r.Seq == last.Seq+1:
		v.fault(name, n, FaultEdited, fmt.Sprintf("record %d does not continue record %d: one of them was exchanged", r.Seq, last.Seq))
	case r.Seq > last.Seq+1:
		v.fault(name, n, FaultMissing, fmt.Sprintf("%s missing between %d and %d", records(r.Seq-last.Seq-1), last.Seq, r.Seq))
	default:
		v.fault(name, n, FaultOrder, fmt.Sprintf("record %d stands after record %d", r.Seq, last.Seq))
	}
}

// explainTorn drops a broken line that the record after it accounts for.
func (v *verifier) explainTorn(r *Record) {
	if v.torn == nil {
		return
	}
	sum := sha256.Sum256(v.torn)
	if r.Kind == kindRecovered && r.TornBytes == int64(len(v.torn)) && r.TornSHA256 == hex.EncodeToString(sum[:]) {
		v.report.Notes = append(v.report.Notes, fmt.Sprintf("%s:%d: a process ended while it wrote this line (%d bytes)", v.tornAt.Path, v.tornAt.Line, len(v.torn)))
		v.torn = nil
		return
	}
	v.flushTorn()
}

func (v *verifier) flushTorn() {
	if v.torn != nil {
		v.fault(v.tornAt.Path, v.tornAt.Line, v.tornAt.Kind, v.tornAt.Message)
		v.torn = nil
	}
}

// finish checks the two ends.
func (v *verifier) finish(o *Options, s snapshot, older int) {
	if s.keyErr != nil {
		v.fault(o.keyPath(), 0, FaultEnd, "whether the log is whole cannot be told: "+s.keyErr.Error())
		return
	}
	h, err := s.head, s.headErr
	if why := h.doubt(err, s.key, v.end, nothing); why != "" {
		v.fault(o.Path, 0, FaultEnd, why)
	}
	unsigned := errors.Is(err, errUnsigned)
	if unsigned && s.key.unused {
		v.report.Notes = append(v.report.Notes, "an older version wrote this log and did not sign its end; the next record begins to")
	}
	if v.open != nil {
		if h.Next != nil || unsigned && s.key.unused {
			v.report.Notes = append(v.report.Notes, v.open.String()+": a process is writing it, or ended while it did")
		} else {
			v.fault(v.open.Path, v.open.Line, v.open.Kind, v.open.Message)
		}
	}
	if o.Second != "" && err == nil {
		if why := h.differs(s.second, s.secondErr); why != "" {
			v.fault(o.Second, 0, FaultEnd, why)
		}
	}
	v.begin(h, err, older)
}

// begin checks that the log begins with the oldest record that is kept.
func (v *verifier) begin(h head, err error, older int) {
	first := v.report.First
	switch {
	case first == 0:
	case err == nil && first >= h.First && (first == h.First || h.Next != nil && first <= h.Next.First):
	case errors.Is(err, errUnsigned) && (first <= 1 || older >= h.Keep), err != nil && first <= 1:
	case err == nil && first < h.First:
		v.fault(v.report.Files[0], 1, FaultOrder, fmt.Sprintf("it begins with record %d, and the oldest that is kept is %d", first, h.First))
	default:
		v.fault(v.report.Files[0], 1, FaultMissing, fmt.Sprintf("the records before %d are missing, and not because their file was the oldest", first))
	}
}

func records(n uint64) string {
	if n == 1 {
		return "1 record is"
	}
	return fmt.Sprintf("%d records are", n)
}
