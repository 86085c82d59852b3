package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// sandboxError says that a program was not even tried.
type sandboxError struct{ error }

func (e *sandboxError) Unwrap() error { return e.error }

func isSandboxError(err error) bool {
	_, ok := errors.AsType[*sandboxError](err)
	return ok
}

// classify finds the reason in what a start attempt returned. ENOENT is left to
// explain, which can look at the files.
func classify(err error) Reason {
	switch {
	case err == nil:
		return ReasonOther
	case isSandboxError(err):
		return ReasonSandbox
	case errors.Is(err, errExecBusy):
		return ReasonBusy
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE),
		errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM):
		return ReasonExhausted
	case errors.Is(err, errExecFormat):
		return ReasonBadFormat
	case errors.Is(err, errTooBig):
		return ReasonTooBig
	}
	return ReasonOther
}

// explain builds the error of a failed start, looking at the files to tell
// causes apart for which the system has one number.
func explain(spec *Spec, path string, reason Reason, err error) *StartError {
	e := &StartError{Reason: reason, Path: spec.Path, Dir: spec.Dir, Err: plain(err)}
	if reason != ReasonOther {
		return e
	}
	if errors.Is(err, syscall.EINVAL) && hasNUL(spec) {
		e.Reason, e.Detail = ReasonUnsafeArgument, "a NUL byte"
		return e
	}
	if spec.Dir != "" {
		if info, statErr := os.Stat(spec.Dir); statErr != nil || !info.IsDir() {
			e.Reason = ReasonBadDir
			if statErr != nil {
				e.Err = plain(statErr)
			} else {
				e.Err = syscall.ENOTDIR
			}
			return e
		}
	}
	file := path
	if !filepath.IsAbs(file) {
		file = filepath.Join(spec.Dir, file)
	}
	info, statErr := os.Stat(file)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		e.Reason, e.Err = ReasonNotFound, plain(statErr)
	case statErr != nil:
		e.Reason, e.Err = ReasonNotExecutable, plain(statErr)
	case info.IsDir():
		e.Reason, e.Detail = ReasonNotExecutable, "a directory"
	case errors.Is(err, fs.ErrNotExist):
		e.Reason, e.Detail = ReasonNoInterpreter, interpreter(file)
	case errors.Is(err, fs.ErrPermission):
		e.Reason, e.Detail = ReasonNotExecutable, info.Mode().String()
		if spec.Dir != "" && !enterable(spec.Dir) {
			e.Reason, e.Detail = ReasonBadDir, ""
		}
	}
	return e
}

// hasNUL reports whether anything of the spec would be cut at a NUL byte.
func hasNUL(spec *Spec) bool {
	return slices.ContainsFunc(slices.Concat(spec.Args, spec.Env, []string{spec.Path, spec.Dir}), func(s string) bool {
		return strings.IndexByte(s, 0) >= 0
	})
}

// plain strips the operation and path that the os package adds: the StartError
// names both.
func plain(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// interpreter returns the program that a script's first line names.
func interpreter(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.Read(head)
	line, ok := strings.CutPrefix(string(head[:n]), "#!")
	if !ok {
		return ""
	}
	line, _, _ = strings.Cut(line, "\n")
	if strings.HasSuffix(line, "\r") {
		return strconv.Quote(strings.TrimSpace(line)+"\r") + ", the script has CRLF line ends"
	}
	name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return name
}
