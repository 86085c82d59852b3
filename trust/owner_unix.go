//go:build unix

package trust

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

const (
	// openNonblock keeps opening a named pipe from waiting for a writer.
	openNonblock = syscall.O_NONBLOCK
	// openNoFollow makes opening a link an error.
	openNoFollow = syscall.O_NOFOLLOW
)

// writers says why somebody other than this person and the administrator could have
// written a file, "" when nobody could: its owner and mode, and those of every
// directory above it, by its name and by its real path.
func writers(path string) string {
	if path == "" {
		return ""
	}
	chains := []string{filepath.Clean(path)}
	real, err := filepath.EvalSymlinks(path)
	if err != nil { // a file that is not there yet
		real, err = filepath.EvalSymlinks(filepath.Dir(path))
	}
	if err == nil && real != chains[0] {
		chains = append(chains, real)
	}
	for _, p := range chains {
		for first := true; ; first = false {
			if why := writersOf(p, position(first)); why != "" {
				return why
			}
			up := filepath.Dir(p)
			if up == p {
				break
			}
			p = up
		}
	}
	return ""
}

// position is where a file or directory lies.
type position bool

const (
	above  position = false // what is judged
	itself position = true
)

// writersOf judges one file or directory. A directory in which everybody may write
// is harmless above others when it is sticky, as /tmp is: nobody can replace there
// what is not theirs.
func writersOf(path string, where position) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "" // what is not there has no writers; what cannot be read does not run
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	if st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return fmt.Sprintf("%s belongs to user %d", strconv.Quote(path), st.Uid)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return "" // its target is judged by the real path
	}
	mode := info.Mode()
	if mode.Perm()&0o022 == 0 || where == above && mode&fs.ModeSticky != 0 {
		return ""
	}
	who := "everybody"
	if mode.Perm()&0o002 == 0 {
		who = "its group"
	}
	return fmt.Sprintf("%s is writable by %s (chmod go-w mends it)", strconv.Quote(path), who)
}

// directoryWriters judges a directory in which files are made.
func directoryWriters(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	return writersOf(real, itself)
}
