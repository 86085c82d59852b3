// Package sandbox holds what child processes may write, and a little of what they may
// read, by the kernel: however a program spells the name of a file, it cannot open it.
//
// A [Wall] is a [Policy] that the kernel was told. On Linux it is Landlock, which takes
// rights from one thread and from all that it starts; the wall keeps a thread of its own
// for that, and the rest of the program stays as free as it was. On macOS the program
// sandbox-exec is put before the command. Windows has no such wall.
//
// Landlock grants a directory with all below it and cannot take back a part. Outside of
// what is written that does no harm: everything is denied that is not granted. For names
// inside a directory that is written, such as the settings in a project, there are mounts
// in namespaces, where the system lets a person make them ([Policy.Hold]), and [Keep], which
// compares, and puts back what has changed.
package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// ErrNone says that the system offers no wall.
var ErrNone = errors.New("the system has no sandbox for files")

// Policy says what stays possible within a wall. Paths are absolute; those that are not
// there are passed over, and links are followed once, when the wall is made.
type Policy struct {
	// Write are files and directories that may be written, with all below them. What
	// every program needs, such as /dev/null, is added.
	Write []string
	// NoWrite are never written, also where they lie below Write: then their neighbours
	// are granted one by one, and nothing new can be made beside them.
	NoWrite []string
	// NoRead cannot be read, or written. What is made beside them or beside a directory
	// above them can be read by processes that are started later.
	NoRead []string
	// Read are files and directories below NoRead that can be read all the same.
	Read []string
	// Own are directories that may be written and read although they lie below NoWrite or
	// NoRead.
	Own []string
	// Hold are files and directories below Write that cannot be written, moved or removed, if
	// they are there when a process is started: by read-only mounts in namespaces of its own,
	// see [Namespaces]. What moves outside of the wall to where one of them is takes its mount
	// away; [Keep] holds that, and what is not there yet.
	Hold []string
	// Free are files and directories below Hold that can be written all the same.
	Free []string
	// NoTCP forbids to connect and to listen by TCP. Other protocols are not held, unless
	// there is something to Hold: then there is no network.
	NoTCP bool
}

// resolved returns the policy with its links resolved, in the form that walls use: what
// is below something that is forbidden is not granted.
func (p Policy) resolved() Policy {
	out := Policy{NoTCP: p.NoTCP}
	for _, path := range p.NoRead {
		out.NoRead = append(out.NoRead, fsx.Resolve(path))
	}
	for _, path := range p.Read {
		out.Read = append(out.Read, fsx.Resolve(path))
	}
	out.NoWrite = slices.Clone(out.NoRead)
	for _, path := range p.NoWrite {
		out.NoWrite = append(out.NoWrite, fsx.Resolve(path))
	}
	for _, path := range p.Own {
		out.Own = append(out.Own, fsx.Resolve(path))
	}
	for _, path := range slices.Concat(p.Write, devices) {
		if real, err := filepath.EvalSymlinks(path); err == nil && !withinAny(real, out.NoWrite) {
			out.Write = append(out.Write, real)
		}
	}
	for _, path := range p.Hold {
		// A name that leads to all that is written is for a Keep.
		if real := fsx.Resolve(path); !slices.Contains(out.Write, real) {
			out.Hold = append(out.Hold, real)
		}
	}
	for _, path := range p.Free {
		out.Free = append(out.Free, fsx.Resolve(path))
	}
	return out
}

// within reports whether path is dir or lies below it, by name.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

func withinAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(path, dir) })
}

// split returns what to grant so that root is covered and none of denied is: root itself,
// or its entries one by one. Onto passed it puts the directories whose entries it read.
// Links are left out: where they lead is granted, or not, by its own place.
func split(root string, denied []string, passed *[]string) ([]string, error) {
	if withinAny(root, denied) {
		return nil, nil
	}
	if !slices.ContainsFunc(denied, func(d string) bool { return within(d, root) }) {
		return []string{root}, nil
	}
	entries, err := os.ReadDir(root)
	var names []string
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fs.ErrPermission):
		names = onTheWay(root, denied)
	case err != nil:
		return nil, fmt.Errorf("finding what may be granted in %s: %w", root, err)
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			names = append(names, e.Name())
		}
	}
	*passed = append(*passed, root)
	var out []string
	for _, name := range names {
		below, err := split(filepath.Join(root, name), denied, passed)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}

// onTheWay returns the names in root that lead to what is denied: all that is known of a
// directory that cannot be listed.
func onTheWay(root string, denied []string) (names []string) {
	for _, d := range denied {
		rel, err := filepath.Rel(root, d)
		name, _, _ := strings.Cut(rel, string(filepath.Separator))
		if err == nil && name != ".." && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
