package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/catalog"
	"github.com/hookline-dev/hookline/plugin"
)

// Options says where skills are looked for.
type Options struct {
	plugin.Places
	Extra []plugin.Level // further directories of skills or of one, which rank after all others
}

// Set is every skill that was found.
type Set struct {
	// All has broken and shadowed skills too, sorted by name, and for one name
	// in the order of precedence.
	All         []*Skill
	Diagnostics []diag.Diagnostic
}

// notFoundError: there is no skill of that name that can be used.
type notFoundError struct {
	Name    string
	Similar []string // names that may have been meant
}

// Error implements error.
func (e *notFoundError) Error() string {
	return (*catalog.MissingError)(e).Text("skill")
}

// Discover finds all skills. It executes nothing. What cannot be read is a
// diagnostic, not an error; the error is the context's.
func Discover(ctx context.Context, o Options) (*Set, error) {
	look := o.Look()
	levels, diags := look.Levels("skills")
	s := &Set{Diagnostics: diags}
	named := s.withManifests(levels, look.PluginDirs())
	for i, l := range append(named, o.Extra...) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s.level(l, l.Plugin != "" || i >= len(named))
	}
	catalog.Shadow(s.All, entry)
	return s, nil
}

// withManifests adds the directories that the manifests of Claude Code plugins
// name. Their names have the plugin's prefix, so that they collide with nothing
// but their own plugin's, after which they come.
func (s *Set) withManifests(levels, plugins []plugin.Level) []plugin.Level {
	for _, l := range plugins {
		claude, found := plugin.ReadClaude(l.Dir)
		if claude == nil {
			continue
		}
		s.Diagnostics = append(s.Diagnostics, found...)
		for _, dir := range claude.SkillDirs {
			extra := l
			extra.Dir = dir
			if !slices.ContainsFunc(levels, func(have plugin.Level) bool { return have.Dir == dir }) {
				levels = append(levels, extra)
			}
		}
	}
	return levels
}

func (s *Set) note(severity diag.Severity, path, format string, args ...any) {
	s.Diagnostics = append(s.Diagnostics, diag.Diagnostic{Severity: severity, Path: path, Message: fmt.Sprintf(format, args...)})
}

// level adds the skills of a directory, which may be one itself where it was named.
func (s *Set) level(l plugin.Level, named bool) {
	if _, err := os.Stat(filepath.Join(l.Dir, FileName)); err == nil && named {
		s.add(l, l.Dir)
		return
	}
	entries, err := os.ReadDir(l.Dir)
	if err != nil {
		s.note(diag.Error, l.Dir, "cannot be read: %v", err)
		return
	}
	for _, e := range entries {
		dir := filepath.Join(l.Dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		if e.Type()&fs.ModeSymlink != 0 && !l.AllowsDir(dir) {
			s.note(diag.Warning, dir, "passed over: a link that leads out of %s", cmp.Or(l.Project, l.Dir))
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, FileName)); errors.Is(err, fs.ErrNotExist) {
			s.note(diag.Warning, dir, "is not a skill: it has no %s", FileName)
			continue
		}
		s.add(l, dir)
	}
}

func (s *Set) add(l plugin.Level, dir string) {
	path := filepath.Join(dir, FileName)
	name, err := plugin.ParseItem(l.Prefix + filepath.Base(dir))
	if err != nil {
		s.note(diag.Error, dir, "passed over: %v", err)
		return
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 && !l.Allows(path) {
		s.note(diag.Warning, path, "passed over: a link that leads out of %s or to nothing", l.Dir)
		return
	}
	skill, diags, err := catalog.Read(path, func(src []byte) (*Skill, []diag.Diagnostic, error) { return Parse(path, src) })
	s.Diagnostics = append(s.Diagnostics, diags...)
	if err != nil {
		skill = &Skill{Path: path, Dir: dir, Err: err}
	}
	skill.Name, skill.Plugin, skill.Location = name, l.Plugin, l.Location
	s.All = append(s.All, skill)
}

func entry(x *Skill) catalog.Entry {
	return catalog.Entry{Name: x.Name, Path: x.Path, Err: x.Err, ShadowedBy: &x.ShadowedBy}
}

// Active lists the skills that can be used, sorted by name.
func (s *Set) Active() []*Skill { return catalog.Active(s.All, entry) }

// Lookup finds a skill by name. org@repo/name is accepted for org/repo/name. When all
// skills of that name are broken it gives the error of the first; when there is none,
// an error.
func (s *Set) Lookup(name string) (*Skill, error) {
	found, err := catalog.Lookup(s.All, name, entry)
	if missing, ok := errors.AsType[*catalog.MissingError](err); ok {
		return nil, (*notFoundError)(missing)
	}
	return found, err
}
