package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/internal/codedir"
)

// Mirror makes a private directory that stands for the root of a state: it holds
// copies of the state's files at their places, and beside them links to whatever
// else is there in the root. A script that runs from it is what was approved, finds
// the approved copies of what it loads by paths relative to itself, and everything
// else where it expects it. Files outside of the root, files that are not there, and
// what an interpreter would load of the state's trees without being among the files,
// are left out.
//
// A directory for the same files and root is used again, whichever hook they are of; links that are missing are
// added.
func (c Copies) Mirror(st State) (string, error) {
	m := mirror{st: st, dir: c.mirrorDir(st), copied: map[string]struct{}{}}
	c.use(m.dir)
	if err := c.prepare(m.dir); err != nil {
		return "", err
	}
	for _, f := range st.Files {
		local := filepath.FromSlash(f.Path)
		if !filepath.IsLocal(local) {
			continue
		}
		m.hold(local)
		if f.Digest == "" {
			continue
		}
		file, err := c.place(f.Abs, filepath.Join(m.dir, local), f.Digest)
		if err != nil {
			return "", err
		}
		if err := file.Close(); err != nil {
			return "", fmt.Errorf("closing the copy of %s: %w", strconv.Quote(f.Path), err)
		}
	}
	for _, t := range st.trees {
		if filepath.IsLocal(t.Dir) {
			m.hold(t.Dir)
		}
	}
	for p := range m.copied {
		info, err := os.Stat(filepath.Join(st.Root, p))
		if err != nil || !info.IsDir() {
			continue
		}
		err = c.prepare(filepath.Join(m.dir, p)) // what it would hold may not be there
		if err == nil {
			err = m.linkRest(p)
		}
		if err != nil {
			return "", fmt.Errorf("linking what lies beside the copies: %w", err)
		}
	}
	return m.dir, nil
}

// mirrors is the directory of mirrors, among those of copies.
const mirrors = "trees"

// mirrorDir is where the mirror of a state lies.
func (c Copies) mirrorDir(st State) string {
	h := newHash()
	part := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	part(st.Root)
	part(strconv.Itoa(len(st.Files)))
	for _, f := range st.Files {
		part(f.Path)
		part(f.Digest)
		part(f.Mode)
	}
	for _, t := range st.trees {
		part(t.Dir)
		part(string(t.Language))
		part(t.Glob)
	}
	return filepath.Join(c.Dir, mirrors, strings.TrimPrefix(sum(h), digestPrefix))
}

// mirror is a private directory that stands for the root of a state.
type mirror struct {
	st     State
	dir    string
	copied map[string]struct{} // by the names in the root
}

// hold makes a file or directory, and the directories above it, the mirror's own.
func (m *mirror) hold(path string) {
	for ; ; path = filepath.Dir(path) {
		m.copied[path] = struct{}{}
		if path == "." {
			return
		}
	}
}

// linkRest links the entries of a directory that are not the mirror's own. Where links
// cannot be made there are none.
func (m *mirror) linkRest(dir string) error {
	entries, err := os.ReadDir(filepath.Join(m.st.Root, dir))
	if err != nil {
		return nil // the original is gone; the copies are what counts
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if _, own := m.copied[name]; own || m.loaded(dir, e) {
			continue
		}
		link := filepath.Join(m.dir, name)
		if _, err := os.Lstat(link); err == nil {
			continue
		}
		err := os.Symlink(m.target(name, e), link)
		if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrPermission) && openNonblock != 0 {
			return err
		}
	}
	return nil
}

// target is what a link stands for: what lies in the root, or the copy where a link
// there leads to one.
func (m *mirror) target(name string, e fs.DirEntry) string {
	path := filepath.Join(m.st.Root, name)
	if e.Type()&fs.ModeSymlink == 0 {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if rel, err := filepath.Rel(m.st.Root, real); err == nil {
			if _, own := m.copied[rel]; own {
				return filepath.Join(m.dir, rel)
			}
		}
	}
	return path
}

// loaded reports whether an entry of a directory is something that an interpreter would
// load of one of the trees: it came after the files were read, or was compiled from one.
func (m *mirror) loaded(dir string, e fs.DirEntry) bool {
	for _, t := range m.st.trees {
		rel, err := filepath.Rel(t.Dir, dir)
		if err != nil {
			continue
		}
		if t.Glob != "" {
			if ok, err := filepath.Match(t.Glob, filepath.Join(rel, e.Name())); ok || err != nil {
				return true
			}
			continue
		}
		if !t.Language.Within(rel) {
			continue
		}
		if t.Language.Loads(e.Name()) || t.Language.Compiled(e.Name()) {
			return true
		}
		if e.Type().IsRegular() || !t.Language.Enters(e.Name()) {
			continue
		}
		below := codedir.Tree{Dir: filepath.Join(m.st.Root, dir, e.Name()), Language: t.Language}
		if files, err := below.List(""); err != nil || len(files) > 0 {
			return true
		}
	}
	return false
}
