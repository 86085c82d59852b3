package foreign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/trust"
)

// maxSize is the largest file that is read, in bytes.
const maxSize = 4 << 20

// finder finds the hooks of a host's own files.
type finder struct {
	*dialect.Kit
	d *Dialect
	// good holds, by path, what was read last from a file that could be used.
	good map[string]*Content
	// scripts are the files that commands name, as of the last load.
	scripts []string
}

func (*finder) Close() error { return nil }

// on reports whether the person asked for the host's own hooks.
func (s *finder) on() bool { return slices.Contains(s.Config.Dialects, s.d.name) }

// places lists the places of the files that count.
func (s *finder) places() []Place {
	list := s.d.files.List(s.Dirs)
	if s.NoHooks {
		list = slices.DeleteFunc(list, func(p Place) bool { return p.Level != dialect.ManagedLevel })
	}
	return slices.DeleteFunc(list, func(p Place) bool { return p.Path == "" || !s.Dirs.Reads(p.Level) })
}

func (s *finder) Stamp(st *dialect.Stamper) {
	for _, p := range s.places() {
		if p.Dir {
			st.Tree(p.Path, 1)
		} else {
			st.File(p.Path)
		}
	}
	for _, f := range s.scripts {
		st.File(f)
	}
}

// Find reads the files. Where nobody asked for them they are listed as disabled, and what
// is wrong with them is left to their host.
func (s *finder) Find(context.Context) ([]dialect.Found, []diag.Diagnostic) {
	var out []dialect.Found
	var diags []diag.Diagnostic
	s.scripts = nil
	for _, place := range s.places() {
		for _, p := range s.expand(place) {
			c, d := s.read(p)
			if s.on() {
				diags = append(diags, d...)
			}
			if c == nil {
				continue
			}
			nth := map[string]int{}
			for i := range c.Entries {
				one := s.found(p, c, &c.Entries[i])
				key := one.Event.String() + one.Name
				one.Nth, nth[key] = nth[key], nth[key]+1
				s.scripts = append(s.scripts, one.Artifact.Files...)
				if old := s.InForce(&one); old != nil {
					out = append(out, old...)
				} else {
					out = append(out, one)
				}
			}
		}
	}
	return out, diags
}

// expand lists the files of a place that are for us to run. A directory that cannot be listed stands for a file
// that cannot be read.
func (s *finder) expand(p Place) []Place {
	switch {
	case s.RunByHost(p.Path):
		return nil
	case !p.Dir:
		return []Place{p}
	}
	entries, err := os.ReadDir(p.Path)
	err = fsx.LinkFault(p.Path, err)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []Place{p}
	}
	var out []Place
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			out = append(out, Place{Path: filepath.Join(p.Path, e.Name()), Level: p.Level})
		}
	}
	return out
}

// read reads one file. One that is broken as a whole keeps what it said before.
func (s *finder) read(p Place) (*Content, []diag.Diagnostic) {
	if s.HeldFile(p.Path) {
		return s.good[p.Path], nil
	}
	data, err := frontmatter.ReadRegular(p.Path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		delete(s.good, p.Path)
		return nil, nil
	}
	var c *Content
	var diags []diag.Diagnostic
	if err != nil {
		c, diags = s.d.files.lost(s.d.tables, diag.Diagnostic{Path: p.Path, Message: fmt.Sprintf("reading hooks: %v", err), Remedy: "mend or remove the file"})
	} else {
		c, diags = s.d.files.Parse(s.d.tables, p.Path, data)
	}
	if last := s.good[p.Path]; c.Unread && last != nil {
		return last, append(diags, dialect.Note(diag.Warning, p.Path, "the hooks that were read from it before stay in force"))
	}
	if !c.Unread {
		s.good[p.Path] = c
	}
	return c, diags
}

// found makes a hook of an entry.
func (s *finder) found(p Place, c *Content, e *Entry) dialect.Found {
	text := strings.Join(append([]string{e.Command}, e.Args...), " ")
	f := dialect.Found{
		Name: e.Label(), Dialect: s.d.name, Level: p.Level, Event: e.Event, Type: e.Row.Name, Matcher: e.Matcher, Command: text,
		Path: c.Path, Source: c.Path, Status: dialect.Active, Group: s.d.name, Reported: true,
	}
	if e.Line > 0 {
		f.Source = fmt.Sprintf("%s:%d", c.Path, e.Line)
	}
	f.Artifact = trust.Artifact{
		Name: f.Name, Dialect: s.d.name, Level: f.Level, Root: s.Dirs.Project, Source: c.Path, Definition: definition(e),
		Event: e.Event.String(), Matcher: e.Matcher, Command: text, Broken: e.Broken != "",
	}
	r := &hook.Registration{Event: e.Event, Timeout: cmp.Or(e.Timeout, s.d.files.Default), Name: f.Name}
	s.choose(r, e)
	if e.Closed {
		r.OnFailure = hook.FailClosed
	}
	f.Registration = r
	switch {
	case !s.on():
		f.Status, f.Why = dialect.Disabled, fmt.Sprintf("%s runs it; 'hookline enable --dialect %s' has it run here too", s.d.title, s.d.name)
		return f
	case e.Broken != "":
		if !s.Allow(&f) {
			f.AsApproved()
		}
		f.Status, f.Why = dialect.Broken, e.Broken
		r.Handler = dialect.Unusable(fmt.Errorf("it could not be loaded from %s: %s", f.Source, e.Broken))
		return f
	}
	dir := s.workDir(p, e)
	h := s.command(e, dir)
	r.Handler = h
	s.SeeCommand(&f, dialect.CommandLine{Command: h.Command, Args: h.Args, PowerShell: h.Shell == command.PowerShell, Dir: dir, Vars: s.vars()})
	switch {
	case f.Bridge(text):
	case s.Allow(&f):
		s.RunCommand(&f, h, s.vars())
	default:
		f.AsApproved()
	}
	return f
}

// vars are the host's variables that are the same for every event, such as where the project is.
func (s *finder) vars() map[string]string {
	out := map[string]string{}
	for _, kv := range s.d.files.Env(s.Dirs, &hook.SessionStart{}) {
		if name, value, _ := strings.Cut(kv, "="); value != "" {
			out[name] = value
		}
	}
	return out
}

// workDir is the directory in which an entry's command runs, "" for the session's.
func (s *finder) workDir(p Place, e *Entry) string {
	dir := ""
	if s.d.files.WorkDir != nil {
		dir = s.d.files.WorkDir(s.Dirs, p)
	}
	switch {
	case e.Dir == "":
		return dir
	case filepath.IsAbs(e.Dir):
		return e.Dir
	}
	return filepath.Join(cmp.Or(dir, s.Dirs.Project), e.Dir)
}

// command makes the handler of an entry.
func (s *finder) command(e *Entry, dir string) *command.Hook {
	own := make([]string, 0, len(e.Env))
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		own = append(own, name+"="+e.Env[name])
	}
	h := &command.Hook{
		Command: e.Command, Args: slices.Clone(e.Args), Dir: dir, Dirs: s.FallbackDirs(), Base: s.Env, Limiter: s.Limiter, Origin: s.d.name + " " + e.Row.Name,
		Env:   func(call *hook.Call) []string { return slices.Concat(s.d.files.Env(s.Dirs, call.Input), own) },
		Codec: &codec{Tables: s.d.tables, Row: e.Row},
	}
	if e.PowerShell {
		h.Shell = command.PowerShell
	}
	return h
}

// definition is the text of an entry that approval covers: everything that changes what it
// does.
func definition(e *Entry) string {
	policy := hook.FailDefault
	if e.Closed {
		policy = hook.FailClosed
	}
	return hook.MustJSON(map[string]any{
		"event": e.Event.String(), "as": e.Row.Name, "matcher": e.Matcher, "command": e.Command, "args": e.Args, "env": e.Env, "dir": e.Dir,
		"timeout": e.Timeout.String(), "onFailure": policy.String(),
	}).Raw()
}

// choose sets for what a hook runs: its matcher is tested against the names that the host
// has for the subject.
func (s *finder) choose(r *hook.Registration, e *Entry) {
	switch {
	case e.Row.Matches != nil && e.Broken == "":
		r.Condition = func(in hook.Input) (hook.Matched, string) {
			m := hook.MatchNo
			for _, name := range e.Row.Matches(in) {
				if e.matcher == nil {
					return hook.MatchYes, ""
				}
				m = max(m, e.matcher.Match(name))
			}
			return m, fmt.Sprintf("%s is not for this call, or its matcher %q is not", e.Row.Name, e.Matcher)
		}
	case e.matcher != nil:
		r.Matcher = &nativeMatcher{e.matcher, s.d.tableOf(e.Row)}
	}
}

// tableOf is the table of a row.
func (d *Dialect) tableOf(e *Event) *Table {
	return d.tables[slices.IndexFunc(d.tables, func(t *Table) bool { return t.owns(e) })]
}

// nativeMatcher matches a subject by the names that the host has for it.
type nativeMatcher struct {
	hook.Matcher
	t *Table
}

func (m *nativeMatcher) Match(subject string) hook.Matched {
	name, _ := m.t.Tools.Out(subject, hook.JSON{})
	got := m.Matcher.Match(name)
	for _, other := range m.t.Aliases[name] {
		got = max(got, m.Matcher.Match(other))
	}
	return got
}
