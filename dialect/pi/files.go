package pi

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// moduleFile is a module that was found.
type moduleFile struct {
	path, level string
	// named says that somebody named it, so that its absence is an error.
	named bool
}

// moduleDir is a directory that modules are looked for in.
type moduleDir struct{ dir, level string }

// dirs lists where modules live: the administrator's, then the project's, then the
// person's.
func (s *finder) dirs() []moduleDir {
	d := s.Dirs
	var out []moduleDir
	add := func(base, level string, below ...string) {
		if base != "" {
			for _, b := range below {
				out = append(out, moduleDir{filepath.Join(base, filepath.FromSlash(b)), level})
			}
		}
	}
	add(d.Managed, dialect.ManagedLevel, "modules")
	if s.NoHooks {
		return out
	}
	project, home := d.Read()
	add(project, "project", ".hookline/modules", ".omp/hooks", ".pi/extensions")
	if !dialect.SameFile(project, home) {
		add(home, "user", ".hookline/modules")
	}
	add(home, "user", ".omp/agent/hooks", ".pi/agent/extensions")
	return out
}

func (s *finder) Stamp(st *dialect.Stamper) {
	for _, d := range s.dirs() {
		st.Tree(d.dir, 2)
	}
	for _, path := range slices.Sorted(maps.Keys(s.loaded)) {
		for _, f := range s.loaded[path].m.Files() {
			st.File(f.Path)
		}
	}
}

// files lists the modules in the order in which they load: those that are found,
// directory by directory and by name, then those that are named. A file is listed
// once. odd is what stands in the place of modules and is none.
func (s *finder) files() (out []moduleFile, odd []dialect.Found) {
	seen := map[string]bool{}
	add := func(f moduleFile) {
		if !seen[f.path] && !s.RunByHost(f.path) {
			seen[f.path] = true
			out = append(out, f)
		}
	}
	addAll := func(d moduleDir) {
		paths, err := modulesIn(d.dir)
		if err != nil {
			odd = append(odd, s.unlisted(d, err))
		}
		for _, p := range paths {
			add(moduleFile{path: p, level: d.level})
		}
	}
	for _, d := range s.dirs() {
		addAll(d)
		odd = append(odd, shellLayout(d)...)
	}
	if s.NoHooks {
		return out, odd
	}
	if project, _ := s.Dirs.Read(); project != "" {
		odd = append(odd, shellLayout(moduleDir{filepath.Join(project, ".claude", "hooks"), "project"})...)
	}
	for _, n := range s.named() {
		if info, err := os.Stat(n.path); err == nil && info.IsDir() && indexOf(n.path) == "" {
			addAll(moduleDir{n.path, n.level})
			continue
		}
		add(n)
	}
	return out, odd
}

// unlisted stands for the modules of a directory, of which each might be a gate.
func (s *finder) unlisted(d moduleDir, err error) dialect.Found {
	f := dialect.Unlisted(d.dir, d.level, s.root(d.level, d.dir), "modules", err)
	f.Dialect, f.Type, f.Group = name, "module", s.groups.Others.Name()
	f.Artifact.Dialect, f.Artifact.Definition = name, "script modules of "+d.dir
	f.Registration = lostGate()
	return f
}

// root is the directory that a file of a level belongs to.
func (s *finder) root(level, dir string) string {
	if level == "project" {
		return s.Dirs.Project
	}
	return dir
}

// named lists the modules that the configuration and the caller name: absolute,
// from ~, or relative to the directory of the configuration's level.
func (s *finder) named() []moduleFile {
	d := s.Dirs
	var out []moduleFile
	add := func(paths []string, base, level string) {
		for _, p := range paths {
			if !d.Reads(level) {
				continue
			}
			out = append(out, moduleFile{path: s.resolve(p, base), level: level, named: true})
		}
	}
	cfg := s.Config.Modules
	add(cfg[0], d.Managed, "managed")
	add(cfg[1], d.Home, "user")
	add(cfg[2], d.Project, "project")
	for _, p := range s.NamedModules {
		out = append(out, moduleFile{path: s.resolve(p, s.StartDir), level: "user", named: true}) // whoever runs the command named them
	}
	return out
}

func (s *finder) resolve(p, base string) string {
	if rest, ok := strings.CutPrefix(p, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		p = filepath.Join(s.Dirs.Home, rest)
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	return filepath.Clean(p)
}

// moduleExts are the endings of modules.
var moduleExts = []string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"}

func isModule(name string) bool {
	return slices.Contains(moduleExts, filepath.Ext(name)) && !strings.HasSuffix(name, ".d.ts") && !strings.HasPrefix(name, ".")
}

// indexOf is the index file of a directory, also one that nobody can look at; "" for none.
func indexOf(dir string) string {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return ""
	}
	for _, ext := range moduleExts {
		p := filepath.Join(dir, "index"+ext)
		info, err := os.Stat(p)
		if err == nil && info.Mode().IsRegular() || err != nil && !errors.Is(fsx.LinkFault(p, err), os.ErrNotExist) {
			return p
		}
	}
	return ""
}

// modulesIn lists the modules of a directory by name: files, and directories or links to
// directories with an index file.
func modulesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	err = fsx.LinkFault(dir, err)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries { // ReadDir sorts by name
		path := filepath.Join(dir, e.Name())
		link := e.Type()&os.ModeSymlink != 0 && !strings.HasPrefix(e.Name(), ".")
		switch {
		case isModule(e.Name()) && !e.IsDir():
			out = append(out, path)
		case (e.IsDir() || link) && e.Name() != "node_modules":
			if p := indexOf(path); p != "" {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// shellLayout reports files in the pre and post directories of the older layout,
// which are shell hooks and no modules.
func shellLayout(d moduleDir) []dialect.Found {
	var out []dialect.Found
	for _, sub := range []string{"pre", "post"} {
		entries, err := os.ReadDir(filepath.Join(d.dir, sub))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.IsDir() || isModule(e.Name()) {
				continue
			}
			path := filepath.Join(d.dir, sub, e.Name())
			event := map[string]string{"pre": "PreToolUse", "post": "PostToolUse"}[sub]
			out = append(out, dialect.Found{
				Name: e.Name(), Dialect: name, Level: d.level, Type: sub, Path: path, Source: path, Status: dialect.Broken,
				Why: fmt.Sprintf("a shell hook of the %s/ layout cannot be imported as a module; make it a claude hook (an entry for %s in .claude/settings.json with its path as the command) or an executable hook in .hookline/hooks that answers hook and run", sub, event),
			})
		}
	}
	return out
}
