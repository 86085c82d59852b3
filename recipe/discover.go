package recipe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/catalog"
	"github.com/hookline-dev/hookline/plugin"
)

// maxFiles bounds the files read below one directory.
const maxFiles = 5_000

// Options says where recipes are looked for.
type Options struct {
	plugin.Places
	Extra []plugin.Level // further directories or files of prompt templates, which rank after all others
}

// Set is every recipe that was found.
type Set struct {
	// All has broken and shadowed recipes too, sorted by name, and for one name
	// in the order of precedence.
	All         []*Recipe
	Diagnostics []diag.Diagnostic
}

// NotFoundError: there is no recipe of that name that can be used.
type NotFoundError struct {
	Name    string
	Similar []string // names that may have been meant
}

// Error implements error.
func (e *NotFoundError) Error() string {
	return (*catalog.MissingError)(e).Text("recipe")
}

// root is a directory, or one file, that recipes are read from.
type root struct {
	level  plugin.Level
	path   string
	format Format
}

// Discover finds all recipes. It executes nothing. A file or directory that
// cannot be read is a diagnostic, not an error; the error is the context's.
func Discover(ctx context.Context, o Options) (*Set, error) {
	roots, diags := roots(o)
	s := &Set{Diagnostics: diags}
	for _, r := range roots {
		if err := s.walk(ctx, r); err != nil {
			return nil, err
		}
	}
	catalog.Shadow(s.All, entry)
	return s, nil
}

// roots lists where to look, best first.
func roots(o Options) ([]root, []diag.Diagnostic) {
	var list []root
	look := o.Look()
	recipes, diags := look.Levels("recipes")
	for _, l := range recipes {
		list = append(list, root{l, l.Dir, Template})
	}
	commands, more := look.Levels("commands")
	for _, l := range commands {
		list = append(list, root{l, l.Dir, Command})
	}
	for _, d := range more {
		if !slices.Contains(diags, d) { // of plugins, for which recipes were looked for too
			diags = append(diags, d)
		}
	}
	manifests, more := manifestRoots(look.PluginDirs(), commands)
	list, diags = append(list, manifests...), append(diags, more...)
	slices.SortStableFunc(list, func(a, b root) int {
		return cmp.Or(
			cmp.Compare(rank(a.level), rank(b.level)),
			cmp.Compare(a.level.Rank, b.level.Rank),
			cmp.Compare(a.level.Plugin, b.level.Plugin),
		)
	})
	for _, l := range o.Extra {
		list = append(list, root{l, l.Dir, Prompt})
	}
	return list, diags
}

// manifestRoots lists what the manifests of Claude Code plugins name and is not among
// the commands yet.
func manifestRoots(plugins, commands []plugin.Level) (list []root, diags []diag.Diagnostic) {
	for _, l := range plugins {
		claude, found := plugin.ReadClaude(l.Dir)
		if claude == nil {
			continue
		}
		diags = append(diags, found...)
		for _, path := range claude.CommandDirs {
			if !slices.ContainsFunc(commands, func(have plugin.Level) bool { return have.Dir == path }) {
				list = append(list, root{l, path, Command})
			}
		}
	}
	return list, diags
}

// rank orders levels: project before home, what stands alone before plugins. Of those
// alike, Hookline's own layout comes before others.
func rank(l plugin.Level) int {
	r := 0
	if l.Location == plugin.Global {
		r += 2
	}
	if l.Plugin != "" {
		r++
	}
	return r
}

func (s *Set) note(severity diag.Severity, path, format string, args ...any) {
	s.Diagnostics = append(s.Diagnostics, diag.Diagnostic{Severity: severity, Path: path, Message: fmt.Sprintf(format, args...)})
}

func (s *Set) walk(ctx context.Context, r root) error {
	seen := 0
	return filepath.WalkDir(r.path, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			s.note(diag.Error, path, "cannot be read: %v", err)
			return nil
		}
		if path != r.path && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		stem, isMarkdown := strings.CutSuffix(d.Name(), ".md")
		if d.IsDir() || !isMarkdown || stem == "" {
			return nil
		}
		if seen++; seen > maxFiles {
			s.note(diag.Error, r.path, "has more than %d recipes; the rest is passed over", maxFiles)
			return fs.SkipAll
		}
		if d.Type()&fs.ModeSymlink != 0 && !r.level.Allows(path) {
			s.note(diag.Warning, path, "passed over: a link that leads out of %s or to nothing", r.level.Dir)
			return nil
		}
		s.add(r, path)
		return nil
	})
}

func (s *Set) add(r root, path string) {
	rel, err := filepath.Rel(r.path, path)
	if err != nil || rel == "." {
		rel = filepath.Base(path) // the root is the file itself
	}
	name, err := plugin.ParseItem(r.level.Prefix + strings.TrimSuffix(filepath.ToSlash(rel), ".md"))
	if err != nil {
		s.note(diag.Error, path, "passed over: %v", err)
		return
	}
	recipe, diags, err := catalog.Read(path, func(src []byte) (*Recipe, []diag.Diagnostic, error) {
		return Parse(name, path, r.format, src)
	})
	s.Diagnostics = append(s.Diagnostics, diags...)
	if err != nil {
		recipe = &Recipe{Name: name, Path: path, Format: r.format, Err: err}
	}
	recipe.Plugin, recipe.Location = r.level.Plugin, r.level.Location
	s.All = append(s.All, recipe)
}

func entry(x *Recipe) catalog.Entry {
	return catalog.Entry{Name: x.Name, Path: x.Path, Err: x.Err, ShadowedBy: &x.ShadowedBy}
}

// Active lists the recipes that can be used, sorted by name.
func (s *Set) Active() []*Recipe { return catalog.Active(s.All, entry) }

// Lookup finds a recipe by name. org@repo/name is accepted for org/repo/name. When all
// recipes of that name are broken it gives the error of the first; when there is none,
// a [*NotFoundError].
func (s *Set) Lookup(name string) (*Recipe, error) {
	found, err := catalog.Lookup(s.All, name, entry)
	if missing, ok := errors.AsType[*catalog.MissingError](err); ok {
		return nil, (*NotFoundError)(missing)
	}
	return found, err
}
