package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"unicode/utf8"
)

// maxRead bounds what one readFile takes into memory: a module's VM holds far
// less, and /dev/zero has no end.
const maxRead = 256 << 20

// An openFile is a descriptor that the module holds.
type openFile struct {
	mu   sync.Mutex // one position for all who read and write
	file *os.File
	path string
}

// abs makes a path absolute from the module's working directory.
func (p *Primitives) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return filepath.Join(p.cwd, path)
}

// access says how a path is used.
type access struct {
	call   string // Node's name for the system call
	write  bool
	follow bool // a link at the end of the path is followed
}

// at finds the place of a path in the granted folders and has use work on it.
// If links lead out of the folder, the path is resolved and tried where it
// really is, which must be granted as well.
func (p *Primitives) at(path string, a access, use func(place) error) error {
	if path == "" {
		return newErrno("ENOENT", a.call, path)
	}
	grants, word := p.readRoots, "read:"
	if a.write {
		grants, word = p.writeRoots, "write:"
	}
	abs := p.abs(path)
	where, ok := grants.find(abs)
	if ok {
		err := use(where)
		if err == nil {
			return nil
		}
		if !escapes(err) {
			return systemError(err, a.call, path, "")
		}
	}
	follow := resolve
	if !a.follow {
		follow = resolveParent
	}
	real, err := follow(abs)
	if err != nil || real == abs {
		return denied(word+abs, abs)
	}
	if where, ok = grants.find(real); !ok {
		return denied(word+abs, abs)
	}
	err = use(where)
	switch {
	case err == nil:
		return nil
	case escapes(err):
		return denied(word+abs, abs)
	}
	return systemError(err, a.call, path, "")
}

// resolve follows the links of a path, whose last parts need not exist.
func resolve(abs string) (string, error) {
	real, err := filepath.EvalSymlinks(abs)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	// A dangling link at the end must not be written through.
	if _, err := os.Lstat(abs); err == nil {
		return "", fs.ErrNotExist
	}
	return resolveParent(abs)
}

// resolveParent is resolve for what may be a link itself, which is not followed.
func resolveParent(abs string) (string, error) {
	dir, base := filepath.Split(abs)
	dir = filepath.Clean(dir)
	if dir == abs {
		return abs, nil
	}
	real, err := resolve(dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(real, base), nil
}

type pathArgs struct{ Path string }

type fileArgs struct {
	Path string
	Fd   *int
	Flag string
	Mode uint32
}

func (p *Primitives) addFileOps(ops map[string]operation) {
	ops["node.fs.readFile"] = op(p.readFile)
	ops["node.fs.writeFile"] = op(p.writeFile)
	ops["node.fs.open"] = op(func(_ context.Context, a fileArgs) (any, error) { return p.open(a) })
	ops["node.fs.read"] = op(p.read)
	ops["node.fs.write"] = op(p.write)
	ops["node.fs.close"] = op(func(_ context.Context, a struct{ Fd int }) (any, error) {
		f, ok := take(p, p.files, a.Fd)
		if !ok {
			return nil, newErrno("EBADF", "close", "")
		}
		return nil, systemErrorOrNil(f.file.Close(), "close", "")
	})
	ops["node.fs.fsync"] = op(func(_ context.Context, a struct{ Fd int }) (any, error) {
		f, ok := lookup(p, p.files, a.Fd)
		if !ok {
			return nil, newErrno("EBADF", "fsync", "")
		}
		return nil, systemErrorOrNil(f.file.Sync(), "fsync", "")
	})
	ops["node.fs.fstat"] = op(func(_ context.Context, a struct{ Fd int }) (any, error) {
		f, ok := lookup(p, p.files, a.Fd)
		if !ok {
			return nil, newErrno("EBADF", "fstat", "")
		}
		info, err := f.file.Stat()
		if err != nil {
			return nil, systemError(err, "fstat", "", "")
		}
		return statOf(info), nil
	})
	ops["node.fs.truncate"] = op(p.truncate)
}

func systemErrorOrNil(err error, call, path string) error {
	if err == nil {
		return nil
	}
	return systemError(err, call, path, "")
}

// openFlags reads Node's flag: "r", "w+", "ax" or a number.
func openFlags(flag string) (flags int, reads, writes bool, err error) {
	table := map[string]int{
		"": os.O_RDONLY, "r": os.O_RDONLY, "rs": os.O_RDONLY | os.O_SYNC, "r+": os.O_RDWR, "rs+": os.O_RDWR | os.O_SYNC,
		"w": os.O_WRONLY | os.O_CREATE | os.O_TRUNC, "w+": os.O_RDWR | os.O_CREATE | os.O_TRUNC,
		"a": os.O_WRONLY | os.O_CREATE | os.O_APPEND, "a+": os.O_RDWR | os.O_CREATE | os.O_APPEND,
		"wx": os.O_WRONLY | os.O_CREATE | os.O_TRUNC | os.O_EXCL, "wx+": os.O_RDWR | os.O_CREATE | os.O_TRUNC | os.O_EXCL,
		"ax": os.O_WRONLY | os.O_CREATE | os.O_APPEND | os.O_EXCL, "ax+": os.O_RDWR | os.O_CREATE | os.O_APPEND | os.O_EXCL,
		"as": os.O_WRONLY | os.O_CREATE | os.O_APPEND | os.O_SYNC, "as+": os.O_RDWR | os.O_CREATE | os.O_APPEND | os.O_SYNC,
		"xw": os.O_WRONLY | os.O_CREATE | os.O_TRUNC | os.O_EXCL, "xa": os.O_WRONLY | os.O_CREATE | os.O_APPEND | os.O_EXCL,
	}
	flags, ok := table[flag]
	if !ok {
		return 0, false, false, &Error{
			Name: "TypeError", Code: "ERR_INVALID_ARG_VALUE",
			Message: fmt.Sprintf("The argument 'flags' is invalid. Received '%s'", flag),
		}
	}
	mode := flags & (os.O_WRONLY | os.O_RDWR)
	return flags, mode != os.O_WRONLY, mode != os.O_RDONLY, nil
}

// openAt opens a file. Reading and writing are checked apart: a file opened
// for both must be granted for both.
func (p *Primitives) openAt(path, flag string, mode uint32) (*os.File, error) {
	flags, reads, writes, err := openFlags(flag)
	if err != nil {
		return nil, err
	}
	if !writes {
		flags |= nonBlocking
	}
	if reads && writes {
		if err := p.at(path, access{call: "open", follow: true}, func(place) error { return nil }); err != nil {
			return nil, err
		}
	}
	var file *os.File
	err = p.at(path, access{call: "open", write: writes, follow: true}, func(w place) (err error) {
		file, err = w.fs.OpenFile(w.rel, flags, fs.FileMode(mode).Perm())
		return err
	})
	return file, err
}

func (p *Primitives) open(a fileArgs) (int, error) {
	file, err := p.openAt(a.Path, a.Flag, a.Mode)
	if err != nil {
		return 0, err
	}
	fd, ok := register(p, p.files, &openFile{file: file, path: a.Path})
	if !ok {
		_ = file.Close()
		return 0, errClosed
	}
	return fd, nil
}

// contents is the result of reading: text if the bytes are UTF-8 and text was
// asked for, the bytes otherwise.
type contents struct {
	Text *string `json:"text,omitzero"`
	Data *[]byte `json:"data,omitzero"`
}

func (p *Primitives) readFile(_ context.Context, a struct {
	fileArgs
	Utf8 bool
},
) (any, error) {
	var file *os.File
	if a.Fd != nil {
		f, ok := lookup(p, p.files, *a.Fd)
		if !ok {
			return nil, newErrno("EBADF", "read", "")
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		file = f.file
	} else {
		var err error
		if file, err = p.openAt(a.Path, a.Flag, 0o666); err != nil {
			return nil, err
		}
		defer file.Close()
	}
	data, err := io.ReadAll(io.LimitReader(file, maxRead+1))
	if err != nil {
		return nil, systemError(err, "read", "", "")
	}
	if len(data) > maxRead {
		return nil, &Error{
			Name: "RangeError", Code: "ERR_FS_FILE_TOO_LARGE", Path: a.Path,
			Message: fmt.Sprintf("File size is greater than %d MiB: '%s'", maxRead>>20, a.Path),
		}
	}
	if a.Utf8 && utf8.Valid(data) {
		text := string(data)
		return contents{Text: &text}, nil
	}
	return contents{Data: &data}, nil
}

type payload struct {
	Text *string
	Data *[]byte
}

func (c payload) bytes() []byte {
	switch {
	case c.Text != nil:
		return []byte(*c.Text)
	case c.Data != nil:
		return *c.Data
	}
	return nil
}

func (p *Primitives) writeFile(_ context.Context, a struct {
	fileArgs
	payload
},
) (any, error) {
	if a.Fd != nil {
		f, ok := lookup(p, p.files, *a.Fd)
		if !ok {
			return nil, newErrno("EBADF", "write", "")
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		_, err := f.file.Write(a.bytes())
		return nil, systemErrorOrNil(err, "write", "")
	}
	file, err := p.openAt(a.Path, a.Flag, a.Mode)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(a.bytes())
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return nil, systemErrorOrNil(err, "write", "")
}

type rangeArgs struct {
	Fd       int
	Length   int
	Position int64
}

func (p *Primitives) read(_ context.Context, a rangeArgs) (any, error) {
	f, ok := lookup(p, p.files, a.Fd)
	if !ok {
		return nil, newErrno("EBADF", "read", "")
	}
	if a.Length < 0 || a.Length > maxRead {
		return nil, newErrno("EINVAL", "read", "")
	}
	buf := make([]byte, a.Length)
	f.mu.Lock()
	defer f.mu.Unlock()
	var n int
	var err error
	if a.Position >= 0 {
		n, err = f.file.ReadAt(buf, a.Position)
	} else {
		n, err = f.file.Read(buf)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, systemError(err, "read", "", "")
	}
	buf = buf[:n]
	return contents{Data: &buf}, nil
}

func (p *Primitives) write(_ context.Context, a struct {
	rangeArgs
	payload
},
) (any, error) {
	f, ok := lookup(p, p.files, a.Fd)
	if !ok {
		return nil, newErrno("EBADF", "write", "")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var n int
	var err error
	if a.Position >= 0 {
		if n, err = f.file.WriteAt(a.bytes(), a.Position); err != nil && codeOf(err) == "" {
			// A file opened to append takes no position; the system ignores it.
			n, err = f.file.Write(a.bytes())
		}
	} else {
		n, err = f.file.Write(a.bytes())
	}
	if err != nil {
		return nil, systemError(err, "write", "", "")
	}
	return n, nil
}

func (p *Primitives) truncate(_ context.Context, a struct {
	Path   string
	Fd     *int
	Length int64
},
) (any, error) {
	if a.Fd != nil {
		f, ok := lookup(p, p.files, *a.Fd)
		if !ok {
			return nil, newErrno("EBADF", "ftruncate", "")
		}
		return nil, systemErrorOrNil(f.file.Truncate(max(0, a.Length)), "ftruncate", "")
	}
	return nil, p.at(a.Path, access{call: "open", write: true, follow: true}, func(w place) error {
		file, err := w.fs.OpenFile(w.rel, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer file.Close()
		return file.Truncate(max(0, a.Length))
	})
}

func (p *Primitives) closeFiles() {
	for _, f := range takeAll(p, p.files) {
		_ = f.file.Close()
	}
}
