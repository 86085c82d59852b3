package skill

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a skill's resources.
const (
	maxResources    = 1_000   // files listed
	maxResourceSize = 4 << 20 // bytes that ReadResource reads
)

// Resource is a file that comes with a skill.
type Resource struct {
	Path string `json:"path"` // slash-separated, below the skill's directory
	Size int64  `json:"size"` // bytes
}

// Resources lists the plain files of the skill other than its SKILL.md, sorted
// by path. Names starting with a dot, links and other things are left out.
// Truncated says that there are more than 1,000.
func (s *Skill) Resources(ctx context.Context) (list []Resource, truncated bool, err error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, false, fmt.Errorf("listing the files of skill %s: %w", s.Name, err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p != "." && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || p == FileName {
			return nil
		}
		if len(list) == maxResources {
			truncated = true
			return fs.SkipAll
		}
		info, err := d.Info()
		if err != nil {
			return nil // removed since it was listed
		}
		list = append(list, Resource{Path: p, Size: info.Size()})
		return nil
	})
	if err != nil {
		return nil, false, fmt.Errorf("listing the files of skill %s: %w", s.Name, err)
	}
	slices.SortFunc(list, func(a, b Resource) int { return strings.Compare(a.Path, b.Path) })
	return list, truncated, nil
}

// ReadResource reads a plain file of the skill. A path that leads out of the
// skill's directory, by .. or by a link, is an error, and so is a file of more
// than 4 MiB.
func (s *Skill) ReadResource(path string) ([]byte, error) {
	fail := func(err error) ([]byte, error) {
		return nil, fmt.Errorf("reading %q of skill %s: %w", path, s.Name, err)
	}
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return fail(err)
	}
	defer root.Close()
	name := filepath.FromSlash(path)
	info, err := root.Stat(name)
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() {
		return fail(fmt.Errorf("not a plain file"))
	}
	f, err := root.Open(name)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxResourceSize+1))
	if err != nil {
		return fail(err)
	}
	if len(data) > maxResourceSize {
		return fail(fmt.Errorf("larger than %d MiB", maxResourceSize>>20))
	}
	return data, nil
}
