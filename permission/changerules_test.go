package permission_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// A settings file that has changed: what it says no more goes, what it says now comes,
// and what was granted during the session stays.
func TestChangeRules(t *testing.T) {
	old := entries(t, permission.Allow, permission.ScopeUser, "Bash(a:*)", "Bash(b:*)")
	other := entries(t, permission.Deny, permission.ScopeManaged, "Bash(b:*)")
	c := checker(t, permission.Config{Rules: append(slices.Clone(old), other...), ProjectDir: project(t)})
	err := c.Apply(context.Background(), hook.PermissionUpdate{
		Type: permission.AddRules, Behavior: string(permission.Allow), Rules: []hook.PermissionRule{{ToolName: "Bash", RuleContent: "s:*"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.ChangeRules(old[:1], append(entries(t, permission.Deny, permission.ScopeUser, "Bash(c:*)"), old[1]))
	var got []string
	for _, e := range c.Rules() {
		got = append(got, e.String())
	}
	want := []string{
		"deny rule Bash(b:*) (managed, managed.json)", "allow rule Bash(s:*) (session)",
		"allow rule Bash(b:*) (user, user.json)", "deny rule Bash(c:*) (user, user.json)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
