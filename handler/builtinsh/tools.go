package builtinsh

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// toolOf returns the tool of a name, nil when there is none.
func toolOf(name string) tool {
	switch name {
	case "jq":
		return jq
	case "cat":
		return cat
	case "grep":
		return grep
	case "head":
		return head
	case "tail":
		return tail
	case "cut":
		return cut
	case "tr":
		return tr
	case "wc":
		return wc
	case "basename":
		return basename
	case "dirname":
		return dirname
	case "sleep":
		return sleep
	}
	return nil
}

func inProcess(name string) bool { return toolOf(name) != nil }

// open opens an input of a tool; what is no file is none of its business.
func (t *call) open(name string) (*os.File, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.hc.Dir, path)
	}
	return os.Open(path)
}

// openable reports whether all inputs are standard input or ordinary files, or are
// missing.
func (t *call) openable(names []string) bool {
	for _, name := range names {
		if name == "-" || name == "/dev/stdin" {
			continue
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(t.hc.Dir, path)
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
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
			f, err := t.open(name)
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

// count reads the options -n N, -nN, -c N and -N of head and tail. It reports false
// for others.
func count(args []string) (n int, bytes, fromStart bool, names []string, ok bool) {
	n = 10
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		arg := args[0]
		args = args[1:]
		value := arg[2:]
		switch {
		case arg[1] == 'n' || arg[1] == 'c':
			bytes = arg[1] == 'c'
			if value == "" {
				if len(args) == 0 {
					return 0, false, false, nil, false
				}
				value, args = args[0], args[1:]
			}
		default:
			value, bytes = arg[1:], false
		}
		value, fromStart = strings.CutPrefix(value, "+")
		number, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return 0, false, false, nil, false
		}
		n = int(number)
	}
	return n, bytes, fromStart, args, len(args) < 2
}

func head(t *call) (int, bool) {
	n, inBytes, plus, names, ok := count(t.args[1:])
	if !ok || plus || !t.openable(names) {
		return 0, false
	}
	code := 0
	all := t.each(names, func(_ string, r io.Reader) error {
		if inBytes {
			b, err := io.ReadAll(io.LimitReader(r, int64(n)))
			if err == nil {
				code, _ = t.write(b)
			}
			return err
		}
		br := bufio.NewReader(r)
		for range n {
			line, err := br.ReadBytes('\n')
			var written bool
			if code, written = t.write(line); err != nil || !written {
				break
			}
		}
		return nil
	})
	if !all {
		code = 1
	}
	return code, true
}

func tail(t *call) (int, bool) {
	n, inBytes, plus, names, ok := count(t.args[1:])
	if !ok || !t.openable(names) {
		return 0, false
	}
	code := 0
	all := t.each(names, func(_ string, r io.Reader) error {
		b, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		code, _ = t.write(lastPart(b, n, inBytes, plus))
		return nil
	})
	if !all {
		code = 1
	}
	return code, true
}

// lastPart returns the last n lines or bytes, or those from the n-th on.
func lastPart(b []byte, n int, inBytes, plus bool) []byte {
	switch {
	case inBytes && plus:
		return b[min(max(n-1, 0), len(b)):]
	case inBytes:
		return b[max(len(b)-n, 0):]
	case plus:
		for range n - 1 {
			_, b, _ = bytes.Cut(b, []byte("\n"))
		}
		return b
	case n == 0:
		return nil
	}
	at := len(b)
	if at > 0 && b[at-1] == '\n' {
		at--
	}
	for range n {
		if at = bytes.LastIndexByte(b[:max(at, 0)], '\n'); at < 0 {
			return b
		}
	}
	return b[at+1:]
}

func wc(t *call) (int, bool) {
	if len(t.args) != 2 {
		return 0, false
	}
	flag := t.args[1]
	switch flag {
	case "-l", "-w", "-c", "-m":
	default:
		return 0, false
	}
	b, err := io.ReadAll(t.stdin())
	if err != nil {
		t.errorf("%v", err)
		return 1, true
	}
	n := len(b)
	switch flag {
	case "-l":
		n = bytes.Count(b, []byte("\n"))
	case "-w":
		n = len(bytes.Fields(b))
	case "-m":
		n = utf8.RuneCount(b)
	}
	code, _ := t.write([]byte(strconv.Itoa(n) + "\n"))
	return code, true
}

func basename(t *call) (int, bool) {
	if len(t.args) < 2 || len(t.args) > 3 || strings.HasPrefix(t.args[1], "-") {
		return 0, false
	}
	name := t.args[1]
	if trimmed := strings.TrimRight(name, "/"); trimmed != "" {
		name = trimmed[strings.LastIndexByte(trimmed, '/')+1:]
	} else if name != "" {
		name = "/"
	}
	if len(t.args) == 3 && name != t.args[2] {
		name = strings.TrimSuffix(name, t.args[2])
	}
	code, _ := t.write([]byte(name + "\n"))
	return code, true
}

func dirname(t *call) (int, bool) {
	if len(t.args) != 2 || strings.HasPrefix(t.args[1], "-") {
		return 0, false
	}
	name := t.args[1]
	dir := "."
	if trimmed := strings.TrimRight(name, "/"); trimmed == "" && name != "" {
		dir = "/"
	} else if i := strings.LastIndexByte(trimmed, '/'); i >= 0 {
		if dir = strings.TrimRight(trimmed[:i], "/"); dir == "" {
			dir = "/"
		}
	}
	code, _ := t.write([]byte(dir + "\n"))
	return code, true
}

func sleep(t *call) (int, bool) {
	if len(t.args) < 2 {
		return 0, false
	}
	var d time.Duration
	for _, arg := range t.args[1:] {
		unit := time.Second
		number := arg
		if len(arg) > 1 {
			if i := strings.IndexByte("smhd", arg[len(arg)-1]); i >= 0 {
				unit = [...]time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}[i]
				number = arg[:len(arg)-1]
			}
		}
		seconds, err := strconv.ParseFloat(number, 64)
		if err != nil || !(seconds >= 0 && seconds < 1e9) {
			return 0, false
		}
		d += time.Duration(seconds * float64(unit))
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.ctx.Done():
	}
	return 0, true
}
