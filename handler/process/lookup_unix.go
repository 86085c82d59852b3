//go:build unix

package process

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// resolve finds the program in the PATH of the spec's own environment. Relative
// entries of PATH, the empty one included, are never used: they would let the
// working directory choose the program.
func resolve(spec *Spec) (string, *StartError) {
	name := spec.Path
	if name == "" {
		return "", &StartError{Reason: ReasonNotFound, Path: name, Dir: spec.Dir}
	}
	if strings.Contains(name, "/") {
		return name, nil
	}
	search := ""
	for _, kv := range spec.Env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			search = v
		}
	}
	fail := &StartError{Reason: ReasonNotFound, Path: name, Dir: spec.Dir, SearchPath: search}
	for rest, more := search, search != ""; more; {
		var dir string
		dir, rest, more = strings.Cut(rest, ":")
		if !filepath.IsAbs(dir) {
			if runnable(filepath.Join(spec.Dir, dir, name)) == nil {
				fail.Reason = ReasonUnsafePath
				fail.Detail = "entry " + quoteEntry(dir)
			}
			continue
		}
		file := dir + "/" + name
		switch err := runnable(file); {
		case err == nil:
			return file, nil
		case err != unix.ENOENT && err != unix.ENOTDIR && fail.Reason == ReasonNotFound:
			fail.Reason, fail.Detail, fail.Err = ReasonNotExecutable, file, err
		}
	}
	return "", fail
}

// runnable reports why file cannot be run, without running it.
func runnable(file string) error {
	var st unix.Stat_t
	if err := unix.Stat(file, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return unix.EISDIR
	}
	if st.Mode&0o111 == 0 {
		return unix.EACCES
	}
	if os.Geteuid() == 0 {
		return nil
	}
	return unix.Access(file, unix.X_OK)
}

func quoteEntry(dir string) string {
	if dir == "" {
		return `""`
	}
	return dir
}
