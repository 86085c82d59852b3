package permission_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

func add(behavior string, rules ...string) hook.PermissionUpdate {
	u := hook.PermissionUpdate{Type: permission.AddRules, Behavior: behavior, Destination: permission.LocalSettings}
	for _, r := range rules {
		tool, content, _ := strings.Cut(strings.TrimSuffix(r, ")"), "(")
		u.Rules = append(u.Rules, hook.PermissionRule{ToolName: tool, RuleContent: content})
	}
	return u
}

func TestFileStoreEdits(t *testing.T) {
	replace := add("allow", "Bash(c)", "Bash(a)")
	replace.Type = permission.ReplaceRules
	remove := add("allow", "Bash(a)")
	remove.Type = permission.RemoveRules
	dirs := hook.PermissionUpdate{Type: permission.AddDirectories, Directories: []string{filepath.FromSlash("/x/y")}, Destination: permission.LocalSettings}
	mode := hook.PermissionUpdate{Type: permission.SetMode, Mode: "plan", Destination: permission.LocalSettings}
	tests := []struct {
		name, before string
		update       hook.PermissionUpdate
		want         string
	}{
		{
			"new file", "", add("allow", "Bash(git status:*)"),
			"{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(git status:*)\"\n    ]\n  }\n}\n",
		},
		{
			"comments and layout are kept",
			"// mine\n{\n\t\"hooks\": {}, // keep\n\t\"permissions\": {\n\t\t\"deny\": [\"Bash(rm:*)\"],\n\t\t\"allow\": [\n\t\t\t// reading\n\t\t\t\"Bash(a)\" // first\n\t\t]\n\t}\n}\n",
			add("allow", "Bash(b)", "Bash(a)"),
			"// mine\n{\n\t\"hooks\": {}, // keep\n\t\"permissions\": {\n\t\t\"deny\": [\"Bash(rm:*)\"],\n\t\t\"allow\": [\n\t\t\t// reading\n\t\t\t\"Bash(a)\", // first\n\t\t\t\"Bash(b)\"\n\t\t]\n\t}\n}\n",
		},
		{
			"one line", `{"permissions":{"allow":["Bash(a)"]}}`, add("allow", "Bash(b)"),
			`{"permissions":{"allow":["Bash(a)", "Bash(b)"]}}`,
		},
		{
			"trailing commas", "{\"permissions\": {\"allow\": [\n  \"Bash(a)\",\n],},}", add("allow", "Bash(b)"),
			"{\"permissions\": {\"allow\": [\n  \"Bash(a)\",\n  \"Bash(b)\"\n],},}",
		},
		{
			"another behavior", `{"permissions":{"allow":[]}}`, add("deny", "Bash(b)"),
			"{\"permissions\":{\"allow\":[],\"deny\": [\n      \"Bash(b)\"\n    ]}}",
		},
		{"already there", `{"permissions":{"allow":["Bash(a)"]}}`, add("allow", "Bash(a)"), `{"permissions":{"allow":["Bash(a)"]}}`},
		{"remove", `{"permissions":{"allow":["Bash(a)","Bash(b)"]}}`, remove, `{"permissions":{"allow":["Bash(b)"]}}`},
		{"remove what isn't there", `{"a":1}`, remove, `{"a":1}`},
		{"replace", `{"permissions":{"allow":["Bash(a)","Bash(b)"]}}`, replace, `{"permissions":{"allow":["Bash(a)", "Bash(c)"]}}`},
		{"mode", `{"permissions":{"defaultMode":"default"}}`, mode, `{"permissions":{"defaultMode":"plan"}}`},
		{
			"directories", `{}`, dirs,
			"{\n  \"permissions\": {\n    \"additionalDirectories\": [\n      \"" + strings.ReplaceAll(filepath.FromSlash("/x/y"), `\`, `\\`) + "\"\n    ]\n  }\n}",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "directories" && runtime.GOOS == "windows" {
				t.Skip("the path is not absolute there")
			}
			file := filepath.Join(t.TempDir(), "sub", "settings.json")
			if tt.before != "" {
				if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(tt.before), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := (&permission.FileStore{Local: file}).Update(t.Context(), tt.update)
			if err != nil || got != file {
				t.Fatalf("Update = %q, %v", got, err)
			}
			after, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", after, tt.want)
			}
			if info, _ := os.Stat(file); tt.before != "" && runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("mode changed to %v", info.Mode())
			}
			if _, err := permission.ParseSettings(after, permission.ScopeLocal, file); err != nil {
				t.Errorf("the result doesn't read back: %v", err)
			}
		})
	}
}

func TestFileStoreRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"broken": `{"permissions":`, "array": `[]`, "twice": `{"permissions":{},"permissions":{}}`,
		"wrong": `{"permissions":{"allow":{}}}`, "wrong2": `{"permissions":3}`,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := (&permission.FileStore{Local: file}).Update(t.Context(), add("allow", "Bash(a)")); err == nil {
			t.Errorf("%s: edited without an error", name)
		}
		if after, _ := os.ReadFile(file); string(after) != content {
			t.Errorf("%s: changed to %s", name, after)
		}
	}
	if _, err := (&permission.FileStore{}).Update(t.Context(), add("allow", "Bash(a)")); err == nil {
		t.Error("an update without a file succeeded")
	}
}

func TestFileStoreWritesThroughLinks(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(real, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, err := (&permission.FileStore{Local: link}).Update(t.Context(), add("allow", "Bash(a)")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
	if b, _ := os.ReadFile(real); !strings.Contains(string(b), "Bash(a)") {
		t.Errorf("the file behind the link holds %s", b)
	}
}

func TestFileStoreLosesNothingTogether(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	const n = 40
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			// A store of its own each time, as separate processes have.
			if _, err := (&permission.FileStore{User: file}).Update(t.Context(), hook.PermissionUpdate{
				Type: permission.AddRules, Behavior: "allow", Destination: permission.UserSettings,
				Rules: []hook.PermissionRule{{ToolName: "Bash", RuleContent: fmt.Sprint("cmd", i)}},
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := permission.ParseSettings(b, permission.ScopeUser, file)
	if err != nil || len(s.Rules) != n || len(s.Problems) != 0 {
		t.Errorf("%d rules, problems %v, error %v; want %d rules", len(s.Rules), s.Problems, err, n)
	}
}

func TestParseSettings(t *testing.T) {
	s, err := permission.ParseSettings([]byte(`{
  // comment
  "permissions": {
    "allow": ["Bash(ls)", 3, "Bash("],
    "deny": ["Read(./.env)", "Bad Name"],
    "ask": "Bash",
    "defaultMode": "acceptEdits",
    "additionalDirectories": ["/x"],
    "disableBypassPermissionsMode": "disable",
    "other": 1,
  },
  "hooks": {"x": 1},
}`), permission.ScopeProject, "s.json")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, r := range s.Rules {
		rules = append(rules, r.String())
	}
	if got := strings.Join(rules, "\n"); got != "deny rule Read(./.env) (project, s.json)\nallow rule Bash(ls) (project, s.json)" {
		t.Errorf("rules:\n%s", got)
	}
	var problems []string
	for _, p := range s.Problems {
		problems = append(problems, fmt.Sprintf("%s %v", p.Pointer, p.Severity == diag.Error))
	}
	if got := strings.Join(problems, "\n"); got != "/permissions/deny/1 true\n/permissions/ask true\n/permissions/allow/1 false\n/permissions/allow/2 false" {
		t.Errorf("problems:\n%s", got)
	}
	if s.Mode != permission.ModeAcceptEdits || !s.NoBypass || len(s.Directories) != 1 {
		t.Errorf("mode %q, no bypass %v, directories %v", s.Mode, s.NoBypass, s.Directories)
	}
	u := s.Untrusted()
	if len(u.Rules) != 1 || u.Rules[0].Behavior != permission.Deny || u.Mode != "" || u.Directories != nil || !u.NoBypass {
		t.Errorf("untrusted settings keep %+v", u)
	}
	for _, bad := range []string{`{"permissions":{"allow":[],"allow":[]}}`, `{"permissions":[]}`, `{`, "{\"a\":\"\xff\"}"} {
		if _, err := permission.ParseSettings([]byte(bad), permission.ScopeUser, "x"); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

func TestMergeKeepsBypassOutOfProjects(t *testing.T) {
	set := func(scope permission.Scope, mode permission.Mode) permission.Settings {
		return permission.Settings{Scope: scope, Mode: mode}
	}
	tests := []struct {
		settings []permission.Settings
		want     permission.Mode
	}{
		{[]permission.Settings{set(permission.ScopeProject, permission.ModeBypass)}, ""},
		{[]permission.Settings{set(permission.ScopeUser, permission.ModePlan), set(permission.ScopeLocal, permission.ModeBypass)}, permission.ModePlan},
		{[]permission.Settings{set(permission.ScopeUser, permission.ModeBypass)}, permission.ModeBypass},
		{[]permission.Settings{set(permission.ScopeUser, permission.ModePlan), set(permission.ScopeManaged, permission.ModeDontAsk)}, permission.ModeDontAsk},
		{[]permission.Settings{set(permission.ScopeUser, permission.ModeBypass), {Scope: permission.ScopeManaged, NoBypass: true}}, permission.ModeDefault},
	}
	for i, tt := range tests {
		if got := permission.Merge(permission.Config{}, tt.settings...).Mode; got != tt.want {
			t.Errorf("case %d: mode %q, want %q", i, got, tt.want)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, s := range []string{`{"permissions":{"allow":["Bash(a)"],"deny":[1]}}`, `{}`, `[]`, `{"permissions":{"defaultMode":"plan",},}`, "/* */{}", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := permission.ParseSettings(data, permission.ScopeUser, "f")
		if err != nil || len(first.Problems) > 0 {
			return
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "f")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		u := add("allow", "Bash(added)")
		if _, err := (&permission.FileStore{Local: file}).Update(t.Context(), u); err != nil {
			return
		}
		after, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		second, err := permission.ParseSettings(after, permission.ScopeUser, "f")
		if err != nil {
			t.Fatalf("after the edit of %q:\n%s\n%v", data, after, err)
		}
		if n := len(second.Rules) - len(first.Rules); n != 0 && n != 1 {
			t.Fatalf("%d rules more after adding one to %q:\n%s", n, data, after)
		}
	})
}
