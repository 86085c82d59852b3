package claude_test

import (
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
)

func TestAddHook(t *testing.T) {
	out, err := claude.AddHook(nil, hook.EventStop, "", "a", "echo a")
	if err != nil || !strings.HasPrefix(string(out), "{\n  \"hooks\": {\n    \"Stop\": [") {
		t.Fatalf("%s, %v", out, err)
	}
	commented := []byte("{\n  // keep me\n  \"model\": \"x\",\n  \"hooks\": {\"Stop\": [{\"hooks\": []}]}\n}\n")
	out, err = claude.AddHook(commented, hook.EventStop, "", "b", "echo b")
	if err != nil || !strings.Contains(string(out), "// keep me") {
		t.Fatalf("%s, %v", out, err)
	}
	out, err = claude.AddHook(out, hook.EventPreToolUse, "", "c", "echo c")
	if err != nil {
		t.Fatal(err)
	}
	s, diags := claude.ParseSettings("x", out, claude.Options{Scope: claude.ScopeUser})
	if len(diags) != 0 || len(s.Entries) != 2 || s.Entries[0].Command != "echo b" || s.Entries[1].Command != "echo c" {
		t.Errorf("%v %+v\n%s", diags, s.Entries, out)
	}
	for _, bad := range []string{`{`, `{"hooks":[]}`, `{"hooks":{"Stop":{}}}`} {
		if out, err := claude.AddHook([]byte(bad), hook.EventStop, "", "a", "b"); err == nil {
			t.Errorf("%s became %s", bad, out)
		}
	}
}
