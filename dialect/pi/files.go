package pi

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
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
// once.
func (s *finder) files() ([]moduleFile, []dialect.Found, []diag.Diagnostic) {
	var out []moduleFile
	var odd []dialect.Found
	var diags []diag.Diagnostic
	seen := map[string]bool{}
	add := func(f moduleFile) {
		if !seen[f.path] && !s.Theirs(f.path) {
			seen[f.path] = true
			out = append(out, f)
		}
	}
	for _, d := range s.dirs() {
		paths, err := modulesIn(d.dir)
		if err != nil {
			diags = append(diags, dialect.Note(diag.Error, d.dir, "its modules cannot be listed: %v", err))
		}
		for _, p := range paths {
			add(moduleFile{path: p, level: d.level})
		}
		odd = append(odd, shellLayout(d)...)
	}
	if s.NoHooks {
		return out, odd, diags
	}
	if project, _ := s.Dirs.Read(); project != "" {
		odd = append(odd, shellLayout(moduleDir{filepath.Join(project, ".claude", "hooks"), "project"})...)
	}
	for _, n := range s.named() {
		if info, err := os.Stat(n.path); err == nil && info.IsDir() && indexOf(n.path) == "" {
			paths, err := modulesIn(n.path)
			if err != nil {
				diags = append(diags, dialect.Note(diag.Error, n.path, "its modules cannot be listed: %v", err))
			}
			for _, p := range paths {
				add(moduleFile{path: p, level: n.level})
			}
			continue
		}
		add(n)
	}
	return out, odd, diags
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

func indexOf(dir string) string {
	for _, ext := range moduleExts {
		p := filepath.Join(dir, "index"+ext)
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return p
		}
	}
	return ""
}

// modulesIn lists the modules of a directory by name: files, and directories with
// an index file.
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
		switch {
		case e.IsDir() && e.Name() != "node_modules":
			if p := indexOf(path); p != "" {
				out = append(out, p)
			}
		case isModule(e.Name()):
			out = append(out, path)
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
