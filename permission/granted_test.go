package permission_test

import (
	"testing"

	"github.com/hookline-dev/hookline/permission"
)

// What is granted for one call counts as an allow rule of the session, and as
// nothing else.
func TestGranted(t *testing.T) {
	p := project(t)
	rules := entries(t, permission.Deny, permission.ScopeUser, "Bash(git push:*)")
	rules = append(rules, entries(t, permission.Ask, permission.ScopeUser, "Bash(git tag:*)")...)
	var granted []permission.Rule
	for _, e := range entries(t, permission.Allow, permission.ScopeSession, "Bash(git:*)", "Write", "mcp__srv__read") {
		granted = append(granted, e.Rule)
	}
	tests := []struct {
		mode         permission.Mode
		tool, input  string
		without, now string
	}{
		{"", "Bash", "git commit -m x", "ask", "allow"},
		{"", "Bash", "git commit -m x && rm y", "ask", "ask"},
		{"", "Bash", "git push", "deny", "deny"},
		{"", "Bash", "git tag v1", "ask", "ask"},
		{"", "Write", p + "/a.txt", "ask", "allow"},
		{"", "Write", p + "/.git/hooks/x", "ask", "ask"},
		{"", "mcp__srv__read", "", "ask", "allow"},
		{"", "mcp__srv__write", "", "ask", "ask"},
		{permission.ModeDontAsk, "Bash", "git commit -m x", "deny", "allow"},
		{permission.ModeDontAsk, "Bash", "git tag v1", "deny", "deny"},
		{permission.ModePlan, "Bash", "git commit -m x", "ask", "ask"},
		{permission.ModePlan, "Write", p + "/a.txt", "deny", "deny"},
	}
	for _, tt := range tests {
		c := checker(t, permission.Config{Mode: tt.mode, Rules: rules, ProjectDir: p})
		req := permission.Request{Tool: tt.tool, Input: obj("command", tt.input), Cwd: p}
		if tt.tool == "Write" {
			req.Input = obj("file_path", tt.input, "content", "x")
		}
		if d := c.Decide(req); d.Decision.String() != tt.without {
			t.Errorf("%s %s in mode %q without a grant: %v (%s), want %s", tt.tool, tt.input, tt.mode, d.Decision, d.Reason, tt.without)
		}
		req.Granted = granted
		if d := c.Decide(req); d.Decision.String() != tt.now {
			t.Errorf("%s %s in mode %q: %v (%s), want %s", tt.tool, tt.input, tt.mode, d.Decision, d.Reason, tt.now)
		}
		req.Granted = nil
		if d := c.Decide(req); d.Decision.String() != tt.without {
			t.Errorf("%s %s: the grant stayed", tt.tool, tt.input)
		}
	}
}
