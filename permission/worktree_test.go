package permission_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// The worktree that a caller works in stands for the project, and what is forbidden
// in the project is forbidden in both.
func TestWorktreeTakesTheProjectsPlace(t *testing.T) {
	p := project(t)
	extra := t.TempDir()
	rules := append(entries(t, permission.Deny, permission.ScopeProject, "Read(./secret/**)", "Edit(./secret/**)"),
		entries(t, permission.Allow, permission.ScopeProject, "Edit(./docs/**)")...)
	c := checker(t, permission.Config{Mode: permission.ModeAcceptEdits, Rules: rules, ProjectDir: p, Directories: []string{extra}})
	for _, root := range []string{filepath.Join(p, ".claude", "worktrees", "a"), t.TempDir()} {
		for _, tt := range []struct {
			tool, path, want string
		}{
			{"Read", filepath.Join(root, "x.go"), "allow"},
			{"Read", filepath.Join(extra, "x.go"), "allow"},
			{"Read", filepath.Join(p, "x.go"), "ask"},
			{"Read", filepath.Join(root, "secret", "x"), "deny"},
			{"Read", filepath.Join(p, "secret", "x"), "deny"},
			{"Write", filepath.Join(root, "x.go"), "allow"},
			{"Write", filepath.Join(root, "docs", "x.md"), "allow"},
			{"Write", filepath.Join(p, "docs", "x.md"), "ask"},
			{"Write", filepath.Join(p, "x.go"), "ask"},
			{"Write", filepath.Join(root, "..", "b", "x.go"), "ask"},
			{"Write", filepath.Join(root, "secret", "x"), "deny"},
			{"Write", filepath.Join(root, ".claude", "settings.json"), "ask"},
		} {
			d := c.Decide(permission.Request{Tool: tt.tool, Input: obj("file_path", tt.path), Cwd: root, Root: root})
			if d.Decision.String() != tt.want {
				t.Errorf("%s %s: %v (%s), want %s", tt.tool, tt.path, d.Decision, d.Reason, tt.want)
			}
		}
		if d := c.Decide(permission.Request{Tool: "Bash", Input: obj("command", "cat x.go"), Root: root}); d.Decision.String() != "allow" {
			t.Errorf("reading at home: %v (%s)", d.Decision, d.Reason)
		}
		if d := c.Decide(permission.Request{Tool: "Bash", Input: obj("command", "cd "+filepath.ToSlash(p)+" && touch x"), Cwd: root, Root: root}); d.Decision.String() != "ask" {
			t.Errorf("writing elsewhere: %v (%s)", d.Decision, d.Reason)
		}
	}
}

// A checkout runs what the repository's own settings name, so that a rule has to allow it.
func TestWorktreesNeedARule(t *testing.T) {
	p := project(t)
	if d := checker(t, permission.Config{ProjectDir: p}).Decide(permission.Request{Tool: "EnterWorktree", Input: hook.RawJSON(`{}`), Cwd: p}); d.Decision != hook.DecisionAllow {
		t.Errorf("without a repository: %v (%s)", d.Decision, d.Reason)
	}
	repository(t, filepath.Join(p, ".git"))
	for _, rules := range [][]string{nil, {"EnterWorktree"}} {
		d := checker(t, permission.Config{ProjectDir: p, Rules: entries(t, permission.Allow, permission.ScopeUser, rules...)}).Decide(permission.Request{Tool: "EnterWorktree", Input: hook.RawJSON(`{}`), Cwd: p})
		if want := map[int]string{0: "ask", 1: "allow"}[len(rules)]; d.Decision.String() != want || want == "ask" && !strings.Contains(d.Reason, "settings of the repository") {
			t.Errorf("with rules %q: %v (%s)", rules, d.Decision, d.Reason)
		}
	}
}

func TestToolsForWorktrees(t *testing.T) {
	c := checker(t, permission.Config{ProjectDir: project(t)})
	for _, tt := range []struct{ tool, input, want string }{
		{"EnterWorktree", `{"name":"x"}`, "allow"}, // there is no repository
		{"ExitWorktree", `{"action":"remove"}`, "allow"},
		{"ExitWorktree", `{"action":"remove","discard_changes":false}`, "allow"},
		{"ExitWorktree", `{"action":"remove","discard_changes":true}`, "ask"},
		{"ExitWorktree", `{"action":"remove","discard_changes":false,"discard_changes":true}`, "ask"},
	} {
		if d := c.Decide(permission.Request{Tool: tt.tool, Input: hook.RawJSON(tt.input)}); d.Decision.String() != tt.want {
			t.Errorf("%s %s: %v (%s)", tt.tool, tt.input, d.Decision, d.Reason)
		}
	}
}
