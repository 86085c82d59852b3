package permission_test

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

func Example() {
	settings, err := permission.ParseSettings([]byte(`{
		// what everybody may do here
		"permissions": {"allow": ["Bash(go test:*)"], "deny": ["Bash(rm:*)"]},
	}`), permission.ScopeUser, "settings.json")
	if err != nil {
		panic(err)
	}
	checker, err := permission.New(permission.Merge(permission.Config{ProjectDir: "/src"}, settings))
	if err != nil {
		panic(err)
	}
	for _, command := range []string{"go test ./...", "go test ./... && rm -rf out", "go install ./..."} {
		d := checker.Decide(permission.Request{
			Tool: "Bash", Input: hook.MustJSON(map[string]string{"command": command}), Cwd: "/src",
		})
		fmt.Printf("%s: %s\n", d.Decision, d.Reason)
		if d.Decision == hook.DecisionAsk {
			// The person answers "always".
			if err := checker.Apply(context.Background(), d.Suggestions...); err != nil {
				panic(err)
			}
			fmt.Println("from now on:", checker.Rules()[0])
		}
	}
	// Output:
	// allow: allow rule Bash(go test:*) (user, settings.json)
	// deny: deny rule Bash(rm:*) (user, settings.json): rm -rf out
	// ask: go install ./...: no rule allows it
	// from now on: allow rule Bash(go install *) (local)
}
