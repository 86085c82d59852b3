package process

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// resolve finds the program as os/exec does, which refuses what only the
// working directory has, and refuses arguments that a batch file would run.
func resolve(spec *Spec) (string, *StartError) {
	name := spec.Path
	if spec.Dir != "" && filepath.Base(name) != name && !filepath.IsAbs(name) {
		name = filepath.Join(spec.Dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		fail := &StartError{Reason: ReasonNotFound, Path: spec.Path, Dir: spec.Dir, Err: err}
		if errors.Is(err, exec.ErrDot) {
			fail.Reason = ReasonUnsafePath
		} else if errors.Is(err, fs.ErrPermission) {
			fail.Reason = ReasonNotExecutable
		}
		if filepath.Base(spec.Path) == spec.Path {
			fail.SearchPath = os.Getenv("PATH")
		}
		return "", fail
	}
	if bad, found := unsafeBatch(path, spec.Args); found {
		return "", &StartError{Reason: ReasonUnsafeArgument, Path: spec.Path, Dir: spec.Dir, Detail: bad}
	}
	return path, nil
}
