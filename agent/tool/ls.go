package tool

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const lsLimit = 1000

const lsSchema = `{"type":"object","properties":{
"path":{"type":"string","description":"The directory to list; the working directory if absent."},
"ignore":{"type":"array","items":{"type":"string"},"description":"Globs of names to leave out."}
},"additionalProperties":false}`

type lsInput struct {
	Path   string   `json:"path"`
	Ignore []string `json:"ignore"`
}

type lsResponse struct {
	Path      string   `json:"path"`
	Entries   []string `json:"entries"`
	Truncated bool     `json:"truncated"`
}

func (s *Set) ls() Tool {
	return defineReader("LS", "Lists a directory. Names of directories end in a slash, those of links show where they lead.",
		lsSchema, s.runLS)
}

func (s *Set) runLS(ctx context.Context, in lsInput, _ Input) (Result, error) {
	for _, g := range in.Ignore {
		if !doublestar.ValidatePattern(g) {
			return Result{}, fmt.Errorf("%q is not a valid pattern", g)
		}
	}
	p, err := s.directory(ctx, in.Path)
	if err != nil {
		return Result{}, err
	}
	defer p.close()
	entries, err := fs.ReadDir(p.root.FS(), filepath.ToSlash(p.name))
	if err != nil {
		return Result{}, p.wrap(err)
	}
	resp := lsResponse{Path: p.path, Entries: []string{}}
	for _, e := range entries {
		if ignored(in.Ignore, e.Name()) {
			continue
		}
		if len(resp.Entries) == lsLimit {
			resp.Truncated = true
			break
		}
		resp.Entries = append(resp.Entries, p.entry(e))
	}
	text := p.path + "\n" + strings.Join(resp.Entries, "\n")
	switch {
	case len(resp.Entries) == 0:
		text = p.path + " is empty."
	case resp.Truncated:
		text += fmt.Sprintf("\n(the first %d of %d entries)", lsLimit, len(entries))
	}
	return result(text, resp)
}

func ignored(globs []string, name string) bool {
	for _, g := range globs {
		if doublestar.MatchUnvalidated(strings.TrimSuffix(g, "/"), name) {
			return true
		}
	}
	return false
}

func (p *place) entry(e fs.DirEntry) string {
	switch {
	case e.IsDir():
		return e.Name() + "/"
	case e.Type()&fs.ModeSymlink != 0:
		if target, err := p.root.Readlink(filepath.Join(p.name, e.Name())); err == nil {
			return e.Name() + " -> " + target
		}
	}
	return e.Name()
}
