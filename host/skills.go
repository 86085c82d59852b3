package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/skill"
	"github.com/hookline-dev/hookline/ui"
)

// skillUsed is what the session keeps, as an entry that the model doesn't see, of a skill
// with hooks that it uses: they run until it ends, also when it is resumed.
const skillUsed = "hookline.skill"

type usedSkill struct {
	Path string `json:"path"` // of its SKILL.md
}

// loadSkills looks for skills, and takes up the hooks that they bring.
func (h *Agent) loadSkills(ctx context.Context) error {
	if err := h.library.load(ctx); err != nil {
		return err
	}
	found, err := h.refresh(ctx)
	if found {
		h.keepModules()
		h.warm()
	}
	return err
}

// useSkill begins the use of a skill: from now on its hooks run. It returns the allow
// rules that the skill brings. A skill whose hooks were not loaded cannot be used.
func (h *Agent) useSkill(s *skill.Skill) ([]permission.Rule, error) {
	if len(s.Hooks) > len("{}") && !h.Host.opts.NoHooks {
		if err := h.skillLoaded(s); err != nil {
			return nil, err
		}
		if _, again := h.library.used.LoadOrStore(s.Path, true); !again {
			data, err := json.Marshal(usedSkill{s.Path})
			if err == nil {
				err = h.Loop.AppendEntry(skillUsed, data)
			}
			if err != nil {
				return nil, fmt.Errorf("keeping in the session that it uses the skill %s: %w", s.Name, err)
			}
		}
	}
	return h.grantSkill(s), nil
}

// skillLoaded fails when a skill has hooks and none of them was loaded.
func (h *Agent) skillLoaded(s *skill.Skill) error {
	if slices.ContainsFunc(h.Set().Hooks, func(f discovery.Found) bool { return f.Path == s.Path }) {
		return nil
	}
	return fmt.Errorf("the hooks of skill %s were not loaded from %s, and without them it is not used", s.Name, s.Path)
}

// restoreSkills takes up which skills the session uses that the agent came to.
func (h *Agent) restoreSkills() {
	h.library.used.Clear()
	entries, err := h.Loop.Session().BranchEntries("")
	if err != nil {
		h.notify(ui.Warning, "which skills the session uses cannot be read, so that none of their hooks run: %v", err)
	}
	for _, e := range entries {
		var used usedSkill
		if e.Type == session.Custom && e.CustomType == skillUsed && json.Unmarshal(e.Data, &used) == nil {
			h.library.used.Store(used.Path, true)
		}
	}
}
