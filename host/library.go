package host

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/hookline-dev/hookline/agent/skilltool"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/recipe"
	"github.com/hookline-dev/hookline/skill"
)

// library has the skills and recipes, also those in directories that hooks name. It is
// safe for concurrent use.
type library struct {
	dir    string // relative paths are from there
	places plugin.Places
	use    func(*skill.Skill) ([]permission.Rule, error)

	used   sync.Map // paths of the skills that the session uses
	extra  atomic.Pointer[resources]
	skills atomic.Pointer[skill.Set]
	tool   atomic.Pointer[tool.Tool] // the Skill tool as of the last load
}

// resources are directories of skills and recipes that hooks name.
type resources struct{ skills, recipes []plugin.Level }

// load looks for skills and makes the tool that knows them.
func (l *library) load(ctx context.Context) error {
	skills, err := skill.Discover(ctx, skill.Options{Places: l.places, Extra: l.named().skills})
	if err != nil {
		return err
	}
	t := skilltool.New(skills, skilltool.Options{Use: l.use})
	l.tool.Store(&t)
	l.skills.Store(skills)
	return nil
}

// recipes looks for recipes.
func (l *library) recipes(ctx context.Context) (*recipe.Set, error) {
	return recipe.Discover(ctx, recipe.Options{Places: l.places, Extra: l.named().recipes})
}

// named are the directories that hooks name.
func (l *library) named() resources {
	if r := l.extra.Load(); r != nil {
		return *r
	}
	return resources{}
}

// name takes the directories that hooks name in place of those that they have named
// before. One skill may be named, by its directory or its file.
func (l *library) name(skills, recipes []string) {
	for i, path := range skills {
		if filepath.Base(path) == skill.FileName {
			skills[i] = filepath.Dir(path)
		}
	}
	l.extra.Store(&resources{l.levels(skills), l.levels(recipes)})
}

func (l *library) levels(dirs []string) []plugin.Level {
	var out []plugin.Level
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(l.dir, dir)
		}
		out = append(out, plugin.Level{Dir: dir, Location: plugin.Local})
	}
	return out
}

// Dirs are the directories of skills that hooks name.
func (l *library) Dirs() []plugin.Level { return l.named().skills }

// Used reports whether the session uses a skill.
func (l *library) Used(path string) bool {
	_, used := l.used.Load(path)
	return used
}

var _ dialect.Skills = (*library)(nil)

// Tools returns the Skill tool, when there are skills.
func (l *library) Tools() []tool.Tool {
	if t := l.tool.Load(); t != nil && *t != nil {
		return []tool.Tool{*t}
	}
	return nil
}

// discoverResources lets hooks name further directories of skills and recipes. The
// reason is startup or reload.
func (h *Agent) discoverResources(ctx context.Context, session, reason string) error {
	out, err := h.Engine.Fire(ctx, &hook.ResourcesDiscover{Common: hook.Common{SessionID: session, CWD: h.Dir, InvokedBy: "main"}, Reason: reason})
	if err != nil {
		return err
	}
	var skills, recipes []string
	if out.Host != nil {
		skills, recipes = out.Host.ResourcePaths.Strings("skillPaths"), out.Host.ResourcePaths.Strings("promptPaths")
	}
	h.library.name(skills, recipes)
	return nil
}
