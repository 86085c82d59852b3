package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// rotate puts the log aside as path.1 and starts a new one. Of the files that were
// put aside before, the oldest goes first: only then does the log begin where the head
// says that it will. Where the log cannot be renamed, because another process has it
// open on a system that minds, it goes on growing.
func (f *file) rotate() error {
	if err := f.removeOld(); err != nil {
		return err
	}
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
// had moved already stays. Nothing goes here: no head says that it may.
func (f *file) makeRoom() error {
	if _, err := os.Lstat(f.rotated(0)); err != nil {
		return nil
	}
	for i := f.lastRotated(); i >= 0; i-- {
		if err := os.Rename(f.rotated(i), f.rotated(i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rotating the audit log: %w", err)
		}
	}
	return nil
}

// lastRotated is the number of the last file that was put aside with none missing before it.
func (f *file) lastRotated() int {
	for i := 1; ; i++ {
		if _, err := os.Lstat(f.rotated(i)); err != nil {
			return i - 1
		}
	}
}

// removeOld removes what a rotation leaves no place for, oldest first: one file, or
// more when fewer are to be kept than before.
func (f *file) removeOld() error {
	for i := f.lastRotated(); i >= f.keep; i-- {
		if err := os.Remove(f.rotated(i)); err != nil {
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
	if err != nil {
		return 0
	}
	return firstRecord(all)
}

// firstAfterRotation is what first will be when the log is put aside, 0 when no file
// goes.
func (f *file) firstAfterRotation() uint64 {
	all, err := openFiles(f.path)
	defer closeFiles(all)
	if err != nil || f.lastRotated() < f.keep {
		return 0
	}
	return firstRecord(all[len(all)-f.keep:])
}

// firstRecord is the number of the first record in files, 0 when there is none. A line
// that a process did not finish may stand before it, and be all that a file holds.
func firstRecord(files []named) uint64 {
	for _, f := range files {
		for in := newLines(f.file); ; {
			line, err := in.next()
			if err != nil && !errors.Is(err, errLong) {
				break
			}
			if r, err := open(line); err == nil {
				return r.Seq
			}
		}
	}
	return 0
}
