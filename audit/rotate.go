package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// rotate puts the log aside as path.1 and starts a new one. Of the files that were
// put aside before, the oldest goes. Where the log cannot be renamed, because another
// process has it open on a system that minds, it goes on growing.
func (f *file) rotate() error {
	_ = f.log.Close() // an open file cannot be renamed everywhere
	f.log = nil
	if err := os.Rename(f.path, f.rotated(0)); err != nil {
		return f.reopen()
	}
	return errors.Join(f.makeRoom(), f.reopen())
}

// rotated is the name of a file that was put aside; 0 is that of one on its way.
func (f *file) rotated(i int) string { return f.path + "." + strconv.Itoa(i) }

// makeRoom moves the file on its way to path.1, and the others up as far as they stand
// close: where a process was ended in the midst of this there is a gap, and what it
// had moved already stays. Only without a gap the oldest goes.
func (f *file) makeRoom() error {
	if _, err := os.Lstat(f.rotated(0)); err != nil {
		return nil
	}
	gap := 1
	for ; gap <= f.keep; gap++ {
		if _, err := os.Lstat(f.rotated(gap)); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if gap > f.keep {
		gap = f.keep
		if err := f.removeFrom(gap); err != nil {
			return err
		}
	}
	for i := gap - 1; i >= 0; i-- {
		if err := os.Rename(f.rotated(i), f.rotated(i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rotating the audit log: %w", err)
		}
	}
	return nil
}

// removeFrom removes a file that was put aside, and, oldest first, those before it,
// which are there when fewer are to be kept than before.
func (f *file) removeFrom(i int) error {
	oldest := i
	for ; ; oldest++ {
		if _, err := os.Lstat(f.rotated(oldest + 1)); err != nil {
			break
		}
	}
	for ; oldest >= i; oldest-- {
		if err := os.Remove(f.rotated(oldest)); err != nil {
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

// first is the number of the oldest record that is kept, 0 when it is not known.
func (f *file) first() uint64 {
	all, err := openFiles(f.path)
	defer closeFiles(all)
	if err != nil || len(all) == 0 {
		return 0
	}
	return firstRecord(all[0].file)
}

// firstAfterRotation is what first will be when the log is put aside, 0 when no file
// goes.
func (f *file) firstAfterRotation() uint64 {
	for i := 1; i <= f.keep; i++ {
		if _, err := os.Lstat(f.rotated(i)); err != nil {
			return 0
		}
	}
	oldest := f.path
	if f.keep > 1 {
		oldest = f.rotated(f.keep - 1)
	}
	file, err := openRegular(oldest, os.O_RDONLY)
	if err != nil {
		return 0
	}
	defer file.Close()
	return firstRecord(file)
}

// firstRecord is the number of a file's first record, 0 when that is none.
func firstRecord(file io.Reader) uint64 {
	line, err := newLines(file).next()
	if err != nil {
		return 0
	}
	r, err := open(line)
	if err != nil {
		return 0
	}
	return r.Seq
}
