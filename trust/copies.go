package trust

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Copies keeps private copies of files that may run, by their content, in a
// directory of the person's own. What runs from a copy is what was looked at,
// whatever happens to the original meanwhile. It is safe for concurrent use, also
// by several processes.
type Copies struct {
	// Dir is the directory, which is made when the first copy is.
	Dir string
}

// contentError is the error of a file whose content is not what it should be.
type contentError struct {
	Path, Digest string
}

func (e *contentError) Error() string {
	return fmt.Sprintf("%s is not %s any more", strconv.Quote(e.Path), e.Digest)
}

// Open returns a handle on a private copy of the file at path, which must have the
// digest; its Name is the copy's path and keeps the file's own name and extension.
// The content was checked through this handle. A path with other content is an
// error, unless there is a copy from before. The caller closes the handle.
func (c Copies) Open(path, digest string) (*os.File, error) {
	if !ValidDigest(digest) {
		return nil, fmt.Errorf("copying %s: %q is not a digest", strconv.Quote(path), digest)
	}
	dir := filepath.Join(c.Dir, strings.TrimPrefix(digest, digestPrefix))
	c.use(dir)
	return c.place(path, filepath.Join(dir, filepath.Base(path)), digest)
}

// maxUnused is how long a directory of copies is kept that nothing uses.
const maxUnused = 60 * 24 * time.Hour

// use notes that a directory of copies is in use. The first one that is made on a day
// takes away those that nothing has used for long.
func (c Copies) use(dir string) {
	now := time.Now()
	old := func(path string) (there, old bool) {
		info, err := os.Stat(path)
		return err == nil, err == nil && now.Sub(info.ModTime()) > 24*time.Hour
	}
	if there, unmarked := old(dir); unmarked {
		_ = os.Chtimes(dir, now, now)
	} else if _, due := old(c.Dir); !there && due {
		_ = os.Chtimes(c.Dir, now, now) // a mirror is made below it
		c.prune(now.Add(-maxUnused))
	}
}

// prune removes the directories of copies, which are named by digests, that were used last
// before a time. A process that would have used one at this moment finds no file, and makes
// it anew the next time.
func (c Copies) prune(before time.Time) {
	for _, dir := range []string{c.Dir, filepath.Join(c.Dir, mirrors)} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if info, err := e.Info(); err == nil && ValidDigest(digestPrefix+e.Name()) && info.ModTime().Before(before) {
				_ = os.RemoveAll(filepath.Join(dir, e.Name()))
			}
		}
	}
}

// place opens the copy at to, which is made from path when it is not there or not
// what it should be.
func (c Copies) place(path, to, digest string) (*os.File, error) {
	if f, err := openDigest(to, digest); err == nil {
		return f, nil
	}
	if err := c.prepare(filepath.Dir(to)); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o400)
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o111 != 0 {
		mode = 0o500
	}
	if err := copyVerified(path, to, digest, mode); errors.Is(err, errChanging) {
		return nil, &contentError{path, digest}
	} else if err != nil {
		return nil, fmt.Errorf("copying %s: %w", strconv.Quote(path), err)
	}
	f, err := openDigest(to, digest)
	if err != nil {
		return nil, fmt.Errorf("opening the copy of %s: %w", strconv.Quote(path), err)
	}
	return f, nil
}

// prepare makes a directory below Dir that nobody else can write to.
func (c Copies) prepare(dir string) error {
	if !filepath.IsAbs(c.Dir) {
		return fmt.Errorf("the directory for copies is not absolute: %s", strconv.Quote(c.Dir))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the directory for copies: %w", err)
	}
	if why := writers(dir); why != "" {
		return fmt.Errorf("the directory for copies is not used: %s", why)
	}
	return nil
}

// openDigest opens a file and checks its content through the handle, which then
// stands at the beginning.
func openDigest(path, digest string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock|openNoFollow, 0)
	if err != nil {
		return nil, err
	}
	if err := checkDigest(f, digest); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func checkDigest(f *os.File, digest string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 && openNonblock != 0 {
		return errors.New("it is not a copy that was made here")
	}
	h := newHash()
	if _, err := io.Copy(h, io.LimitReader(f, maxFile+1)); err != nil {
		return err
	}
	if sum(h) != digest {
		return &contentError{f.Name(), digest}
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}
