package plugin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/internal/gitcmd"
)

// Store is the plugins of a project and of its user. The zero value has none;
// set at least one of the directories. A Store has no state of its own: several
// may work on the same directories, in one process or many, and a Store may be
// used by several goroutines at once.
type Store struct {
	// Places are where plugins lie: the local ones in the project, the global ones in
	// the home directory.
	Places
	// InstallLayout names the layout in which Install puts plugins, "" for Hookline's own. All
	// layouts are always read.
	InstallLayout string
	// Limits bound what a plugin may be.
	Limits Limits
	// Git is the git program; empty means the one found in PATH.
	Git string
	// Timeout bounds one exchange with a server. Zero means five minutes.
	Timeout time.Duration
	// Now gives the time that is recorded; nil means time.Now.
	Now func() time.Time

	// For tests: step is called between the operations on files; noExchange
	// acts as a file system that cannot exchange directories does.
	step       func(string)
	noExchange bool
}

func (s *Store) client() *gitcmd.Client {
	return &gitcmd.Client{Path: s.Git, Timeout: s.Timeout, MaxDownload: 2 * s.Limits.bytes()}
}

func (s *Store) now() time.Time {
	if s.Now != nil {
		return s.Now().UTC()
	}
	return time.Now().UTC().Truncate(time.Second)
}

func (s *Store) at(step string) {
	if s.step != nil {
		s.step(step)
	}
}

// area is one directory of plugins with its lock file.
type area struct {
	base     string // project or home directory
	location Location
	layout   Layout
}

func (a area) root() string     { return filepath.Join(a.base, a.layout.Dir) }
func (a area) plugins() string  { return filepath.Join(a.root(), "plugins") }
func (a area) lockPath() string { return filepath.Join(a.root(), lockFileName) }

func (a area) path(n Name) string { return filepath.Join(a.plugins(), n.Dir()) }

// areas lists where plugins may be, in the order of precedence.
func (s *Store) areas() []area {
	var list []area
	for _, p := range s.bases() {
		for _, layout := range s.layouts() {
			if layout.Plugins {
				list = append(list, area{p.base, p.location, layout})
			}
		}
	}
	return list
}

// target gives the area that Install writes to.
func (s *Store) target(l Location) (area, error) {
	layout, err := s.Layout(s.InstallLayout)
	if err != nil {
		return area{}, err
	}
	a := area{base: s.ProjectDir, location: l, layout: layout}
	if l == Global {
		a.base = s.HomeDir
	}
	if a.base == "" {
		return area{}, fmt.Errorf("there is no %s directory to install plugins in", map[Location]string{Local: "project", Global: "home"}[l])
	}
	if !isDir(a.base) {
		return area{}, fmt.Errorf("installing plugins in %s: there is no such directory", a.base)
	}
	return a, a.safe()
}

// safe refuses a project whose directories are links to somewhere else: a
// repository could have us write anywhere. In a home directory they are the
// user's own.
func (a area) safe() error {
	if a.location == Global {
		return nil
	}
	for _, path := range []string{a.root(), a.plugins(), a.lockPath()} {
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		if !staysInside(a.base, path) {
			return fmt.Errorf("%s is a link out of the project; nothing is written through it", path)
		}
	}
	return nil
}

// recordedSource is how a source stands in plugins.lock: a directory below the
// project is relative to it, so that the file means the same to everybody.
func (a area) recordedSource(src Source) string {
	if src.Kind != DirectorySource || a.location == Global {
		return src.Address
	}
	rel, err := filepath.Rel(a.base, src.Address)
	if err != nil || !filepath.IsLocal(rel) {
		return src.Address
	}
	return "./" + filepath.ToSlash(rel)
}

// sourceOf turns what plugins.lock records back into a source.
func (a area) sourceOf(e Entry) (Source, error) {
	name, err := ParseName(e.Name)
	if err != nil {
		return Source{}, err
	}
	src := Source{Kind: e.Kind, Address: e.Source, Ref: e.Ref, Dir: e.Dir, Name: name}
	switch e.Kind {
	case GitSource:
		if _, err := gitcmd.ParseURL(e.Source); err != nil {
			return Source{}, err
		}
		if reason := nameFault(e.Dir); e.Dir != "" && reason != "" {
			return Source{}, &sourceError{Source: e.where(), Reason: "its directory cannot be meant: " + reason}
		}
		return src, gitcmd.ValidateRef(e.Ref)
	case DirectorySource:
		if rel, ok := strings.CutPrefix(e.Source, "./"); ok {
			src.Address = filepath.Join(a.base, filepath.FromSlash(rel))
		}
		if !filepath.IsAbs(src.Address) {
			return Source{}, &sourceError{Source: e.Source, Reason: "the recorded directory is not absolute"}
		}
		return src, nil
	}
	return Source{}, &sourceError{Source: e.Source, Reason: fmt.Sprintf("unknown kind %q", e.Kind)}
}

// has reports whether a plugin's directory is there, under this spelling or
// one that a file system that ignores case takes for the same.
func (a area) has(n Name) (path string, exists bool) {
	if _, err := os.Lstat(a.path(n)); err == nil {
		return a.path(n), true
	}
	entries, _ := os.ReadDir(a.plugins())
	for _, e := range entries {
		if fold(e.Name()) == fold(n.Dir()) {
			return filepath.Join(a.plugins(), e.Name()), true
		}
	}
	return "", false
}
