package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

const globLimit = 100

const globSchema = `{"type":"object","properties":{
"pattern":{"type":"string","description":"A glob such as **/*.go or src/*.{ts,tsx}; ** stands for any number of directories."},
"path":{"type":"string","description":"The directory to search; the working directory if absent."}
},"required":["pattern"],"additionalProperties":false}`

type globInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

type globResponse struct {
	Filenames  []string `json:"filenames"`
	DurationMs int64    `json:"durationMs"`
	NumFiles   int      `json:"numFiles"`
	Truncated  bool     `json:"truncated"`
}

func (s *Set) glob() Tool {
	return defineReader("Glob", fmt.Sprintf("Finds files by a glob pattern, those changed last first, %d at most.", globLimit),
		globSchema, s.runGlob)
}

func (s *Set) runGlob(ctx context.Context, in globInput, _ Input) (Result, error) {
	start := time.Now()
	dir, pattern := in.Path, filepath.ToSlash(in.Pattern)
	if filepath.IsAbs(in.Pattern) {
		dir, pattern = doublestar.SplitPattern(pattern)
	}
	if pattern == "" || !doublestar.ValidatePattern(pattern) {
		return Result{}, fmt.Errorf("%q is not a valid pattern", in.Pattern)
	}
	if strings.HasPrefix(pattern, "../") || strings.Contains(pattern, "/../") {
		return Result{}, errors.New(`the pattern must not hold ".."; name the directory in path`)
	}
	p, err := s.directory(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	defer p.close()
	pattern = strings.TrimPrefix(pattern, "./")
	var files []found
	err = p.walk(ctx, func(name string, d fs.DirEntry) error {
		if !doublestar.MatchUnvalidated(pattern, name) {
			return nil
		}
		if info, err := d.Info(); err == nil {
			files = append(files, found{filepath.Join(p.path, filepath.FromSlash(name)), info})
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	names := byTime(files)
	resp := globResponse{NumFiles: min(len(names), globLimit), Truncated: len(names) > globLimit}
	resp.Filenames = names[:resp.NumFiles]
	resp.DurationMs = time.Since(start).Milliseconds()
	text := strings.Join(resp.Filenames, "\n")
	switch {
	case len(names) == 0:
		text = "No files found."
	case resp.Truncated:
		text += fmt.Sprintf("\n(%d of %d files; use a narrower pattern to see the others)", globLimit, len(names))
	}
	return result(text, resp)
}
