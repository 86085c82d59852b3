package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
)

// disabledSuffix ends the names of hooks that are switched off.
const disabledSuffix = ".disable"

// maxScanned bounds the Markdown files looked at below one directory.
const maxScanned = 20_000

// Content is what a plugin carries. All names are sorted, without the plugin's
// prefix, and slash-separated.
type Content struct {
	Skills        []string // directories in skills/ with a SKILL.md
	Recipes       []string // recipes/**/*.md and commands/**/*.md, without .md
	Hooks         []string // programs in hooks/, or the handlers of a hooks.json
	DisabledHooks []string // programs in hooks/ that are switched off, without .disable
	Tools         []string // programs in tools/
	Agents        []string // agents/**/*.md, without .md
	agentRoots    []string
	Servers       []string // MCP servers
	Claude        *Claude  // nil for a plugin without anything of Claude Code
}

// empty reports whether there is nothing that an agent could use.
func (c Content) empty() bool {
	return len(c.Skills)+len(c.Recipes)+len(c.Hooks)+len(c.DisabledHooks)+len(c.Tools)+len(c.Agents)+len(c.Servers) == 0 && !c.Claude.declaresHooks()
}

// AgentFile returns the file of one of the agents.
func (c Content) AgentFile(name string) string {
	for _, root := range c.agentRoots {
		if filepath.Base(root) == name+".md" && isFile(root) { // the manifest named one file
			return root
		}
		if path := filepath.Join(root, filepath.FromSlash(name)+".md"); isFile(path) {
			return path
		}
	}
	return ""
}

// Scan reads what a plugin's directory carries. Nothing is executed. What is
// passed over though it looks meant comes as diagnostics.
func Scan(dir string) (Content, []diag.Diagnostic, error) {
	for range maxRescans {
		before, err := os.Stat(dir)
		if err != nil {
			return Content{}, nil, fmt.Errorf("reading the plugin: %w", err)
		}
		c, diags, err := scan(dir)
		after, statErr := os.Stat(dir)
		if statErr == nil && os.SameFile(before, after) && before.ModTime().Equal(after.ModTime()) {
			return c, diags, err
		}
	}
	return scan(dir)
}

// maxRescans bounds how often a plugin is read again that was replaced while it was
// read.
const maxRescans = 10

func scan(dir string) (Content, []diag.Diagnostic, error) {
	s := scanner{dir: dir}
	var c Content
	var diags []diag.Diagnostic
	c.Claude, diags = ReadClaude(dir)
	s.diags = diags

	c.Skills = s.skills("skills")
	c.Recipes = s.markdown("recipes")
	c.Recipes = append(c.Recipes, s.markdown("commands")...)
	c.agentRoots = []string{filepath.Join(dir, "agents")}
	c.Tools, _ = s.programs("tools")
	if c.Claude.declaresHooks() {
		names, found := c.Claude.hookNames()
		c.Hooks = names
		s.diags = append(s.diags, found...)
	} else {
		c.Hooks, c.DisabledHooks = s.programs("hooks")
	}
	if c.Claude != nil {
		for _, path := range c.Claude.CommandDirs {
			c.Recipes = append(c.Recipes, s.markdownAt(path)...)
		}
		c.agentRoots = append(c.agentRoots, c.Claude.AgentDirs...)
		for _, path := range c.Claude.SkillDirs {
			c.Skills = append(c.Skills, s.skillsAt(path)...)
		}
	}
	for _, root := range c.agentRoots {
		c.Agents = append(c.Agents, s.markdownAt(root)...)
	}
	c.Servers = c.Claude.serverNames()
	for _, list := range []*[]string{&c.Skills, &c.Recipes, &c.Hooks, &c.DisabledHooks, &c.Tools, &c.Agents, &c.Servers} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return c, s.diags, nil
}

type scanner struct {
	dir   string
	diags []diag.Diagnostic
}

func (s *scanner) note(severity diag.Severity, path, format string, args ...any) {
	s.diags = append(s.diags, diag.Diagnostic{Severity: severity, Path: path, Message: fmt.Sprintf(format, args...)})
}

// read lists a directory that may be missing.
func (s *scanner) read(dir string) []os.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.note(diag.Error, dir, "cannot be read: %v", err)
	}
	return entries
}

func (s *scanner) skills(name string) []string { return s.skillsAt(filepath.Join(s.dir, name)) }

func (s *scanner) skillsAt(dir string) []string {
	if isFile(filepath.Join(dir, "SKILL.md")) { // the manifest named one skill
		return []string{filepath.Base(dir)}
	}
	var names []string
	for _, e := range s.read(dir) {
		path := filepath.Join(dir, e.Name())
		if e.Type()&fs.ModeSymlink != 0 {
			s.note(diag.Warning, path, "passed over: a skill's directory may not be a symlink")
			continue
		}
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if !isFile(filepath.Join(path, "SKILL.md")) {
			s.note(diag.Warning, path, "is not a skill: it has no SKILL.md")
			continue
		}
		names = append(names, e.Name())
	}
	return names
}

func (s *scanner) markdown(name string) []string { return s.markdownAt(filepath.Join(s.dir, name)) }

// markdownAt lists the Markdown files below root, which may be one itself.
func (s *scanner) markdownAt(root string) []string {
	if info, err := os.Lstat(root); err != nil {
		return nil
	} else if !info.IsDir() {
		if name, ok := strings.CutSuffix(filepath.Base(root), ".md"); ok && info.Mode().IsRegular() {
			return []string{name}
		}
		return nil
	}
	var names []string
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			s.note(diag.Error, path, "cannot be read: %v", err)
			return nil
		}
		if seen++; seen > maxScanned {
			s.note(diag.Error, root, "has more than %d entries; the rest is passed over", maxScanned)
			return fs.SkipAll
		}
		if path != root && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		stem, ok := strings.CutSuffix(d.Name(), ".md")
		if !ok || stem == "" || d.IsDir() {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 && !(staysInside(s.dir, path) && isFile(path)) {
			s.note(diag.Warning, path, "passed over: a link that leads out of the plugin or to no file")
			return nil
		}
		if d.Type()&^fs.ModeSymlink != 0 {
			s.note(diag.Warning, path, "passed over: not a plain file")
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err == nil {
			names = append(names, strings.TrimSuffix(filepath.ToSlash(rel), ".md"))
		}
		return nil
	})
	if err != nil {
		s.note(diag.Error, root, "cannot be read: %v", err)
	}
	return names
}

// programs lists the executable files directly in a directory, and those that
// are switched off.
func (s *scanner) programs(name string) (on, off []string) {
	dir := filepath.Join(s.dir, name)
	for _, e := range s.read(dir) {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if e.Type()&fs.ModeSymlink != 0 && !staysInside(s.dir, path) {
			s.note(diag.Warning, path, "passed over: a link that leads out of the plugin or to no file")
			continue
		}
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			continue
		}
		if !info.Mode().IsRegular() {
			s.note(diag.Warning, path, "passed over: not a plain file")
			continue
		}
		stem, disabled := strings.CutSuffix(e.Name(), disabledSuffix)
		if !isExecutable(stem, info.Mode()) {
			continue
		}
		if disabled {
			off = append(off, stem)
		} else {
			on = append(on, e.Name())
		}
	}
	return on, off
}
