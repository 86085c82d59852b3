package kodelet

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler/executable"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// timeout is how long an executable hook may take.
const timeout = 30 * time.Second

// unknownType is shown as the type of an executable that nobody approved: it is not
// asked.
const unknownType = "unknown (untrusted)"

// finder finds executables.
type finder struct {
	*dialect.Kit
	types *executable.Types
	// helpers are the files beside executables that approvals cover too.
	helpers []string
	// started are, by their paths, what is started of the executables that may run.
	started map[string]program
}

// Finder finds executables in the hooks directories of all levels and of plugins.
func (Dialect) Finder(k *dialect.Kit) dialect.Finder {
	return &finder{Kit: k, types: &executable.Types{
		Trusted: k.AllowFile, Known: func(t string) bool { return Events(t) != nil }, CacheDir: k.Dirs.Cache, Dir: k.Dirs.Project, Base: k.Env,
	}}
}

func (*finder) Close() error { return nil }

func (s *finder) Stamp(st *dialect.Stamper) {
	for _, dir := range []string{s.Places.ProjectDir, s.Places.HomeDir} {
		for _, l := range append([]plugin.Layout{plugin.Hookline()}, s.Places.Layouts...) {
			if l.Plugins {
				st.Tree(filepath.Join(dir, l.Dir, "plugins"), 1)
			}
		}
	}
	levels, _ := s.Levels("hooks")
	for _, lv := range levels {
		st.Tree(lv.Dir, 1)
	}
	for _, p := range s.helpers {
		st.File(p)
	}
}

func (s *finder) Find(ctx context.Context) ([]dialect.Found, []diag.Diagnostic) {
	levels, diags := s.Levels("hooks")
	var all []dialect.Found
	for _, lv := range levels {
		found, d := s.Programs(lv, lv.Dir, func(f *dialect.Found) bool {
			f.Name, f.Dialect, f.Group = lv.Prefix+strings.TrimSuffix(filepath.Base(f.Path), dialect.DisableSuffix), Name, Name
			f.Prewarm = s.Prewarm(f.Name, 0)
			f.Artifact.Definition, f.Artifact.Command = "executable hook "+f.Name, f.Path+" run"
			return true
		})
		all = append(all, found...)
		diags = append(diags, d...)
	}
	s.helpers = nil
	for i := range all {
		s.helpers = append(s.helpers, all[i].Artifact.Files...)
	}
	markReplacing(all)
	s.query(ctx, all)
	if err := s.types.CacheError(); err != nil {
		diags = append(diags, dialect.Note(diag.Info, "", "executables are asked for their types each time: %v", err))
	}
	return s.resolve(all), diags
}

// markReplacing notes of a project's hook that it would take the place of one of
// the person's with the same name, which needs an approval that says so.
func markReplacing(all []dialect.Found) {
	stronger := map[string]string{}
	for i := range all {
		if f := &all[i]; f.Level == "user" && f.Status == dialect.Active {
			stronger[f.Name] = f.Path
		}
	}
	for i := range all {
		if f := &all[i]; f.Level == "project" {
			f.Artifact.Replaces = stronger[f.Name]
		}
	}
}

// query finds out the types of those that may run.
func (s *finder) query(ctx context.Context, all []dialect.Found) {
	var programs []executable.Program
	var which []int
	s.started = map[string]program{}
	for i := range all {
		f := &all[i]
		if f.Status == dialect.Disabled && !f.Off { // nobody switched it off: it can't be executed
			if f.Type = s.types.Remembered(f.Path); f.Type != "" {
				f.Status, f.Why = dialect.Broken, "it was a hook and is not executable any more: chmod +x mends it, and the suffix "+dialect.DisableSuffix+" switches it off"
			}
		}
		if f.Status != dialect.Active {
			continue
		}
		if !s.Allow(f) {
			if f.Status == dialect.Untrusted {
				f.Type = unknownType
			}
			continue
		}
		copied, err := s.CopyOf(f)
		if err != nil {
			continue
		}
		p := executable.Program{Path: f.Path, Copy: copied.Path}
		if s.OwnCode(f.Level, f.Name) {
			p.Env = s.OwnCodeEnv(f, s.Env, copied.Of(f.Python))
			if err := dialect.Unshadowed(ctx, f.Modules, s.Dirs.Project, p.Env); err != nil {
				f.Status, f.Why, f.Shut = dialect.Broken, err.Error(), true
				continue
			}
		}
		confined, err := s.Confine(f)
		if err != nil {
			continue
		}
		p.Wall = confined.Wall
		s.started[f.Path] = program{copied, confined}
		programs = append(programs, p)
		which = append(which, i)
	}
	if len(programs) == 0 {
		return
	}
	for k, t := range s.types.QueryAll(ctx, programs) {
		f := &all[which[k]]
		f.Type = t.Type
		if f.Digest == "" {
			f.Digest = t.Digest
		}
		if t.Err != nil {
			f.Status, f.Why = dialect.Broken, t.Err.Error()
			if _, ok := errors.AsType[*executable.UntrustedError](t.Err); ok {
				f.Status, f.Type = dialect.Untrusted, unknownType
			}
		}
	}
}

// resolve lets names that come first shadow later ones, and makes registrations,
// one for each event of a hook's type.
func (s *finder) resolve(all []dialect.Found) []dialect.Found {
	first := map[string]string{}
	var out []dialect.Found
	for _, f := range all {
		if by, taken := first[f.Name]; taken && f.Status == dialect.Active {
			f.Status, f.Why = dialect.Shadowed, "shadowed by "+by
		}
		if old := s.InForce(&f); old != nil {
			first[f.Name] = f.Path
			out = append(out, old...)
			continue
		}
		events := Events(f.Type)
		if f.Status != dialect.Active {
			for _, f.Event = range events {
				out = append(out, f)
			}
			if len(events) == 0 {
				out = append(out, f)
			}
			continue
		}
		first[f.Name] = f.Path
		for _, ev := range events {
			one := f
			one.Event = ev
			s.register(&one)
			out = append(out, one)
		}
	}
	return out
}

// program is what is started of an executable, and where it runs.
type program struct {
	dialect.Copy
	confined dialect.Confined
}

// register makes the registration of an executable.
func (s *finder) register(f *dialect.Found) {
	path, mirror := s.started[f.Path].Path, s.started[f.Path].Mirror
	original := f.Path
	h := &executable.Hook{
		Path: path, Name: f.Name, ProjectDir: s.Dirs.Project, Trusted: func(_, digest string) bool { return s.AllowFile(original, digest) },
		Dirs: s.FallbackDirs(), Base: s.Env, Codec: Codec{}, Limiter: s.Limiter, Prewarm: f.Prewarm, Pool: s.Pool, WarmFiles: f.Artifact.Files,
	}
	f.Registration = &hook.Registration{Event: f.Event, Handler: h, Timeout: timeout, OnFailure: hook.FailDefault, Condition: condition(f.Event)}
	if s.OwnCode(f.Level, f.Name) {
		h.Base = s.OwnCodeEnv(f, s.Env, []string{path})
	}
	confined := s.started[f.Path].confined
	h.Wall, h.Base, h.Dir = confined.Wall, slices.Concat(h.Base, confined.Env), confined.Dir
	f.Warm = s.WarmHandler(f, h.Warm)
	if mirror != "" {
		h.Copies, h.Original = mirror, f.Artifact.Root
	} else if len(f.Artifact.Files)+len(f.Artifact.Trees) > 1 {
		s.WhileUnchanged(f)
	}
	s.Isolate(f, h.Base)
}
