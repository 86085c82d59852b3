package skill

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// maxResources bounds the files of a skill that are listed.
const maxResources = 1_000

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
