package stamp

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const (
	// young is the age up to which a file may change again without a new time.
	young = 2 * time.Second
	// maxContent bounds what is read of a file whose content has to be compared.
	maxContent = 64 << 20
)

// errTooLarge says that a file's content would have to be compared and is too much.
var errTooLarge = errors.New("it was changed just now and is too large to compare")

// Set is what some files were at one moment. It is not changed and may be shared.
type Set []file

type file struct {
	path string
	seen identity
	sum  *[sha256.Size]byte // nil when the identity tells enough
}

// identity tells a file from another one, and from itself after a change.
type identity struct {
	size, modified, changed int64
	device, inode           uint64
}

// Take looks at files; relative names are relative to dir. A file that is missing or
// is not a regular one is an error.
func Take(dir string, files []string) (Set, error) {
	set := make(Set, 0, len(files))
	for _, path := range files {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		f, err := look(path)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", strconv.Quote(path), err)
		}
		set = append(set, f)
	}
	return set, nil
}

// Equal reports whether both sets are of the same files in the same state.
func (s Set) Equal(other Set) bool {
	if len(s) != len(other) {
		return false
	}
	for i, f := range s {
		if f.path != other[i].path || !f.same(other[i]) {
			return false
		}
	}
	return true
}

// Current reports whether the files are what they were.
func (s Set) Current() bool {
	for _, f := range s {
		now, err := f.again()
		if err != nil || !f.same(now) {
			return false
		}
	}
	return true
}

// same compares two looks. A look with a digest and one without agree by identity:
// the one without was taken when the file was old enough for that.
func (f file) same(other file) bool {
	if f.seen != other.seen {
		return false
	}
	return f.sum == nil || other.sum == nil || *f.sum == *other.sum
}

// again looks once more, at the content too when the first look did.
func (f file) again() (file, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return file{}, bare(err)
	}
	now := file{path: f.path, seen: identify(info)}
	if f.sum == nil || now.seen != f.seen {
		return now, nil
	}
	now.sum, err = digest(f.path, now.seen.size)
	return now, err
}

func look(path string) (file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return file{}, bare(err)
	}
	if !info.Mode().IsRegular() {
		return file{}, errors.New("it is not a regular file")
	}
	f := file{path: path, seen: identify(info)}
	if age := time.Now().UnixNano() - f.seen.changed; keepsChange && age > int64(young) {
		return f, nil
	}
	f.sum, err = digest(path, f.seen.size)
	return f, err
}

// digest reads a file of about so many bytes.
func digest(path string, size int64) (*[sha256.Size]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	h := sha256.New()
	buf := make([]byte, min(max(size+1, 512), 32<<10))
	for n := int64(0); ; {
		read, err := f.Read(buf)
		h.Write(buf[:read])
		n += int64(read)
		switch {
		case n > maxContent:
			return nil, errTooLarge
		case err == io.EOF:
			var sum [sha256.Size]byte
			h.Sum(sum[:0])
			return &sum, nil
		case err != nil:
			return nil, bare(err)
		}
	}
}

// bare strips the path, which the caller names.
func bare(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
