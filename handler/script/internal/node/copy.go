package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

type twoPaths struct {
	Path, Dest string
	Mode       int
}

// between runs use on two writable places of one file system. Places in
// different granted folders are as two devices: EXDEV, which programs know.
func (p *Primitives) between(a twoPaths, call string, use func(f fileSystem, from, to string) error) error {
	var inner error
	err := p.at(a.Path, access{call: call, write: true}, func(from place) error {
		inner = p.at(a.Dest, access{call: call, write: true}, func(to place) error {
			if from.fs != to.fs {
				return newErrno("EXDEV", call, a.Path)
			}
			return use(from.fs, from.rel, to.rel)
		})
		return nil
	})
	if err == nil {
		err = inner
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Errno != 0 {
		text := systemMessage(e.Code, call, a.Path) + " -> '" + a.Dest + "'"
		return &Error{Code: e.Code, Errno: e.Errno, Syscall: call, Path: a.Path, Dest: a.Dest, Message: text}
	}
	return err
}

func (p *Primitives) rename(_ context.Context, a twoPaths) (any, error) {
	return nil, p.between(a, "rename", fileSystem.Rename)
}

func (p *Primitives) link(_ context.Context, a twoPaths) (any, error) {
	return nil, p.between(a, "link", fileSystem.Link)
}

func (p *Primitives) copyFile(_ context.Context, a twoPaths) (any, error) {
	const exclusive = 1
	flag := "w"
	if a.Mode&exclusive != 0 {
		flag = "wx"
	}
	err := p.copyOne(a.Path, a.Dest, flag)
	if e, ok := errors.AsType[*Error](err); ok && e.Errno != 0 {
		text := systemMessage(e.Code, "copyfile", a.Path) + " -> '" + a.Dest + "'"
		return nil, &Error{Code: e.Code, Errno: e.Errno, Syscall: "copyfile", Path: a.Path, Dest: a.Dest, Message: text}
	}
	return nil, err
}

func (p *Primitives) copyOne(from, to, flag string) error {
	src, err := p.openAt(from, "r", 0)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := p.openAt(to, flag, uint32(info.Mode().Perm()))
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if closeErr := dst.Close(); err == nil {
		err = closeErr
	}
	return systemErrorOrNil(err, "copyfile", from)
}

// cp copies a file or, if asked, a whole folder. Links are copied as links.
func (p *Primitives) cp(ctx context.Context, a struct {
	twoPaths
	copyOptions
},
) (any, error) {
	if _, ok := within(p.abs(a.Path), p.abs(a.Dest)); ok && a.Recursive {
		return nil, &Error{
			Code: "ERR_FS_CP_EINVAL", Syscall: "cp", Path: a.Path, Dest: a.Dest,
			Message: fmt.Sprintf("Invalid src or dest: cannot copy %s to a subdirectory of self %s", a.Path, a.Dest),
		}
	}
	return nil, p.copyTree(ctx, a.Path, a.Dest, a.copyOptions)
}

// copyOptions says whether folders are copied, whether what is there is replaced, and if
// it is not, whether that is an error.
type copyOptions struct{ Recursive, Force, ErrorOnExist bool }

func (p *Primitives) copyTree(ctx context.Context, from, to string, o copyOptions) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := p.stat(from, access{call: "cp"})
	if err != nil {
		return err
	}
	if info.IsDir() {
		if !o.Recursive {
			return &Error{
				Code: "ERR_FS_EISDIR", Syscall: "cp", Path: from,
				Message: fmt.Sprintf("Recursive option not enabled, cannot copy a directory: %s", from),
			}
		}
		return p.copyFolder(ctx, from, to, info, o)
	}
	if _, err := p.stat(to, access{call: "cp"}); err == nil {
		if o.ErrorOnExist && !o.Force {
			return &Error{Code: "ERR_FS_CP_EEXIST", Syscall: "cp", Path: to, Message: "Target already exists: " + to}
		}
		if !o.Force {
			return nil
		}
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		var target string
		err := p.at(from, access{call: "readlink"}, func(w place) (err error) {
			target, err = w.fs.Readlink(w.rel)
			return err
		})
		if err != nil {
			return err
		}
		_, err = p.symlink(ctx, struct{ Path, Target string }{to, target})
		return err
	}
	return p.copyOne(from, to, "w")
}

func (p *Primitives) copyFolder(ctx context.Context, from, to string, info fs.FileInfo, o copyOptions) error {
	err := p.at(to, access{call: "mkdir", write: true, follow: true}, func(w place) error {
		_, err := mkdirAll(w, info.Mode().Perm())
		return err
	})
	if err != nil {
		return err
	}
	var names []string
	err = p.at(from, access{call: "scandir", follow: true}, func(w place) error {
		entries, err := readEntries(w)
		names = nil
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := p.copyTree(ctx, filepath.Join(from, name), filepath.Join(to, name), o); err != nil {
			return err
		}
	}
	return nil
}
