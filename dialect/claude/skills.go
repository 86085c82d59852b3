package claude

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/skill"
)

// skillFiles lists the skills whose headers have hooks. One that is in use and cannot be
// read any more is among them: its hooks go on as they were.
func (s *finder) skillFiles(ctx context.Context) []settingsFile {
	if s.NoHooks {
		return nil
	}
	o := skill.Options{Places: s.Places}
	if s.Hosting.Skills != nil {
		o.Extra = s.Hosting.Skills.Dirs()
	}
	set, err := skill.Discover(ctx, o)
	if err != nil {
		return nil // the context ended, which whoever loads finds out
	}
	s.skills = nil
	for _, sk := range set.All {
		s.skills = append(s.skills, sk.Path)
	}
	var out []settingsFile
	for _, sk := range set.Active() {
		if len(sk.Hooks) > 0 {
			out = append(out, s.skillFile(sk))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.good)) {
		have := slices.ContainsFunc(out, func(f settingsFile) bool { return f.path == path })
		if old := s.good[path]; old.Scope == ScopeSkill && !have && s.skillUsed(path) {
			out = append(out, settingsFile{path: path, opts: Options{Scope: ScopeSkill, Plugin: old.Plugin, Skill: old.Skill}, level: s.skillLevel(path), must: true})
		}
	}
	return out
}

func (s *finder) skillFile(sk *skill.Skill) settingsFile {
	opts := Options{Scope: ScopeSkill, Skill: sk.Name}
	for _, l := range s.pluginDirs() {
		if l.Plugin == sk.Plugin && l.Location == sk.Location {
			opts.Plugin = s.pluginOf(l)
			break
		}
	}
	level := s.skillLevel(sk.Path)
	if sk.Location == plugin.Global {
		level = dialect.LevelName(plugin.Level{Location: sk.Location})
	}
	return settingsFile{path: sk.Path, opts: opts, level: level}
}

// skillLevel is the level of a skill by its place.
func (s *finder) skillLevel(path string) string {
	if rel, err := filepath.Rel(s.Dirs.Project, path); err != nil || !filepath.IsLocal(rel) {
		return dialect.LevelName(plugin.Level{Location: plugin.Global})
	}
	return dialect.LevelName(plugin.Level{Location: plugin.Local})
}

// skillUsed reports whether the session uses a skill.
func (s *finder) skillUsed(path string) bool {
	return s.Hosting.Skills != nil && s.Hosting.Skills.Used(path)
}

// stampSkills folds into a fingerprint the skills that there are, and where more may be.
func (s *finder) stampSkills(st *dialect.Stamper) {
	levels, _ := s.Look().Levels("skills")
	if s.Hosting.Skills != nil {
		levels = append(levels, s.Hosting.Skills.Dirs()...)
	}
	for _, l := range levels {
		st.File(l.Dir)
	}
	for _, path := range s.skills {
		st.File(path)
	}
}

// whileUsed lets the hooks of a skill run while it is used only; own is their own
// condition, nil for none.
func (b *Builder) whileUsed(f *Settings, own hook.Condition) hook.Condition {
	used := b.SkillUsed
	if f.Scope != ScopeSkill || used == nil {
		return own
	}
	return func(in hook.Input) (hook.Matched, string) {
		switch {
		case !used(f.Path):
			return hook.MatchNo, "the skill " + f.Skill + " is not in use"
		case own == nil:
			return hook.MatchYes, ""
		}
		return own(in)
	}
}
