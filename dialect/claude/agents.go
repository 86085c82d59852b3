package claude

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/trust"
)

var _ dialect.AgentFinder = (*finder)(nil)

// AgentArtifact covers the file and what its commands name.
func (s *finder) AgentArtifact(a dialect.AgentFile) trust.Artifact {
	settings, _, _ := readAgent(a)
	return s.agentArtifact(a, settings)
}

func (s *finder) agentArtifact(a dialect.AgentFile, f *Settings) trust.Artifact {
	all := trust.Artifact{
		Name: "agent:" + a.Name, Dialect: "hookline", Level: agentLevel(a), Root: s.Dirs.Project, Source: a.Path,
		Definition: "hooks of the subagent " + a.Name, Files: []string{a.Path},
	}
	all.First = func() []string { return []string{a.Path} }
	for i := range f.Entries {
		one := dialect.Found{Level: all.Level}
		one.Ask(f.Entries[i].Sandbox, "")
		s.see(&one, f, &f.Entries[i])
		all.Files, all.Trees = append(all.Files, one.Artifact.Files...), append(all.Trees, one.Artifact.Trees...)
		all.Confined = all.Confined || one.Artifact.Confined
		all.Computed = cmp.Or(all.Computed, one.Artifact.Computed)
		all.Unseen, all.Capabilities = append(all.Unseen, one.Artifact.Unseen...), append(all.Capabilities, one.Artifact.Capabilities...)
	}
	return all
}

func agentLevel(a dialect.AgentFile) string {
	if a.Project {
		return "project"
	}
	return "user"
}

// AgentHooks makes hooks of the entries. What other files say of hooks as a whole counts for
// them too. None of them is a worker: that would have to end with the subagent.
func (s *finder) AgentHooks(ctx context.Context, a dialect.AgentFile, start dialect.AgentStart) ([]dialect.Found, []diag.Diagnostic) {
	f, digest, diags := readAgent(a)
	whole := s.agentArtifact(a, f)
	f.whole = &whole
	b := s.builder()
	b.AgentID, b.Group, b.Workers, b.Commands = start.ID, start.Group, nil, b.Commands.ready()
	set := newFileSet(append(slices.Clone(s.read), f)...)
	regs, more := set.registrationsOf(f, b)
	_, by := set.disabled(f)
	var out []dialect.Found
	for i := range f.Entries {
		one := s.found(ctx, f, &f.Entries[i], regs[i], whole.Level, by)
		if a.Project && one.Status == dialect.Active && !s.AllowFile(a.Path, digest) {
			one.Status, one.Why = dialect.Untrusted, "it changed while it was read"
		}
		out = append(out, one)
	}
	return out, append(diags, more...)
}

// readAgent reads the hooks of a subagent's file, and returns its digest. One that cannot be
// read has an entry that fails.
func readAgent(a dialect.AgentFile) (*Settings, string, []diag.Diagnostic) {
	opts := Options{Scope: ScopeAgent}
	data, err := frontmatter.ReadRegular(a.Path, defaultMaxSize)
	if err != nil {
		f, diags := lost(opts, diag.Diagnostic{Path: a.Path, Message: err.Error(), Remedy: "mend or remove the file"})
		return f, "", diags
	}
	f, diags := parseFrontmatter(a.Path, data, opts)
	sum := sha256.Sum256(data)
	return f, "sha256:" + hex.EncodeToString(sum[:]), diags
}
