package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dirTree lists a local directory. The git directory at its top is not part of
// the plugin. Of a plugin that is neither a Claude Code plugin nor has links that
// might lead anywhere, only the parts that are installed are looked at: what
// else lies in a person's directory is their own business. The caller closes the returned root when the tree is read.
func dirTree(ctx context.Context, dir, name string, limits Limits) (*tree, *os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the plugin's directory: %w", err)
	}
	l := dirLister{root: root, tally: tally{name: name, limits: limits}}
	l.shallow = true
	if err = l.walk(ctx, "."); err == nil {
		for _, d := range []string{".claude-plugin", "commands", "agents", "skills", "recipes", "hooks", "tools"} {
			if info, statErr := root.Lstat(d); statErr == nil && info.IsDir() {
				l.shallow = false
				if err = l.walk(ctx, d); err != nil {
					break
				}
			}
		}
	}
	if err == nil && (hasClaudeLayout(l.entries) || hasLinks(l.entries)) {
		l = dirLister{root: root, tally: tally{name: name, limits: limits}}
		err = l.walk(ctx, ".")
	}
	if err != nil {
		root.Close()
		return nil, nil, err
	}
	t := &tree{entries: l.entries, read: func(ctx context.Context, files []entry, each func(entry, func(io.Writer) error) error) error {
		for _, f := range files {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := each(f, func(w io.Writer) error { return copyFrom(root, f, w) }); err != nil {
				return err
			}
		}
		return nil
	}}
	return t, root, nil
}

func hasLinks(entries []entry) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return e.kind == symlink })
}

type dirLister struct {
	root    *os.Root
	tally   tally
	entries []entry
	shallow bool // files of the top only
}

func (l *dirLister) walk(ctx context.Context, start string) error {
	return fs.WalkDir(l.root.FS(), start, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("reading the plugin's directory: %w", err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil // of a linked work tree
		}
		if d.IsDir() {
			if p != "." && (l.shallow || unwanted(p)) {
				return fs.SkipDir
			}
			return l.refuseGit(p, d)
		}
		e, wanted, err := l.entry(p, d)
		if err != nil || !wanted {
			return err
		}
		l.entries = append(l.entries, e)
		return l.tally.add(e)
	})
}

// unwanted reports whether a directory at the top is never installed, such as
// the store of the project that a plugin is developed in.
func unwanted(p string) bool {
	return strings.HasPrefix(p, ".") && p != ".claude-plugin" && !strings.Contains(p, "/") && !isGitName(p)
}

// refuseGit refuses a nested git directory before its many files are listed.
func (l *dirLister) refuseGit(p string, d fs.DirEntry) error {
	if p != "." && isGitName(d.Name()) {
		return &RefusedError{Plugin: l.tally.name, Path: p, Reason: "it is another git repository inside the plugin"}
	}
	return nil
}

func (l *dirLister) entry(p string, d fs.DirEntry) (e entry, wanted bool, err error) {
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return entry{}, false, nil // removed since it was listed
	}
	if err != nil {
		return entry{}, false, fmt.Errorf("reading the plugin's directory: %w", err)
	}
	if l.shallow && !info.Mode().IsRegular() && !linksToOwnDir(p) {
		return entry{}, false, nil // not installed, so not looked at
	}
	e = entry{path: p, size: info.Size()}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		e.kind, e.executable = plainFile, isExecutable(p, mode)
	case mode&fs.ModeSymlink != 0:
		e.kind = symlink
		target, err := l.root.Readlink(filepath.FromSlash(p))
		if err != nil {
			return entry{}, false, fmt.Errorf("reading the plugin's directory: %w", err)
		}
		e.target = filepath.ToSlash(target)
	case mode&fs.ModeNamedPipe != 0:
		e.kind, e.what = special, "a named pipe"
	case mode&fs.ModeSocket != 0:
		e.kind, e.what = special, "a socket"
	default:
		e.kind, e.what = special, "a device"
	}
	return e, true, nil
}

// linksToOwnDir reports whether a link at the top has the name of a directory
// that is installed, so that it has to be judged.
func linksToOwnDir(p string) bool {
	switch strings.ToLower(p) {
	case ".claude-plugin", "commands", "agents", "skills", "recipes", "hooks", "tools":
		return true
	}
	return false
}

// copyFrom copies a file that must still be what was listed.
func copyFrom(root *os.Root, e entry, w io.Writer) error {
	f, err := root.OpenFile(filepath.FromSlash(e.path), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != e.size {
		return fmt.Errorf("%q changed while it was read; try again", e.path)
	}
	n, err := io.Copy(w, io.LimitReader(f, e.size+1))
	if err != nil {
		return err
	}
	if n != e.size {
		return fmt.Errorf("%q changed while it was read; try again", e.path)
	}
	return nil
}
