package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func (p *Primitives) addDirOps(ops map[string]operation) {
	ops["node.fs.stat"] = op(func(_ context.Context, a pathArgs) (any, error) {
		info, err := p.stat(a.Path, access{call: "stat", follow: true})
		if err != nil {
			return nil, err
		}
		return statOf(info), nil
	})
	ops["node.fs.lstat"] = op(func(_ context.Context, a pathArgs) (any, error) {
		info, err := p.stat(a.Path, access{call: "lstat"})
		if err != nil {
			return nil, err
		}
		return statOf(info), nil
	})
	ops["node.fs.exists"] = op(func(_ context.Context, a pathArgs) (any, error) {
		_, err := p.stat(a.Path, access{call: "stat", follow: true})
		if e, ok := errors.AsType[*Error](err); ok && e.Permission != "" {
			return nil, err
		}
		return err == nil, nil
	})
	ops["node.fs.access"] = op(p.checkAccess)
	ops["node.fs.readdir"] = op(p.readdir)
	ops["node.fs.mkdir"] = op(p.mkdir)
	ops["node.fs.mkdtemp"] = op(p.mkdtemp)
	ops["node.fs.rm"] = op(p.rm)
	ops["node.fs.rmdir"] = op(p.rmdir)
	ops["node.fs.unlink"] = op(p.unlink)
	ops["node.fs.rename"] = op(p.rename)
	ops["node.fs.link"] = op(p.link)
	ops["node.fs.copyFile"] = op(p.copyFile)
	ops["node.fs.cp"] = op(p.cp)
	ops["node.fs.realpath"] = op(p.realpath)
	ops["node.fs.readlink"] = op(p.readlink)
	ops["node.fs.symlink"] = op(p.symlink)
	ops["node.fs.chmod"] = op(func(_ context.Context, a fileArgs) (any, error) {
		return nil, p.at(a.Path, access{call: "chmod", write: true, follow: true}, func(w place) error {
			return w.fs.Chmod(w.rel, modeOf(a.Mode))
		})
	})
	ops["node.fs.utimes"] = op(func(_ context.Context, a struct {
		Path         string
		Atime, Mtime float64
	},
	) (any, error) {
		return nil, p.at(a.Path, access{call: "utime", write: true, follow: true}, func(w place) error {
			return w.fs.Chtimes(w.rel, timeOf(a.Atime), timeOf(a.Mtime))
		})
	})
}

func timeOf(ms float64) time.Time { return time.UnixMicro(int64(ms * 1000)) }

// modeOf turns Unix permission bits into Go's.
func modeOf(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	for bit, flag := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if bits&bit != 0 {
			mode |= flag
		}
	}
	return mode
}

func (p *Primitives) stat(path string, a access) (info fs.FileInfo, err error) {
	err = p.at(path, a, func(w place) (err error) {
		if a.follow {
			info, err = w.fs.Stat(w.rel)
		} else {
			info, err = w.fs.Lstat(w.rel)
		}
		return err
	})
	return info, err
}

// checkAccess is access(2): existence by stat, permissions by the mode bits
// that apply to this process.
func (p *Primitives) checkAccess(_ context.Context, a struct {
	Path string
	Mode int
},
) (any, error) {
	const write = 2
	info, err := p.stat(a.Path, access{call: "access", follow: true})
	if err != nil {
		return nil, err
	}
	if a.Mode&write != 0 {
		if err := p.at(a.Path, access{call: "access", write: true, follow: true}, func(place) error { return nil }); err != nil {
			return nil, err
		}
	}
	if !permitted(info, a.Mode) {
		return nil, newErrno("EACCES", "access", a.Path)
	}
	return nil, nil
}

// A dirEntry is one line of readdir: its name, the folder it is in as the
// module would write it, and that folder relative to the one listed.
type dirEntry struct {
	Name   string `json:"name"`
	Parent string `json:"parent"`
	Within string `json:"within,omitempty"`
	Kind   string `json:"kind"`
}

func (p *Primitives) readdir(ctx context.Context, a struct {
	Path      string
	Recursive bool
},
) (any, error) {
	out := []dirEntry{}
	err := p.at(a.Path, access{call: "scandir", follow: true}, func(w place) error {
		out = out[:0]
		return listInto(ctx, &out, w, a.Path, "", a.Recursive)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func listInto(ctx context.Context, out *[]dirEntry, w place, parent, within string, recursive bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := readEntries(w)
	if err != nil {
		return err
	}
	var folders []string
	for _, e := range entries {
		*out = append(*out, dirEntry{Name: e.Name(), Parent: parent, Within: within, Kind: kindOf(e.Type())})
		if recursive && e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	for _, name := range folders {
		below := place{fs: w.fs, rel: filepath.Join(w.rel, name), abs: filepath.Join(w.abs, name)}
		err := listInto(ctx, out, below, filepath.Join(parent, name), within+name+string(filepath.Separator), recursive)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func readEntries(w place) ([]fs.DirEntry, error) {
	dir, err := w.fs.OpenFile(w.rel, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "dir"
	case mode&fs.ModeSymlink != 0:
		return "link"
	case mode&fs.ModeNamedPipe != 0:
		return "fifo"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeCharDevice != 0:
		return "char"
	case mode&fs.ModeDevice != 0:
		return "block"
	}
	return "unknown"
}

// mkdir returns the first folder it made, or nil.
func (p *Primitives) mkdir(_ context.Context, a struct {
	Path      string
	Recursive bool
	Mode      uint32
},
) (any, error) {
	var first any
	mode := modeOf(a.Mode).Perm()
	err := p.at(a.Path, access{call: "mkdir", write: true, follow: a.Recursive}, func(w place) error {
		if !a.Recursive {
			return w.fs.Mkdir(w.rel, mode)
		}
		made, err := mkdirAll(w, mode)
		if made != "" {
			first = made
		}
		return err
	})
	return first, err
}

func mkdirAll(w place, mode fs.FileMode) (first string, err error) {
	if info, err := w.fs.Stat(w.rel); err == nil {
		if info.IsDir() {
			return "", nil
		}
		return "", newErrno("EEXIST", "mkdir", w.abs)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	parent := place{fs: w.fs, rel: filepath.Dir(w.rel), abs: filepath.Dir(w.abs)}
	if parent.rel != w.rel && parent.rel != "." {
		if first, err = mkdirAll(parent, mode); err != nil {
			return first, err
		}
	}
	err = w.fs.Mkdir(w.rel, mode)
	if errors.Is(err, fs.ErrExist) {
		err = nil // another one made it meanwhile
	} else if err == nil && first == "" {
		first = w.abs
	}
	return first, err
}

func (p *Primitives) mkdtemp(_ context.Context, a pathArgs) (any, error) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	for range 100 {
		suffix := make([]byte, 6)
		for i := range suffix {
			suffix[i] = letters[rand.IntN(len(letters))]
		}
		name := a.Path + string(suffix)
		err := p.at(name, access{call: "mkdtemp", write: true}, func(w place) error { return w.fs.Mkdir(w.rel, 0o700) })
		if err == nil {
			return name, nil
		}
		e, ok := errors.AsType[*Error](err)
		if ok && e.Code == "EEXIST" {
			continue
		}
		if ok && e.Permission == "" {
			return nil, newErrno(e.Code, "mkdtemp", a.Path+"XXXXXX")
		}
		return nil, err
	}
	return nil, newErrno("EEXIST", "mkdtemp", a.Path+"XXXXXX")
}

func (p *Primitives) rm(_ context.Context, a struct {
	Path             string
	Recursive, Force bool
},
) (any, error) {
	err := p.at(a.Path, access{call: "rm", write: true}, func(w place) error {
		info, err := w.fs.Lstat(w.rel)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if a.Force {
				return nil
			}
			return systemError(err, "lstat", a.Path, "")
		case err != nil:
			return err
		case info.IsDir() && !a.Recursive:
			return &Error{
				Code: "ERR_FS_EISDIR", Errno: errnoOf("EISDIR"), Syscall: "rm", Path: a.Path,
				Message: fmt.Sprintf("Path is a directory: rm returned EISDIR (is a directory) %s", a.Path),
			}
		case info.IsDir():
			return w.fs.RemoveAll(w.rel)
		}
		return w.fs.Remove(w.rel)
	})
	return nil, err
}

func (p *Primitives) rmdir(_ context.Context, a struct {
	Path      string
	Recursive bool
},
) (any, error) {
	return nil, p.at(a.Path, access{call: "rmdir", write: true}, func(w place) error {
		info, err := w.fs.Lstat(w.rel)
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return newErrno("ENOTDIR", "rmdir", a.Path)
		case a.Recursive:
			return w.fs.RemoveAll(w.rel)
		}
		return w.fs.Remove(w.rel)
	})
}

func (p *Primitives) unlink(_ context.Context, a pathArgs) (any, error) {
	return nil, p.at(a.Path, access{call: "unlink", write: true}, func(w place) error {
		info, err := w.fs.Lstat(w.rel)
		switch {
		case err != nil:
			return err
		case info.IsDir():
			return newErrno(unlinkDirCode, "unlink", a.Path)
		}
		return w.fs.Remove(w.rel)
	})
}

func (p *Primitives) realpath(_ context.Context, a pathArgs) (any, error) {
	abs := p.abs(a.Path)
	var real string
	err := p.at(a.Path, access{call: "lstat", follow: true}, func(w place) (err error) {
		if _, err = w.fs.Stat(w.rel); err != nil {
			return err
		}
		real, err = filepath.EvalSymlinks(abs)
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, ok := p.readRoots.find(real); !ok {
		return nil, denied("read:"+abs, abs)
	}
	return real, nil
}

func (p *Primitives) readlink(_ context.Context, a pathArgs) (any, error) {
	var target string
	err := p.at(a.Path, access{call: "readlink"}, func(w place) (err error) {
		target, err = w.fs.Readlink(w.rel)
		return err
	})
	return target, err
}

// symlink makes a link whose target, wherever it is written from, must itself
// be granted for writing: others would follow it in good faith.
func (p *Primitives) symlink(_ context.Context, a struct{ Path, Target string }) (any, error) {
	target := a.Target
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(p.abs(a.Path)), target)
	}
	real, err := resolve(filepath.Clean(target))
	if err != nil {
		real = filepath.Clean(target)
	}
	if _, ok := p.writeRoots.find(real); !ok {
		return nil, denied("write:"+real, real)
	}
	err = p.at(a.Path, access{call: "symlink", write: true}, func(w place) error { return w.fs.Symlink(a.Target, w.rel) })
	if e, ok := errors.AsType[*Error](err); ok && e.Errno != 0 {
		text := systemMessage(e.Code, "symlink", a.Target) + " -> '" + a.Path + "'"
		return nil, &Error{Code: e.Code, Errno: e.Errno, Syscall: "symlink", Path: a.Target, Dest: a.Path, Message: text}
	}
	return nil, err
}
