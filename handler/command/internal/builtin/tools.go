package builtin

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// toolOf returns the tool of a name, nil when there is none.
func toolOf(name string) tool {
	switch name {
	case "jq":
		return jq
	case "cat":
		return cat
	}
	return nil
}

func inProcess(name string) bool { return toolOf(name) != nil }

// path is where a tool finds an input.
func (t *call) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(t.hc.Dir, name)
}

// openable reports whether all inputs are standard input or ordinary files, or are
// missing.
func (t *call) openable(names []string) bool {
	for _, name := range names {
		if name == "-" || name == "/dev/stdin" {
			continue
		}
		if info, err := os.Stat(t.path(name)); err == nil && !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// each calls fn for each input, which is standard input without names. It reports
// false when one could not be opened, having said so.
func (t *call) each(names []string, fn func(name string, r io.Reader) error) (all bool) {
	all = true
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		var r io.Reader
		if name == "-" || name == "/dev/stdin" {
			r = t.stdin()
		} else {
			f, err := os.Open(t.path(name))
			if err != nil {
				t.errorf("%s: %s", name, reason(err))
				all = false
				continue
			}
			defer f.Close()
			r = checked{t.ctx, f}
		}
		if err := fn(name, r); err != nil {
			return false
		}
	}
	return all
}

// reason is an error of the file system in the words of its tools.
func reason(err error) string {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		err = e.Err
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

func cat(t *call) (int, bool) {
	names := t.args[1:]
	for _, name := range names {
		if strings.HasPrefix(name, "-") && name != "-" {
			return 0, false
		}
	}
	if !t.openable(names) {
		return 0, false
	}
	code := 0
	all := t.each(names, func(_ string, r io.Reader) error {
		buf := make([]byte, 8<<10)
		for {
			n, err := r.Read(buf)
			if n > 0 {
				var ok bool
				if code, ok = t.write(buf[:n]); !ok {
					return io.ErrClosedPipe
				}
			}
			if n == len(buf) && len(buf) < 256<<10 {
				buf = make([]byte, 2*len(buf))
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	if !all && code == 0 {
		code = 1
	}
	return code, true
}
