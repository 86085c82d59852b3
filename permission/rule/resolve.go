package rule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var errNotAbsolute = errors.New("the path can't be made absolute")

// maxLinks is how many symbolic links one path may go through.
const maxLinks = 40

// resolve follows the symbolic links of an absolute path as the system would,
// also when the end of the path doesn't exist yet: what isn't there can't be a
// link. The result is slash-separated and clean.
func resolve(p string) (string, error) {
	p = filepath.FromSlash(p)
	volume := filepath.VolumeName(p)
	done := volume + string(filepath.Separator)
	rest := splitPath(p[len(volume):])
	links := 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist), isNotDir(err):
			done = next
			continue
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("resolving %s: too many symbolic links", p)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			done = volume + string(filepath.Separator)
			target = target[len(volume):]
		}
		rest = append(splitPath(target), rest...)
	}
	return filepath.ToSlash(filepath.Clean(done)), nil
}

func splitPath(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r < 128 && os.IsPathSeparator(uint8(r)) })
}
