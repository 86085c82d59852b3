package trust

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// approvedDir holds, below the store's directory, the approved content of files, so
// that a later change can be shown.
const approvedDir = "approved"

// maxKept bounds a file whose content is kept for that, in bytes.
const maxKept = 1 << 20

func (s *Store) contentPath(digest string) string {
	return filepath.Join(s.dir, approvedDir, strings.TrimPrefix(digest, digestPrefix))
}

// keep stores the content of small files under their digests, save for those that are
// known to be there. A file that is not
// any more what it was read as fails.
func (s *Store) keep(st State, known map[string]bool) error {
	for _, f := range st.Files {
		if f.Digest == "" || f.Size > maxKept || known[f.Digest] {
			continue
		}
		known[f.Digest] = true
		path := s.contentPath(f.Digest)
		if d, _, err := digestFile(path, nil); err == nil && d == f.Digest {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := copyVerified(f.Abs, path, f.Digest, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// approvedContent returns the approved content of a file; ok is false when it was not kept.
func (s *Store) approvedContent(digest string) (data []byte, ok bool) {
	if !ValidDigest(digest) {
		return nil, false
	}
	data, err := readVerified(s.contentPath(digest), digest)
	return data, err == nil
}

// contentGrace is how long content without an approval stays: another process may be
// about to approve it.
const contentGrace = time.Hour

// forget removes kept content that no approval refers to. It is housekeeping: what
// cannot be removed now is removed another time.
func (s *Store) forget() {
	c, err := s.load()
	if err != nil {
		return
	}
	used := map[string]struct{}{}
	for _, a := range c.Approvals {
		for _, f := range a.Files {
			used[strings.TrimPrefix(f.Digest, digestPrefix)] = struct{}{}
		}
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, approvedDir))
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if _, ok := used[e.Name()]; ok || err != nil || s.now().Sub(info.ModTime()) < contentGrace {
			continue
		}
		_ = os.Remove(filepath.Join(s.dir, approvedDir, e.Name()))
	}
}

// isHome reports whether a directory is the person's home directory.
func isHome(dir string) bool {
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return false
	}
	a, err1 := os.Stat(home)
	b, err2 := os.Stat(dir)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// readVerified reads a small file of which the digest is known.
func readVerified(path, digest string) ([]byte, error) {
	var b strings.Builder
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxKept {
		return nil, errors.New("it is not what was kept")
	}
	got, _, err := digestFile(path, &b)
	if err != nil {
		return nil, err
	}
	if got != digest {
		return nil, errChanging
	}
	return []byte(b.String()), nil
}

// copyVerified copies a file to a new name when its content has the digest, whole or
// not at all.
func copyVerified(from, to, digest string, mode fs.FileMode) error {
	return fsx.Replace(to, mode, func(w io.Writer) error {
		got, _, err := digestFile(from, w)
		if err == nil && got != digest {
			err = errChanging
		}
		return err
	})
}
