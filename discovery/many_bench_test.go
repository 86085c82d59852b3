package discovery_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// entries is the text of a settings file with many hooks, of which one matches Bash.
func entries(n int) string {
	var out []string
	for i := range n {
		matcher := fmt.Sprintf("Tool%d.*", i)
		if i == n/2 {
			matcher = "Bash"
		}
		out = append(out, fmt.Sprintf(`{"matcher": %q, "hooks": [{"type": "command", "name": "h%d", "command": "test -n %d || \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/h%d.sh", "timeout": 10, "if": "Bash(git push %d)"}]}`, matcher, i, i, i%50, i))
	}
	return `{"hooks": {"PreToolUse": [` + strings.Join(out, ",\n") + `]}}`
}

// BenchmarkTenThousand reads and parses a settings file with 10,000 hooks, and finds its
// hooks and fires an event that one of them is for: of the person, and of a project, with
// an approval of each.
func BenchmarkTenThousand(b *testing.B) {
	text := entries(10_000)
	b.Run("parse", func(b *testing.B) {
		p := newPlace(b)
		path := p.write(p.dirs.Project, ".claude/settings.json", text)
		for b.Loop() {
			s, _, err := claude.ReadSettings(path, claude.Options{})
			if err != nil || len(s.Entries) != 10_000 {
				b.Fatal(err)
			}
		}
	})
	for _, level := range []string{"person", "project"} {
		b.Run(level, func(b *testing.B) {
			p := newPlace(b)
			dir := map[string]string{"person": p.dirs.Home, "project": p.dirs.Project}[level]
			p.write(dir, ".claude/settings.json", text)
			for i := range 50 {
				p.write(p.dirs.Project, fmt.Sprintf(".claude/hooks/h%d.sh", i), "#!/bin/sh\n")
			}
			store := trust.NewStore(filepath.Join(p.dirs.State, "trust"))
			change := func(o *discovery.Options) { o.Gate = nil }
			set, err := p.loader(change).Load(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			var all []trust.Artifact
			for i := range set.Hooks {
				all = append(all, set.Hooks[i].Artifact)
			}
			if _, err := store.Approve(b.Context(), trust.ApproveOptions{}, all...); err != nil {
				b.Fatal(err)
			}
			in := func() *hook.PreToolUse {
				return &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": "git push 5000"})}
			}
			for b.Loop() {
				e, _ := p.register(p.loader(change, func(o *discovery.Options) { o.For = in() }))
				out := p.fire(e, in())
				if len(out.Runs) != 1 {
					b.Fatal(len(out.Runs))
				}
			}
		})
	}
}
