package discovery

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
)

// stamper folds names, sizes and times of files into a fingerprint.
type stamper struct {
	h interface{ Write([]byte) (int, error) }
}

// file adds one file, which need not exist.
func (s *stamper) file(path string) {
	info, err := os.Stat(path)
	if err != nil {
		fmt.Fprintf(s.h, "%s absent\n", path)
		return
	}
	s.add(path, info)
}

func (s *stamper) add(path string, info fs.FileInfo) {
	fmt.Fprintf(s.h, "%s %d %d %o\n", path, info.Size(), info.ModTime().UnixNano(), info.Mode())
}

// tree adds a directory and what is below it, so many levels deep.
func (s *stamper) tree(dir string, depth int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		fmt.Fprintf(s.h, "%s absent\n", dir)
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		s.file(path)
		if e.IsDir() && depth > 1 {
			s.tree(path, depth-1)
		}
	}
}

// fingerprint changes when a file changes that hooks come from.
func (l *Loader) fingerprint() string {
	return fingerprintOf(func(st *stamper) {
		for _, s := range l.sources {
			s.stamp(st)
		}
	})
}

func fingerprintOf(add func(*stamper)) string {
	h := fnv.New128a()
	add(&stamper{h})
	return fmt.Sprintf("%x", h.Sum(nil))
}

// fallbackDirs are where a hook runs when the event's directory is gone.
func (l *Loader) fallbackDirs() []string {
	var out []string
	for _, d := range []string{l.opts.StartDir, l.opts.Dirs.Project, l.opts.Dirs.Home, os.TempDir()} {
		if d != "" {
			out = append(out, d)
		}
	}
	return out
}

func hostEnviron(env []string) []string {
	if env == nil {
		return os.Environ()
	}
	return env
}
