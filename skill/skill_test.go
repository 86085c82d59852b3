package skill_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/skill"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const good = "---\nname: code-review\ndescription: >\n  How to review.\n  Use it often.\nallowed-tools: Read, Bash(git diff:*, git log:*)\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks: [{type: command, command: ./check.sh}]\nlicense: MIT\n---\nRead the diff.\n"

func TestParse(t *testing.T) {
	s, diags, err := skill.Parse(filepath.Join("skills", "code-review", "SKILL.md"), []byte(good))
	if err != nil || len(diags) != 0 {
		t.Fatal(diags, err)
	}
	if s.Title != "code-review" || s.Description != "How to review. Use it often." || s.Body != "Read the diff.\n" || s.BodyLine != 13 {
		t.Errorf("%+v", s)
	}
	if strings.Join(s.AllowedTools, "|") != "Read|Bash(git diff:*, git log:*)" {
		t.Errorf("%q", s.AllowedTools)
	}
	if string(s.Hooks) != `{"PreToolUse":[{"hooks":[{"command":"./check.sh","type":"command"}],"matcher":"Bash"}]}` {
		t.Errorf("%s", s.Hooks)
	}
	_, diags, err = skill.Parse(filepath.Join("skills", "other", "SKILL.md"), []byte(good))
	if err != nil || len(diags) != 1 || !strings.HasSuffix(diags[0].Position(), "SKILL.md:2:7") || diags[0].Severity != diag.Warning {
		t.Errorf("%+v, %v", diags, err)
	}
}

func TestFaultsAreLocated(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"not closed", "---\nname: x\n", "SKILL.md:1: the header is opened"},
		{"nothing to say", "---\nname: x\n---\n", "SKILL.md:1: the skill has neither"},
		{"hooks that cannot be read", "---\ndescription: use: it\nhooks: {}\n---\nText.\n", "SKILL.md:2:17"},
		{"tools that cannot be read", "---\ndescription: use: it\nallowed-tools: Read\n---\nText.\n", "SKILL.md:2:17"},
		{"users that cannot be read", "---\ndescription: use: it\ndisable-model-invocation: true\n---\nText.\n", "SKILL.md:2:17"},
		{"users that are no answer", "---\ndisable-model-invocation: maybe\n---\nText.\n", "SKILL.md:2:27: disable-model-invocation must be true or false"},
		{"control", "---\nname: x\ndescription: \"a\\x1bb\"\n---\n", "SKILL.md:3:14: description contains the control character U+001B"},
		{"direction", "---\nname: x\ndescription: \"a\\u202eb\"\n---\n", "U+202E"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := skill.Parse("SKILL.md", []byte(tt.src))
			if _, ok := errors.AsType[*diag.Diagnostic](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestRealSkills: what other hosts take is taken, and what is not as it should be is said.
func TestRealSkills(t *testing.T) {
	long := strings.Repeat("é", skill.MaxSummary+1)
	for _, tt := range []struct{ name, src, title, description, said string }{
		{"no header", "# Title\n\nFold\nit \x1b[31mtwice.\n", "fold", "Fold it [31mtwice.", ""},
		{"a heading alone", "# Fold it\n", "fold", "Fold it", ""},
		{"no name", "---\ndescription: d\n---\n", "fold", "d", ""},
		{"no description", "---\nname: fold\n---\nFold it.\n", "fold", "Fold it.", ""},
		{"empty description", "---\nname: fold\ndescription: \"\"\n---\nFold it.\n", "fold", "Fold it.", ""},
		{"null description", "---\nname: fold\ndescription:\n---\nFold it.\n", "fold", "Fold it.", "description must be text, not nothing"},
		{"a list for a description", "---\ndescription: [a]\n---\nFold it.\n", "fold", "Fold it.", "SKILL.md:2:14: description must be text, not a list"},
		{"a list for a name", "---\nname: [a]\ndescription: d\n---\n", "fold", "d", "SKILL.md:2:7: name must be text"},
		{"a long name", "---\nname: " + strings.Repeat("x", 65) + "\ndescription: d\n---\n", "fold", "d", "name has 65 characters"},
		{"a long description", "---\ndescription: " + long + "\n---\n", "fold", long, ""},
		{"a colon", "---\nname: fold\ndescription: use: it\n---\n", "fold", "use: it", "SKILL.md:3:17"},
		{"a colon, and what hides", "---\ndescription: use: \u202eit\n---\n", "fold", "use: it", "SKILL.md:2"},
	} {
		s, diags, err := skill.Parse(filepath.Join("fold", "SKILL.md"), []byte(tt.src))
		if err != nil || s.Title != tt.title || s.Description != tt.description || (len(diags) > 0) != (tt.said != "") || !strings.Contains(fmt.Sprint(diags), tt.said) {
			t.Errorf("%s: %+v, %q, %v", tt.name, s, diags, err)
		}
	}
	s, _, err := skill.Parse("SKILL.md", []byte("---\ndescription: "+long+"\n---\n"))
	if err != nil || len([]rune(s.Summary())) != skill.MaxSummary || !strings.HasSuffix(s.Summary(), "é…") {
		t.Errorf("%v %q", err, s.Summary())
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func text(name, description string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\nBody.\n", name, description)
}

func TestDiscover(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	dirs := []string{
		filepath.Join(project, ".hookline"), filepath.Join(project, ".kodelet"), filepath.Join(home, ".hookline"), filepath.Join(home, ".kodelet"),
	}
	for i, dir := range dirs {
		write(t, filepath.Join(dir, "skills", "pdf", "SKILL.md"), text("pdf", fmt.Sprintf("level %d", i)))
		write(t, filepath.Join(dir, "plugins", "acme@tools", "skills", "pdf", "SKILL.md"), text("pdf", fmt.Sprintf("plugin %d", i)))
	}
	write(t, filepath.Join(dirs[0], "skills", "broken", "SKILL.md"), "---\nname: x\n---\n") // which says nothing
	write(t, filepath.Join(dirs[3], "skills", "broken", "SKILL.md"), text("broken", "mended"))
	write(t, filepath.Join(dirs[0], "skills", "empty", "notes.md"), "x")
	write(t, filepath.Join(dirs[0], "skills", "a-file.md"), "x")
	claude := filepath.Join(dirs[0], "plugins", "acme@tools")
	write(t, filepath.Join(claude, "extra", "xlsx", "SKILL.md"), text("xlsx", "sheets"))
	write(t, filepath.Join(claude, ".claude-plugin", "plugin.json"), `{"name": "x", "skills": "./extra"}`)
	for _, base := range []string{project, home} {
		write(t, filepath.Join(base, ".claude", "skills", "pdf", "SKILL.md"), text("pdf", "shadowed"))
		write(t, filepath.Join(base, ".claude", "skills", "notes", "SKILL.md"), text("notes", "of "+filepath.Base(base)))
	}
	outside := filepath.Join(t.TempDir(), "secret")
	write(t, filepath.Join(outside, "SKILL.md"), text("secret", "d"))
	if err := os.Symlink(outside, filepath.Join(dirs[1], "skills", "secret")); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	if err := os.Symlink(outside, filepath.Join(dirs[2], "skills", "mine")); err != nil {
		t.Fatal(err)
	}

	// A directory elsewhere in the project is the project's; a file is not a skill because
	// a link calls it one.
	write(t, filepath.Join(project, ".agents", "skills", "linked", "SKILL.md"), text("linked", "d"))
	write(t, filepath.Join(dirs[0], "skills", "leak", "notes"), "x")
	write(t, filepath.Join(project, ".env"), "SECRET=1\n")
	if err := errors.Join(
		os.Symlink("../../.agents/skills/linked", filepath.Join(dirs[0], "skills", "linked")),
		os.Symlink("../../../.env", filepath.Join(dirs[0], "skills", "leak", "SKILL.md")),
	); err != nil {
		t.Fatal(err)
	}

	s, err := skill.Discover(t.Context(), skill.Options{Places: plugin.Places{ProjectDir: project, HomeDir: home, Layouts: layouts}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range s.Active() {
		names = append(names, k.Name)
	}
	if strings.Join(names, " ") != "acme/tools/pdf acme/tools/xlsx broken linked mine notes pdf" {
		t.Errorf("active %q", names)
	}
	for name, description := range map[string]string{"pdf": "level 0", "acme@tools/pdf": "plugin 0", "broken": "mended", "acme/tools/xlsx": "sheets", "notes": "of " + filepath.Base(project)} {
		if k, err := s.Lookup(name); err != nil || k.Description != description {
			t.Errorf("%s: %+v, %v", name, k, err)
		}
	}
	var said []string
	for _, d := range s.Diagnostics {
		said = append(said, d.Position()+" "+d.Message)
	}
	for _, want := range []string{filepath.Join("broken", "SKILL.md") + ":1 the skill has neither", "has no SKILL.md", "leads out", "called by its directory"} {
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("%q is not said in\n%s", want, strings.Join(said, "\n"))
		}
	}
	_, err = s.Lookup("xlsx")
	if e, ok := errors.AsType[*skill.NotFoundError](err); !ok || strings.Join(e.Similar, " ") != "acme/tools/xlsx" {
		t.Errorf("got %v", err)
	}
}

func TestResources(t *testing.T) {
	project := t.TempDir()
	dir := filepath.Join(project, ".hookline", "skills", "pdf")
	write(t, filepath.Join(dir, "SKILL.md"), text("pdf", "d"))
	write(t, filepath.Join(dir, "forms.md"), "forms")
	write(t, filepath.Join(dir, "scripts", "fill.py"), "fill")
	write(t, filepath.Join(dir, ".cache", "x"), "x")
	write(t, filepath.Join(project, "secret"), "secret")
	if err := os.Symlink(filepath.Join(project, "secret"), filepath.Join(dir, "link")); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	s, err := skill.Discover(t.Context(), skill.Options{Places: plugin.Places{ProjectDir: project}})
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Lookup("pdf")
	if err != nil {
		t.Fatal(err)
	}
	list, truncated, err := k.Resources(t.Context())
	if err != nil || truncated || len(list) != 2 || list[0].Path != "forms.md" || list[0].Size != 5 || list[1].Path != "scripts/fill.py" {
		t.Errorf("%+v, %t, %v", list, truncated, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{good, "---\nname: x\ndescription: d\n---\n", "---\nhooks: {a: [1, null, 1.5]}\n---\n", "x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, _, err := skill.Parse("SKILL.md", src)
		if err != nil {
			if _, ok := errors.AsType[*diag.Diagnostic](err); !ok {
				t.Fatalf("%T is not located: %v", err, err)
			}
			return
		}
		if s.Title == "" || s.Description == "" {
			t.Fatalf("%+v", s)
		}
	})
}

// layouts are those of other hosts, as dialects have them.
var layouts = []plugin.Layout{
	{Name: "kodelet", Dir: ".kodelet", Kinds: []string{"recipes", "skills"}, Plugins: true},
	{Name: "claude", Dir: ".claude", Kinds: []string{"skills", "commands"}},
}
