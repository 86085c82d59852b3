package audit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// lockWait is how long a record waits for another process that writes.
const lockWait = 2 * time.Second

// file is the log's file and what lies beside it.
type file struct {
	path   string
	key    string // the path of the key
	second string // that of the second head, "" for none
	k      key    // as it was read last
	max    int64
	keep   int
	log    *os.File
	head   *os.File
	// wrote is the content of the head as this process wrote it last, and at where the log
	// ended then: what is still that need not be checked.
	wrote []byte
	at    head
}

// append writes records at the end of the chain: all of them or, on an error, none.
// The caller holds the process's own lock.
func (f *file) append(records []Record) (err error) {
	if f.log == nil {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			return fmt.Errorf("making the directory of the audit log: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	lock, err := fsx.Lock(ctx, f.path+".lock")
	if err != nil {
		return fmt.Errorf("waiting for another process that writes to the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if err := f.openAll(); err != nil {
		return err
	}
	second, err := f.openSecond()
	if err != nil {
		return err
	}
	defer second.Close() // nil without one
	at, found, err := f.end(second)
	if err != nil {
		return err
	}
	for i := range found {
		stamp(&found[i], &records[0])
	}
	return f.write(at, append(found, records...), second)
}

// stamp gives a record that the log makes by itself the time of another one.
func stamp(r, like *Record) {
	r.Time, r.MonoNS, r.PID = like.Time, like.MonoNS, like.PID
}

// openAll opens the log and its head, anew when the log was rotated, removed or
// replaced since.
func (f *file) openAll() error {
	if f.log != nil {
		there, err := os.Lstat(f.path)
		mine, merr := f.log.Stat()
		if err == nil && merr == nil && os.SameFile(there, mine) {
			return nil
		}
		f.closeFiles()
	}
	var err error
	if f.log, err = openRegular(f.path, os.O_APPEND|os.O_RDWR|os.O_CREATE); err != nil {
		return err
	}
	if f.head, err = openRegular(f.path+".head", os.O_RDWR|os.O_CREATE); err != nil {
		f.closeFiles()
		return err
	}
	return nil
}

// openRegular opens a file that is neither a link nor a pipe nor a device.
func openRegular(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, flags|openNoFollow|openNonblock, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the audit log: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("opening the audit log %s: %w", strconv.Quote(path), err)
	}
	return file, nil
}

func (f *file) closeFiles() {
	for _, p := range []**os.File{&f.log, &f.head} {
		if *p != nil {
			_ = (*p).Close()
			*p = nil
		}
	}
}

// end finds the end of the chain, and what is to be on record about how it was found: a
// line that a process did not finish, which is ended, and an end that is not the signed
// one.
func (f *file) end(second *os.File) (at state, found []Record, err error) {
	size, err := f.size()
	if err != nil {
		return state{}, nil, err
	}
	h, headErr := f.checkHead(f.head)
	if headErr != nil { // the key is not read yet, or is another one by now
		if f.k, err = makeKey(f.key); err != nil {
			return state{}, nil, err
		}
		h, headErr = f.checkHead(f.head)
	}
	away := f.elsewhere(second, h, headErr)
	if headErr == nil && h.Next == nil && h.Size == size && away == "" {
		return h.state, nil, nil
	}
	if err := f.makeRoom(); err != nil {
		return state{}, nil, err
	}
	last, torn, err := f.last(size)
	if err != nil {
		return state{}, nil, err
	}
	if torn != nil {
		found = append(found, *torn)
	}
	if why := cmp.Or(h.doubt(headErr, f.k, last, follows(torn != nil)), away); why != "" {
		found = append(found, Record{Kind: kindUnproved, Reason: why})
	}
	at.First = h.First
	if last != nil {
		at.Seq, at.Hash = last.Seq, last.Hash
	}
	if at.Seq < h.Seq {
		// Lines at the end are gone. The chain goes on after the last that was
		// written, so that their absence stays visible.
		at.Seq, at.Hash = h.Seq, h.Hash
	}
	if first := f.first(); headErr != nil || h.Next != nil && h.First < first && first <= h.Next.First {
		at.First = first
	}
	return at, found, nil
}

// checkHead reads the head in an open file and checks it.
func (f *file) checkHead(file io.ReaderAt) (head, error) {
	b, err := readHead(file)
	if err != nil {
		return head{}, err
	}
	if f.wrote != nil && bytes.Equal(b, f.wrote) {
		return f.at, nil
	}
	return decodeHead(b, f.k)
}

// elsewhere says how the head in the second place is another one, "" when it is not. One
// that is not there is made by the next record.
func (f *file) elsewhere(second *os.File, h head, headErr error) string {
	if second == nil || headErr != nil {
		return ""
	}
	there, err := f.checkHead(second)
	if errors.Is(err, errNoHead) {
		return ""
	}
	return h.differs(there, err)
}

// tail is how much of a log's end is searched for its last record.
const tail = maxLine + 64<<10

// last finds the last record, nil when there is none, and ends a line that is not
// finished.
func (f *file) last(size int64) (last, torn *Record, err error) {
	last, rest, err := lastRecord(f.log, size)
	if err != nil {
		return nil, nil, err
	}
	if len(rest) > 0 {
		sum := sha256.Sum256(rest)
		torn = &Record{Kind: kindRecovered, TornBytes: int64(len(rest)), TornSHA256: hex.EncodeToString(sum[:])}
		if _, err := f.log.Write([]byte("\n")); err != nil {
			return nil, nil, fmt.Errorf("ending a torn line of the audit log: %w", err)
		}
	}
	if last != nil {
		return last, torn, nil
	}
	// The log was put aside, and nothing is in the new one yet.
	aside, err := openRegular(f.rotated(1), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, torn, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer aside.Close()
	info, err := aside.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("looking at the audit log: %w", err)
	}
	last, _, err = lastRecord(aside, info.Size())
	return last, torn, err
}

// lastRecord finds the last record of a file, nil when there is none, and what of an
// unfinished line follows.
func lastRecord(file io.ReaderAt, size int64) (last *Record, rest []byte, err error) {
	from := max(0, size-tail)
	data := make([]byte, size-from)
	if _, err := file.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("reading the end of the audit log: %w", err)
	}
	i := bytes.LastIndexByte(data, '\n') + 1
	data, rest = data[:i], data[i:]
	for len(data) > 0 {
		data = data[:len(data)-1]
		i := bytes.LastIndexByte(data, '\n') + 1
		if r, err := open(data[i:]); err == nil {
			return &r, rest, nil
		}
		data = data[:i]
	}
	return nil, rest, nil
}

// write appends records after the end of the chain.
func (f *file) write(at state, records []Record, second *os.File) error {
	next := at
	var all []byte
	for i := range records {
		next.Seq++
		records[i].Seq, records[i].Key = next.Seq, f.k.id
		line, hash, err := seal(&records[i], next.Hash)
		if err != nil {
			return err
		}
		next.Hash = hash
		all = append(all, line...)
	}
	next.First = cmp.Or(at.First, at.Seq+1)
	size, err := f.size()
	if err != nil {
		return err
	}
	full := size > 0 && size+int64(len(all)) > f.max
	if full {
		if err := f.makeRoom(); err != nil { // left by a process that ended in between
			return err
		}
		next.First = cmp.Or(f.firstAfterRotation(), next.First)
	}
	f.wrote = nil
	before, err := head{state: at, Size: size, Next: &next}.encode(f.k)
	if err != nil {
		return err
	}
	if err := save(before, f.head); err != nil {
		return err
	}
	if err := f.k.used(f.key); err != nil {
		return err
	}
	if full {
		if err := f.rotate(); err != nil {
			return err
		}
		if size, err = f.size(); err != nil {
			return err
		}
	}
	if _, err := f.log.Write(all); err != nil {
		// What was written of it would be a torn line.
		return errors.Join(fmt.Errorf("writing to the audit log: %w", err), f.log.Truncate(size))
	}
	// The records are written. If the heads are not, they still allow for them.
	f.at = head{state: next, Size: size + int64(len(all))}
	if after, err := f.at.encode(f.k); err == nil && save(after, second, f.head) == nil {
		f.wrote = after
	}
	return nil
}

func (f *file) size() (int64, error) {
	info, err := f.log.Stat()
	if err != nil {
		return 0, fmt.Errorf("looking at the audit log: %w", err)
	}
	return info.Size(), nil
}

// openSecond opens the head in the second place; nil when there is to be none.
func (f *file) openSecond() (*os.File, error) {
	if f.second == "" {
		return nil, nil
	}
	file, err := openRegular(f.second, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("the audit log's second head: %w", err)
	}
	return file, nil
}
