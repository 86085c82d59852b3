package toolrule_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/internal/toolrule"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"Bash", "Bash(git:*)", "Read(./a/**)", "WebFetch(domain:a.b)", "mcp__a__*", "Edit({a,[b]})", "Bash(\"a", "(", "Bash())", "Edit(\\)"} {
		f.Add(seed, "git status; x")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		r, err := toolrule.Parse(text)
		if err != nil {
			return
		}
		again, err := toolrule.Parse(r.String())
		if err != nil || !again.Equal(r) {
			t.Fatalf("Parse(%q) prints as %q, which parses as %v, %v", text, r, again, err)
		}
		raw, err := json.Marshal(map[string]string{"command": value, "file_path": value, "url": value, "skill": value})
		if err != nil {
			return
		}
		for _, tool := range []string{"Bash", "Read", "WebFetch", "Skill"} {
			call := toolrule.Call{Tool: tool, Input: raw, Cwd: "/nowhere", Home: "/nobody"}
			if r.Covers(call).Answer == toolrule.Yes && r.Match(call).Answer == toolrule.No {
				t.Fatalf("%s covers %s %q but doesn't match it", r, tool, value)
			}
			toolrule.MatchIf(r, call)
		}
	})
}
