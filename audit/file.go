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
	"path/filepath"
	"strconv"
	"time"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// lockWait is how long a record waits for another process that writes.
const lockWait = 2 * time.Second

// file is the log's file and what lies beside it.
type file struct {
	path string
	max  int64
	keep int
	log  *os.File
	head *os.File
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
	h, torn, err := f.end()
	if err != nil {
		return err
	}
	if torn != nil {
		records = append([]Record{*torn}, records...)
		stamp(&records[0], &records[1])
	}
	return f.write(h, records)
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

// openRegular opens a file that is no link, no pipe and no device.
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

// end finds the end of the chain. A line that a process did not finish is ended, and
// torn is the record that says so.
func (f *file) end() (h head, torn *Record, err error) {
	info, err := f.log.Stat()
	if err != nil {
		return head{}, nil, fmt.Errorf("looking at the audit log: %w", err)
	}
	buf := make([]byte, headSize)
	n, err := f.head.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return head{}, nil, fmt.Errorf("reading the end of the audit chain: %w", err)
	}
	if h, err = decodeHead(buf[:n]); err == nil && h.Size == info.Size() {
		return h, nil, nil
	}
	// A process ended between the two writes, or the files were tampered with: the
	// chain goes on after the last whole record, and Verify tells which it was.
	return f.recover(h, info.Size())
}

// tail is how much of a log's end is searched for its last record.
const tail = maxLine + 64<<10

func (f *file) recover(known head, size int64) (head, *Record, error) {
	from := max(0, size-tail)
	data := make([]byte, size-from)
	if _, err := f.log.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
		return head{}, nil, fmt.Errorf("reading the end of the audit log: %w", err)
	}
	h := head{Size: size}
	var torn *Record
	if i := bytes.LastIndexByte(data, '\n') + 1; i < len(data) {
		rest := data[i:]
		sum := sha256.Sum256(rest)
		torn = &Record{Kind: KindRecovered, TornBytes: int64(len(rest)), TornSHA256: hex.EncodeToString(sum[:])}
		if _, err := f.log.Write([]byte("\n")); err != nil {
			return head{}, nil, fmt.Errorf("ending a torn line of the audit log: %w", err)
		}
		h.Size++
		data = data[:i]
	}
	for len(data) > 0 {
		data = data[:len(data)-1]
		i := bytes.LastIndexByte(data, '\n') + 1
		if r, err := open(data[i:]); err == nil {
			h.Seq, h.Hash = r.Seq, r.Hash
			break
		}
		data = data[:i]
	}
	if h.Seq < known.Seq {
		// Lines at the end are gone. The chain goes on after the last that was
		// written, so that their absence stays visible.
		h.Seq, h.Hash = known.Seq, known.Hash
	}
	return h, torn, nil
}

// write appends records after the end of the chain.
func (f *file) write(h head, records []Record) error {
	before := h
	var all []byte
	for i := range records {
		h.Seq++
		records[i].Seq = h.Seq
		line, hash, err := seal(&records[i], h.Hash)
		if err != nil {
			return err
		}
		h.Hash = hash
		all = append(all, line...)
	}
	if h.Size > 0 && h.Size+int64(len(all)) > f.max {
		if err := f.rotate(); err != nil {
			return err
		}
		info, err := f.log.Stat()
		if err != nil {
			return fmt.Errorf("looking at the audit log: %w", err)
		}
		h.Size, before.Size = info.Size(), info.Size()
	}
	if _, err := f.log.Write(all); err != nil {
		// What was written of it would be a torn line.
		return errors.Join(fmt.Errorf("writing to the audit log: %w", err), f.log.Truncate(before.Size))
	}
	h.Size += int64(len(all))
	h.Keep = f.keep
	b, err := h.encode()
	if err != nil {
		return err
	}
	// The records are written. Without the head the next one finds the end of the
	// chain itself.
	_, _ = f.head.WriteAt(b, 0)
	return nil
}

// rotate puts the log aside as path.1 and starts a new one. Of the files that were
// put aside before, the oldest goes. Where the log cannot be renamed, because another
// process has it open on a system that minds, it goes on growing.
func (f *file) rotate() error {
	if err := f.makeRoom(); err != nil { // left by a process that ended in between
		return err
	}
	_ = f.log.Close() // an open file cannot be renamed everywhere
	f.log = nil
	if err := os.Rename(f.path, f.aside(0)); err != nil {
		return f.reopen()
	}
	return errors.Join(f.makeRoom(), f.reopen())
}

// aside is the name of a file that was put aside; 0 is that of one on its way.
func (f *file) aside(i int) string { return f.path + "." + strconv.Itoa(i) }

// makeRoom moves the file on its way to path.1, and the others up as far as they stand
// close: where a process was ended in the midst of this there is a gap, and what it
// had moved already stays. Only without a gap the oldest goes.
func (f *file) makeRoom() error {
	if _, err := os.Lstat(f.aside(0)); err != nil {
		return nil
	}
	gap := 1
	for ; gap <= f.keep; gap++ {
		if _, err := os.Lstat(f.aside(gap)); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if gap > f.keep {
		gap = f.keep
		if err := os.Remove(f.aside(gap)); err != nil {
			return fmt.Errorf("rotating the audit log: %w", err)
		}
	}
	for i := gap - 1; i >= 0; i-- {
		if err := os.Rename(f.aside(i), f.aside(i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rotating the audit log: %w", err)
		}
	}
	return nil
}

func (f *file) reopen() (err error) {
	f.log, err = openRegular(f.path, os.O_APPEND|os.O_RDWR|os.O_CREATE)
	if err != nil {
		f.closeFiles()
	}
	return err
}
