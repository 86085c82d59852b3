package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/internal/codedir"
)

// digestPrefix begins every digest.
const digestPrefix = "sha256:"

// maxFile bounds a file that is read for its digest.
const maxFile = 1 << 30

// State is what an artifact is right now.
type State struct {
	// Digest covers everything else: "sha256:" and hexadecimal digits.
	Digest string `json:"digest"`
	// Root is the real path of the artifact's root.
	Root string `json:"root"`
	// Source is the file that defines the hook, relative to the root.
	Source string `json:"source"`
	// Files are the files, sorted by path.
	Files []FileState `json:"files"`

	trees []codedir.Tree // of the artifact, by their names in the root
	runs  string         // what a hook of the person runs of the project, in words, or may run
	by    string         // the digest of the approval that it is allowed by, "" for its own
}

// FileState is a file of an artifact.
type FileState struct {
	// Path is relative to the root, with slashes; a file elsewhere has its absolute
	// path.
	Path string `json:"path"`
	// Digest is that of the content, "" for a file that is not there.
	Digest string `json:"digest,omitzero"`
	// Mode holds the permission bits in octal, "" for a file that is not there.
	Mode string `json:"mode,omitzero"`
	// Size is in bytes.
	Size int64 `json:"size,omitzero"`
	// Link is where the path really leads when a link is on the way, relative to the
	// root.
	Link string `json:"link,omitzero"`
	// Abs is the path as the artifact gives it.
	Abs string `json:"-"`
}

// escapeError is the error of a file that lies within the project by its name and
// really elsewhere.
type escapeError struct {
	Path, Target string
}

func (e *escapeError) Error() string {
	return fmt.Sprintf("%s leads out of the project, to %s", strconv.Quote(e.Path), strconv.Quote(e.Target))
}

// errChanging is the error of a file that changes while it is read.
var errChanging = errors.New("the file changes while it is read")

// readState reads the files of an artifact and computes the digest. A file that is
// not there is part of the state; one that cannot be read, is not a regular file or
// leads out of the project is an error.
func readState(a Artifact) (State, error) {
	p, err := a.place()
	if err != nil {
		return State{}, err
	}
	st := State{Root: p.real, Source: p.name(a.Source)}
	if err := p.escapes(a, a.Source); err != nil {
		return State{}, err
	}
	paths := slices.Clone(a.Files)
	for _, t := range a.Trees {
		code := t.code()
		more, err := code.List(a.Root)
		if err != nil {
			return State{}, err
		}
		paths = append(paths, more...)
		code.Dir = filepath.FromSlash(p.name(t.Dir))
		st.trees = append(st.trees, code)
	}
	for _, path := range paths {
		f, err := p.read(a, path)
		if err != nil {
			return State{}, err
		}
		st.Files = append(st.Files, f)
	}
	slices.SortFunc(st.Files, func(a, b FileState) int { return strings.Compare(a.Path, b.Path) })
	st.Files = slices.CompactFunc(st.Files, func(a, b FileState) bool { return a.Path == b.Path })
	st.Digest = digestOf(a, st)
	st.runs = borrows(a, st)
	return st, nil
}

// digestOf computes the digest of an artifact. Every part goes in with its length,
// so that no two artifacts give the same text. Neither the root nor the name is
// part of it: approvals are kept by root, and a hook may have a number for a name.
func digestOf(a Artifact, st State) string {
	h := newHash()
	part := func(s string) { fmt.Fprintf(h, "%d:%s\n", len(s), s) }
	part("hookline approval 1")
	part(a.Dialect)
	part(st.Source)
	part(a.Definition)
	part(a.Replaces)
	caps := slices.Sorted(slices.Values(a.Capabilities))
	part(strconv.Itoa(len(caps)))
	for _, c := range caps {
		part(c)
	}
	for _, f := range st.Files {
		part(f.Path)
		part(f.Digest)
		part(f.Mode)
		part(f.Link)
	}
	return sum(h)
}

func newHash() hash.Hash { return sha256.New() }

func sum(h hash.Hash) string { return digestPrefix + hex.EncodeToString(h.Sum(nil)) }

// ValidDigest reports whether s has the form of a digest.
func ValidDigest(s string) bool {
	hexa, ok := strings.CutPrefix(s, digestPrefix)
	if !ok || len(hexa) != 2*sha256.Size || strings.ToLower(hexa) != hexa {
		return false
	}
	_, err := hex.DecodeString(hexa)
	return err == nil
}

// place is a root that names are relative to.
type place struct {
	given, real string
}

// place is the root of an artifact.
func (a Artifact) place() (place, error) {
	return LookOnce(a.Seen, "place", a.Root, func() (place, error) { return newPlace(a.Root) })
}

func newPlace(root string) (place, error) {
	if root == "" {
		return place{}, errors.New("the hook belongs to no directory")
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return place{}, fmt.Errorf("finding %s: %w", strconv.Quote(root), err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return place{}, fmt.Errorf("finding %s: %w", strconv.Quote(root), bare(err))
	}
	return place{abs, real}, nil
}

// name is a path relative to the root when it lies within, the clean path itself
// otherwise. Links are not followed: what counts is the name.
func (p place) name(path string) string {
	if path == "" {
		return ""
	}
	path = filepath.Clean(path)
	for _, root := range []string{p.given, p.real} {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}

// within reports whether a real path lies in the root.
func (p place) within(real string) bool {
	rel, err := filepath.Rel(p.real, real)
	return err == nil && filepath.IsLocal(rel)
}

// escapes fails when a path of a project's hook lies within the project by its name
// only.
func (p place) escapes(a Artifact, path string) error {
	if path == "" || !foreign(a.Level) || filepath.IsAbs(p.name(path)) {
		return nil
	}
	real, err := a.Seen.Real(path)
	if err == nil && !p.within(real) {
		return &escapeError{Path: path, Target: real}
	}
	return nil
}

// foreign reports whether hooks of a level run only when they are approved. A level
// that is not known is taken for the least trusted one.
func foreign(level string) bool { return level != levelManaged && level != levelUser }

// The levels of hooks that need no approval.
const (
	levelManaged = "managed"
	levelUser    = "user"
)

func (p place) read(a Artifact, path string) (FileState, error) {
	f := FileState{Path: p.name(path), Abs: filepath.Clean(path)}
	if err := p.escapes(a, path); err != nil {
		return f, err
	}
	was, err := LookOnce(a.Seen, "file", path, func() (FileState, error) {
		digest, info, err := digestFile(path, nil)
		if err != nil {
			return FileState{}, err
		}
		return FileState{Digest: digest, Size: info.Size(), Mode: modeText(info.Mode())}, nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("reading %s: %w", strconv.Quote(path), bare(err))
	}
	f.Digest, f.Size, f.Mode = was.Digest, was.Size, was.Mode
	if real, err := a.Seen.Real(path); err == nil {
		if rel := (place{p.real, p.real}).name(real); rel != f.Path {
			f.Link = rel
		}
	}
	return f, nil
}

// digestFile reads a regular file from one handle and returns the digest of what
// was read. With w it is written there too.
func digestFile(path string, w io.Writer) (string, fs.FileInfo, error) {
	file, err := openRegular(path)
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil {
		return "", nil, err
	}
	h := newHash()
	out := io.Writer(h)
	if w != nil {
		out = io.MultiWriter(h, w)
	}
	n, err := io.Copy(out, io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", nil, err
	}
	if n > maxFile {
		return "", nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	after, err := file.Stat()
	if err != nil {
		return "", nil, err
	}
	if n != before.Size() || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) || after.Mode() != before.Mode() {
		return "", nil, errChanging
	}
	return sum(h), before, nil
}

// openRegular opens a regular file for reading and never waits for a writer of a
// pipe. Links are followed.
func openRegular(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// modeText is the part of a mode that an approval covers.
func modeText(m fs.FileMode) string {
	bits := uint32(m.Perm())
	for _, b := range []struct {
		mode fs.FileMode
		bit  uint32
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}} {
		if m&b.mode != 0 {
			bits |= b.bit
		}
	}
	return fmt.Sprintf("%04o", bits)
}

// bare strips the path from an error whose caller names it.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
