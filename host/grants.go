package host

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/recipe"
	"github.com/hookline-dev/hookline/skill"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// toolsArtifact is what approval of the tools is about that a skill or a command lets
// the model use without asking. What lies in the project needs one; what the person
// keeps elsewhere has it, as it was when the session began.
func toolsArtifact(d discovery.Dirs, kind, name, path string, tools []string) trust.Artifact {
	a := projectArtifact(d.Project, kind+":"+name, path, "the "+kind+" "+name+" may use without asking: "+strings.Join(tools, ", "))
	if rel, err := filepath.Rel(d.Project, path); d.Project == d.Home || err != nil || !filepath.IsLocal(rel) {
		a.Level = "user"
	}
	return a
}

func skillArtifact(d discovery.Dirs, s *skill.Skill) trust.Artifact {
	return toolsArtifact(d, "skill", s.Name, s.Path, s.AllowedTools)
}

func commandArtifact(d discovery.Dirs, r *recipe.Recipe) trust.Artifact {
	return toolsArtifact(d, "command", r.Name, r.Path, r.AllowedTools)
}

// toolGrants lists the skills and the commands that let the model use tools without
// asking.
func (h *Host) toolGrants(ctx context.Context, skills *skill.Set, recipes []plugin.Level) []trust.Artifact {
	var out []trust.Artifact
	for _, s := range skills.Active() {
		if len(s.AllowedTools) > 0 {
			out = append(out, skillArtifact(h.Dirs, s))
		}
	}
	set, err := recipe.Discover(ctx, recipe.Options{Places: h.places(), Extra: recipes})
	if err != nil {
		return out // the context ended
	}
	for _, r := range set.Active() {
		if grants(r) {
			out = append(out, commandArtifact(h.Dirs, r))
		}
	}
	return out
}

// grants reports whether a recipe lets the model use tools without asking. That is what
// the key means in a command; in other recipes it limits the tools.
func grants(r *recipe.Recipe) bool { return r.Format == recipe.Command && len(r.AllowedTools) > 0 }

// grantSkill returns the allow rules of a skill.
func (h *Agent) grantSkill(s *skill.Skill) []permission.Rule {
	if len(s.AllowedTools) == 0 {
		return nil
	}
	return h.grant(skillArtifact(h.Dirs, s), s.AllowedTools)
}

// grantRecipe returns the allow rules of a command.
func (h *Agent) grantRecipe(r *recipe.Recipe) []permission.Rule {
	if !grants(r) {
		return nil
	}
	return h.grant(commandArtifact(h.Dirs, r), r.AllowedTools)
}

// grant makes allow rules of what a file lists, when it is approved.
func (h *Agent) grant(a trust.Artifact, tools []string) []permission.Rule {
	if !h.Gate.Check(a).Allowed {
		h.notify(ui.Info, "%s: it is not approved that %s; 'hookline trust' shows it.", clean.PlainLine(a.Source), clean.PlainLine(a.Definition))
		return nil
	}
	var out []permission.Rule
	for _, text := range tools {
		r, err := permission.ParseRule(text)
		if err != nil {
			h.notify(ui.Warning, "%s: allowed-tools: %s", clean.PlainLine(a.Source), clean.PlainLine(err.Error()))
			continue
		}
		out = append(out, r)
	}
	return out
}
