package dialect

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
)

// Stamper folds names, sizes and times of files into a fingerprint.
type Stamper struct {
	h interface{ Write([]byte) (int, error) }
}

// File adds one file, which need not exist.
func (s *Stamper) File(path string) {
	info, err := os.Stat(path)
	if err != nil {
		fmt.Fprintf(s.h, "%s absent\n", path)
		return
	}
	s.add(path, info)
}

func (s *Stamper) add(path string, info fs.FileInfo) {
	fmt.Fprintf(s.h, "%s %d %d %o\n", path, info.Size(), info.ModTime().UnixNano(), info.Mode())
}

// Tree adds a directory and what is below it, so many levels deep.
func (s *Stamper) Tree(dir string, depth int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		fmt.Fprintf(s.h, "%s absent: %v\n", dir, err)
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		s.File(path)
		if e.IsDir() && depth > 1 {
			s.Tree(path, depth-1)
		}
	}
}

// Fingerprint is what add folds into it, in hexadecimal digits.
func Fingerprint(add func(*Stamper)) string {
	h := fnv.New128a()
	add(&Stamper{h: h})
	return fmt.Sprintf("%x", h.Sum(nil))
}
