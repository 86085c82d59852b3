package discovery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/handler/executable"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/trust"
)

// kodeletTimeout is how long an executable hook may take.
const kodeletTimeout = 30 * time.Second

// disableSuffix switches an executable hook off.
const disableSuffix = ".disable"

// kodeletSource finds executables.
type kodeletSource struct {
	l     *Loader
	types *executable.Types
	// helpers are the files beside executables that approvals cover too.
	helpers []string
}

func newKodeletSource(l *Loader) *kodeletSource {
	s := &kodeletSource{l: l}
	s.types = &executable.Types{
		Trusted:  l.allowFile,
		Known:    func(t string) bool { return kodelet.Events(t) != nil },
		CacheDir: l.opts.Dirs.Cache,
		Dir:      l.opts.Dirs.Project,
		Base:     l.env,
	}
	return s
}

func (s *kodeletSource) groups() []groupSpec {
	return []groupSpec{{kodelet.Name, hook.DenyFast, hook.RankKodelet}}
}

func (s *kodeletSource) close() error { return nil }

func (s *kodeletSource) stamp(st *stamper) {
	levels, _ := s.l.levels("hooks")
	for _, dir := range []string{s.l.opts.Dirs.Project, s.l.opts.Dirs.Home} {
		st.tree(filepath.Join(dir, ".hookline", "plugins"), 1)
		st.tree(filepath.Join(dir, ".kodelet", "plugins"), 1)
	}
	for _, lv := range levels {
		st.tree(lv.Dir, 1)
	}
	for _, p := range s.helpers {
		st.file(p)
	}
}

// candidate is a file in a hooks directory.
type candidate struct {
	found Found
	level plugin.Level
}

func (s *kodeletSource) find(ctx context.Context) ([]Found, []diag.Diagnostic) {
	levels, diags := s.l.levels("hooks")
	var all []candidate
	for _, lv := range levels {
		found, d := s.scan(lv)
		all = append(all, found...)
		diags = append(diags, d...)
	}
	s.helpers = nil
	for _, c := range all {
		s.helpers = append(s.helpers, c.found.Artifact.Files...)
	}
	markReplacing(all)
	s.query(ctx, all)
	return s.resolve(all), diags
}

// markReplacing notes of a project's hook that it would take the place of one of
// the person's with the same name, which needs an approval that says so.
func markReplacing(all []candidate) {
	stronger := map[string]string{}
	for _, c := range all {
		if c.found.Level == "user" && c.found.Status == Active {
			stronger[c.found.Name] = c.found.Path
		}
	}
	for i := range all {
		if f := &all[i].found; f.Level == "project" {
			f.Artifact.Replaces = stronger[f.Name]
		}
	}
}

// levels lists the directories of one kind of executables: the administrator's first.
func (l *Loader) levels(kind string) ([]plugin.Level, []diag.Diagnostic) {
	levels, pd := plugin.Levels(l.opts.Dirs.Project, l.opts.Dirs.Home, kind)
	diags := fromPlugin(pd)
	if l.opts.Dirs.Managed == "" {
		return levels, diags
	}
	dir := filepath.Join(l.opts.Dirs.Managed, kind)
	if _, err := os.Stat(dir); err != nil {
		return levels, diags
	}
	return append([]plugin.Level{{Dir: dir, Location: "managed"}}, levels...), diags
}

func (s *kodeletSource) scan(lv plugin.Level) ([]candidate, []diag.Diagnostic) {
	entries, err := os.ReadDir(lv.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []diag.Diagnostic{s.l.note(diag.Error, lv.Dir, "its hooks cannot be listed: %v", err)}
	}
	var out []candidate
	for _, e := range entries { // ReadDir sorts by name
		f := Found{
			Name: lv.Prefix + strings.TrimSuffix(e.Name(), disableSuffix), Dialect: kodelet.Name, Level: levelName(lv), Plugin: lv.Plugin,
			Path: filepath.Join(lv.Dir, e.Name()), Status: Active, group: kodelet.Name,
		}
		f.Source, f.Command, f.Prewarm = f.Path, f.Path, s.l.prewarm(f.Name, 0)
		f.Artifact = trust.Artifact{
			Name: f.Name, Dialect: f.Dialect, Level: f.Level, Root: s.l.root(lv), Source: f.Path,
			Definition: "executable hook " + f.Name, Command: f.Path + " run",
		}
		f.Artifact.Files, f.Artifact.Unseen = s.l.programFiles(f.Path, f.Artifact.Root)
		skip, why := inspect(lv.Dir, e)
		if skip {
			continue
		}
		f.judge(why)
		out = append(out, candidate{f, lv})
	}
	return out, nil
}

// root is the directory that the files of a level belong to.
func (l *Loader) root(lv plugin.Level) string {
	if levelName(lv) == "project" {
		return l.opts.Dirs.Project
	}
	return lv.Dir
}

func levelName(lv plugin.Level) string {
	switch lv.Location {
	case "managed":
		return "managed"
	case plugin.Local:
		return "project"
	}
	return "user"
}

// judge settles the status of an executable by its name and by what inspect says.
func (f *Found) judge(why string) {
	switch {
	case why == notExecutable: // a helper, perhaps: not a fault
		f.Status, f.Why = Disabled, why
	case why != "":
		f.Status, f.Why = Broken, why
	case strings.HasSuffix(f.Path, disableSuffix):
		f.Status, f.Why = Disabled, "its name ends in "+disableSuffix
	}
}

// inspect says whether an entry of a hooks directory is passed over, as helper
// files and directories are, or why it is no hook although it looks like one.
func inspect(dir string, e fs.DirEntry) (skip bool, why string) {
	path := filepath.Join(dir, e.Name())
	if strings.HasPrefix(e.Name(), ".") || e.IsDir() {
		return true, ""
	}
	if e.Type()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return false, "its link leads nowhere: " + err.Error()
		}
		if base, err := filepath.EvalSymlinks(dir); err != nil || !inside(base, target) {
			return false, fmt.Sprintf("its link leads out of the hooks directory, to %s", target)
		}
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false, err.Error()
	case info.IsDir():
		return true, ""
	case !info.Mode().IsRegular():
		return false, "it is not a regular file"
	case !strings.HasSuffix(e.Name(), disableSuffix) && !executableFile(path, info):
		if startsLikeScript(path) {
			return false, notExecutable
		}
		return true, "" // helper modules and notes lie beside hooks
	case info.Size() == 0:
		return false, "the file is empty"
	}
	return false, ""
}

const notExecutable = "the file begins like a script but is not executable: chmod +x makes it a hook"

// startsLikeScript reports whether a file begins with #!.
func startsLikeScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [2]byte
	n, _ := f.Read(head[:])
	return n == 2 && string(head[:]) == "#!"
}

func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// query finds out the types of those that may run.
func (s *kodeletSource) query(ctx context.Context, all []candidate) {
	var paths []string
	var which []int
	for i := range all {
		f := &all[i].found
		if f.Status != Active {
			continue
		}
		if !s.l.allow(f) {
			if f.Status == Untrusted {
				f.Type = "unknown (untrusted)"
			}
			continue
		}
		paths = append(paths, f.Path)
		which = append(which, i)
	}
	if len(paths) == 0 {
		return
	}
	for k, t := range s.types.QueryAll(ctx, paths) {
		f := &all[which[k]].found
		f.Type = t.Type
		if f.Digest == "" {
			f.Digest = t.Digest
		}
		if t.Err != nil {
			f.Status, f.Why = Broken, t.Err.Error()
			if _, ok := errors.AsType[*executable.UntrustedError](t.Err); ok {
				f.Status, f.Type = Untrusted, "unknown (untrusted)"
			}
		}
	}
}

// resolve lets names that come first shadow later ones, and makes registrations,
// one for each event of a hook's type.
func (s *kodeletSource) resolve(all []candidate) []Found {
	first := map[string]string{}
	var out []Found
	for _, c := range all {
		f := c.found
		if by, taken := first[f.Name]; taken && f.Status == Active {
			f.Status, f.Why = Shadowed, "shadowed by "+by
		}
		if old := s.l.heldHooks(&f); old != nil {
			first[f.Name] = f.Path
			out = append(out, old...)
			continue
		}
		if f.Status != Active {
			out = append(out, unregistered(f)...)
			continue
		}
		first[f.Name] = f.Path
		for _, ev := range kodelet.Events(f.Type) {
			one := f
			one.Event = ev
			h := s.handler(f)
			one.warm = warmerOf(h)
			one.Registration = &hook.Registration{Event: ev, Handler: h, Timeout: kodeletTimeout, OnFailure: hook.FailDefault}
			out = append(out, one)
		}
	}
	return out
}

// unregistered reports a hook that does not run. Of one that nobody approved it is
// not known what it is for, so it is reported on every event that it could be for.
func unregistered(f Found) []Found {
	if f.Status != Untrusted {
		return []Found{f}
	}
	f.Registration = &hook.Registration{Event: hook.EventPreToolUse}
	return []Found{f}
}

// handler runs the executable from a private copy where the gate keeps one, so that
// what runs is what was allowed.
func (s *kodeletSource) handler(f Found) hook.Handler {
	path, mirror := f.Path, ""
	if m, ok := s.l.gate.(mirrorer); ok {
		if dir, err := m.Mirror(f.Artifact); err == nil && dir != "" {
			if rel, err := filepath.Rel(f.Artifact.Root, f.Path); err == nil && filepath.IsLocal(rel) {
				path, mirror = filepath.Join(dir, rel), dir
			}
		}
	}
	h := &executable.Hook{
		Path: path, Name: f.Name, ProjectDir: s.l.opts.Dirs.Project, Trusted: func(_, digest string) bool { return s.l.allowFile(f.Path, digest) },
		Dirs: s.l.fallbackDirs(), Base: s.l.env, Codec: kodelet.Codec{}, Limiter: s.l.limiter,
		Prewarm: f.Prewarm, Pool: s.l.pool, WarmFiles: f.Artifact.Files,
	}
	if path != f.Path {
		h.Copies, h.Original = mirror, f.Artifact.Root
	}
	if path == f.Path && len(f.Artifact.Files) > 1 {
		return &verified{h, s.l.gate, f.Artifact}
	}
	return h
}

func fromPlugin(pd []plugin.Diagnostic) []diag.Diagnostic {
	out := make([]diag.Diagnostic, 0, len(pd))
	for _, d := range pd {
		out = append(out, PluginDiagnostic(d))
	}
	return out
}

// PluginDiagnostic converts a diagnostic of the plugin room.
func PluginDiagnostic(d plugin.Diagnostic) diag.Diagnostic {
	sev := map[plugin.Severity]diag.Severity{plugin.SeverityWarning: diag.Warning, plugin.SeverityInfo: diag.Info}[d.Severity]
	return diag.Diagnostic{Severity: sev, Path: d.Source, Message: d.Message}
}

// pluginSpelling turns org@repo/name into org/repo/name.
func pluginSpelling(name string) string { return strings.Replace(name, "@", "/", 1) }
