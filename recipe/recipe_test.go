package recipe_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/recipe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const review = `---
name: Review
description: reviews a branch
model: fast
arguments:
  branch: {description: what to review}
  focus: {description: what to look for, default: everything}
  depth: 3
defaults:
  focus: bugs
  extra:
allowed_tools: [bash, file_read]
allowed_commands: "git *, go test"
hooks:
  turn_end: {handler: swap_context, once: true}
  agent_stop:
    - handler: one
    - {handler: two}
colour: red
---
Review {{.branch}} for {{.focus}} at {{.depth}}{{.extra}}.
{{if .note}}Note: {{.note}}.{{end}}{{default .tone "Be kind."}}
`

func parse(t *testing.T, format recipe.Format, src string) *recipe.Recipe {
	t.Helper()
	r, _, err := recipe.Parse("review", "review.md", format, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHeader(t *testing.T) {
	r, diags, err := recipe.Parse("review", "review.md", recipe.Template, []byte(review))
	if err != nil {
		t.Fatal(err)
	}
	if r.Title != "Review" || r.Description != "reviews a branch" || r.Model != "fast" || r.BodyLine != 21 {
		t.Errorf("%+v", r)
	}
	wantArgs := []recipe.Argument{
		{Name: "branch", Description: "what to review"},
		{Name: "focus", Description: "what to look for", Default: "bugs", HasDefault: true},
		{Name: "depth", Default: "3", HasDefault: true},
		{Name: "extra", HasDefault: true},
	}
	if !reflect.DeepEqual(r.Arguments, wantArgs) {
		t.Errorf("arguments %+v", r.Arguments)
	}
	wantHooks := []recipe.Hook{
		{Event: "turn_end", Handler: "swap_context", Once: true, Line: 15, Column: 3},
		{Event: "agent_stop", Handler: "one", Line: 16, Column: 3},
		{Event: "agent_stop", Handler: "two", Line: 16, Column: 3},
	}
	if !reflect.DeepEqual(r.Hooks, wantHooks) || r.Position(r.Hooks[0]) != "review.md:15:3" {
		t.Errorf("hooks %+v", r.Hooks)
	}
	if strings.Join(r.AllowedTools, "|") != "bash|file_read" || strings.Join(r.AllowedCommands, "|") != "git *|go test" {
		t.Errorf("allowed %q %q", r.AllowedTools, r.AllowedCommands)
	}
	if len(diags) != 1 || diags[0].Position() != "review.md:19:1" || !strings.Contains(diags[0].Message, "colour") {
		t.Errorf("%+v", diags)
	}
	if r := parse(t, recipe.Template, "---\nallowed_tools: []\n---\n"); r.AllowedTools == nil || len(r.AllowedTools) != 0 || r.AllowedCommands != nil {
		t.Errorf("no tools: %#v, all commands: %#v", r.AllowedTools, r.AllowedCommands)
	}
}

func TestRender(t *testing.T) {
	r := parse(t, recipe.Template, review)
	got, err := r.Render(t.Context(), recipe.RenderOptions{Args: map[string]string{"branch": "main {{.focus}}", "note": "hurry"}})
	if err != nil || got != "Review main {{.focus}} for bugs at 3.\nNote: hurry.Be kind.\n" {
		t.Errorf("%q, %v", got, err)
	}
	_, err = r.Render(t.Context(), recipe.RenderOptions{})
	if e, ok := errors.AsType[*recipe.MissingArgumentError](err); !ok || strings.Join(e.Names, " ") != "branch" || !strings.Contains(err.Error(), "--arg branch=") {
		t.Errorf("got %v", err)
	}
	_, err = r.Render(t.Context(), recipe.RenderOptions{Args: map[string]string{"branch": "x", "focsu": "y"}})
	if e, ok := errors.AsType[*recipe.UnknownArgumentError](err); !ok || e.Name != "focsu" || !strings.Contains(err.Error(), "focus") {
		t.Errorf("got %v", err)
	}
	undeclared := parse(t, recipe.Template, "---\ndescription: d\n---\nHello\n{{.name}}\n")
	_, err = undeclared.Render(t.Context(), recipe.RenderOptions{})
	if e, ok := errors.AsType[*recipe.MissingArgumentError](err); !ok || e.Names[0] != "name" || !strings.HasPrefix(err.Error(), "review.md:5:") {
		t.Errorf("got %v", err)
	}
	branches := parse(t, recipe.Template, `{{if eq .kind "bug"}}{{.issue}}{{else}}{{with .x}}{{.}}{{end}}none{{end}} {{$.kind}}`)
	if got, err := branches.Render(t.Context(), recipe.RenderOptions{}); err != nil || got != "none " {
		t.Errorf("an argument of a branch not taken: %q, %v", got, err)
	}
}

func TestRenderRunsOnlyWhatItMay(t *testing.T) {
	r := parse(t, recipe.Template, "a\n{{bash \"git\" \"status\" .x}}\n")
	args := map[string]string{"x": "$(date); rm"}
	if _, err := r.Render(t.Context(), recipe.RenderOptions{Args: args}); err == nil || !strings.HasPrefix(err.Error(), "review.md:2:") || !strings.Contains(err.Error(), "not allowed") {
		t.Errorf("got %v", err)
	}
	var ran []string
	exec := func(_ context.Context, argv []string) (string, error) {
		ran = argv
		return "clean\n", nil
	}
	got, err := r.Render(t.Context(), recipe.RenderOptions{Args: args, Exec: exec})
	if err != nil || got != "a\nclean\n" || !reflect.DeepEqual(ran, []string{"git", "status", "$(date); rm"}) {
		t.Errorf("%q, %v, ran %q", got, err, ran)
	}
	failing := func(context.Context, []string) (string, error) { return "", errors.New("exit 1") }
	got, err = r.Render(t.Context(), recipe.RenderOptions{Args: args, Exec: failing})
	if err != nil || !strings.Contains(got, "[ERROR executing command 'git status $(date); rm': exit 1]") {
		t.Errorf("%q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelling := func(context.Context, []string) (string, error) { cancel(); return "", ctx.Err() }
	if _, err = r.Render(ctx, recipe.RenderOptions{Args: args, Exec: cancelling}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// What is in a value is not looked at again.
func TestPromptTemplates(t *testing.T) {
	for body, want := range map[string]string{
		"$1, $2. $3!": "a $2, b c. !", "$@ of $ARGUMENTS": "a $2 b c of a $2 b c", "$0 $100 $x": "  $x",
		"${1:-none} ${3:-no ne} ${@:-x}": "a $2 no ne a $2 b c", "${@:2} ${@:0} ${@:1:1} ${@:9}.": "b c a $2 b c a $2 .",
		"!`false` plain": "!`false` plain",
	} {
		r, _, err := recipe.Parse("p", "p.md", recipe.Prompt, []byte("---\ndescription: d\n---\n"+body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Render(t.Context(), recipe.RenderOptions{Args: map[string]string{"ARGUMENTS": `'a $2' "b c"`}})
		if err != nil || got != want {
			t.Errorf("%s is %q, want %q: %v", body, got, want, err)
		}
	}
}

func TestCommands(t *testing.T) {
	header := "---\nallowed-tools: Bash(git add:*, git rm:*), Read Grep\nargument-hint: [issue] [priority]\ndescription: d\n---\n"
	// An unquoted hint of two lists is not YAML; it is reported as what it is.
	if _, _, err := recipe.Parse("c", "c.md", recipe.Command, []byte(header)); err == nil || !strings.HasPrefix(err.Error(), "c.md:3:") {
		t.Errorf("got %v", err)
	}
	r := parse(t, recipe.Command, strings.Replace(header, "[issue] [priority]", "[issue]", 1)+"Fix $0 ($1) of $ARGUMENTS; {{literal}} $ARGUMENTS[1] $HOME $2 $ARGUMENTS[2]\n")
	if strings.Join(r.AllowedTools, "|") != "Bash(git add:*, git rm:*)|Read|Grep" || r.ArgumentHint != "[issue]" {
		t.Errorf("%q %q", r.AllowedTools, r.ArgumentHint)
	}
	got, err := r.Render(t.Context(), recipe.RenderOptions{Positional: []string{"a $2", "b"}})
	if err != nil || got != "Fix a $2 (b) of a $2 b; {{literal}} b $HOME $2 $ARGUMENTS[2]\n" {
		t.Errorf("%q, %v", got, err)
	}
	got, err = r.Render(t.Context(), recipe.RenderOptions{Args: map[string]string{"1": "two"}})
	if err != nil || !strings.HasPrefix(got, "Fix  (two) of  two;") {
		t.Errorf("%q, %v", got, err)
	}
	plain := parse(t, recipe.Command, "Fix it.\n")
	got, err = plain.Render(t.Context(), recipe.RenderOptions{Args: map[string]string{"ARGUMENTS": "now please"}})
	if err != nil || got != "Fix it.\n\nARGUMENTS: now please\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := plain.Render(t.Context(), recipe.RenderOptions{Args: map[string]string{"x": "y"}}); err == nil {
		t.Error("an unknown name passed")
	}
	whole := func(args string) recipe.RenderOptions {
		return recipe.RenderOptions{Args: map[string]string{"ARGUMENTS": args}}
	}
	named := parse(t, recipe.Command, "---\narguments: first second\n---\n$first, $second, $firstly\n")
	for args, want := range map[string]string{`a\ "b" 'c "d'\\ e`: "a b, c \"d\\, $firstly\n", `a "b`: "a, \"b, $firstly\n", `''`: ", , $firstly\n"} {
		if got, err := named.Render(t.Context(), whole(args)); err != nil || got != want {
			t.Errorf("%s: %q, %v", args, got, err)
		}
	}
	if got, err := named.Render(t.Context(), recipe.RenderOptions{Args: map[string]string{"second": "x"}}); err != nil || got != ", x, $firstly\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLinesForAShell(t *testing.T) {
	r := parse(t, recipe.Command, "On !`git log $0`, not x!`y`.\n!`fail` $0\n")
	o := recipe.RenderOptions{Args: map[string]string{"ARGUMENTS": "-1"}}
	if _, err := r.Render(t.Context(), o); err == nil || !strings.Contains(err.Error(), "not allowed here") {
		t.Errorf("got %v", err)
	}
	o.Shell = func(_ context.Context, line string) (string, error) {
		if line == "fail" {
			return "", errors.New("exit 1")
		}
		return "<" + line + "> $0\n", nil
	}
	want := "On <git log -1> $0, not x!`y`.\n[ERROR executing command 'fail': exit 1] -1\n"
	if got, err := r.Render(t.Context(), o); err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestFaultsAreLocated(t *testing.T) {
	deep := "{{define \"t0\"}}{{end}}"
	for i := 1; i < 20; i++ {
		deep += fmt.Sprintf("{{define \"t%d\"}}{{template \"t%d\"}}{{template \"t%d\"}}{{end}}", i, i-1, i-1)
	}
	tests := []struct{ name, src, want string }{
		{"syntax", "---\nname: x\n---\none\n{{.a\n", "f.md:5: template: unclosed action"},
		{"unknown function", "---\nname: x\n---\n{{shell \"x\"}}\n", "f.md:4: template: function \"shell\" not defined; use bash"},
		{"range", "a\n{{range 99999999}}{{end}}", "f.md:2:9: template: range"},
		{"recursion", "{{define \"a\"}}{{template \"a\"}}{{end}}{{template \"a\"}}", "f.md:1:"},
		{"multiplying", deep + "{{template \"t19\"}}", "call each other too often"},
		{"handler missing", "---\nhooks:\n  turn_end: {once: true}\n---\n", "f.md:3:13: hooks.turn_end names no handler"},
		{"hook is text", "---\nhooks:\n  turn_end: swap_context\n---\n", "f.md:3:13: hooks.turn_end must be a map"},
		{"hooks is a list", "---\nhooks: [a]\n---\n", "f.md:2:8: hooks must be a map"},
		{"once is text", "---\nhooks:\n  turn_end: {handler: x, once: \"yes\"}\n---\n", "f.md:3:32: once must be true or false"},
		{"hook key", "---\nhooks:\n  turn_end: {handler: x, onse: true}\n---\n", `f.md:3:26: hooks.turn_end has no "onse"`},
		{"argument name", "---\narguments:\n  a-b: x\n---\n", "f.md:3:8: argument name \"a-b\""},
		{"argument key", "---\narguments:\n  a: {defualt: x}\n---\n", `f.md:3:16: argument a has no "defualt"`},
		{"argument twice", "---\narguments: [a, a]\n---\n", `f.md:2:12: argument "a" is given twice`},
		{"tools", "---\nallowed_tools: {a: b}\n---\n", "f.md:2:16: allowed_tools must be a list"},
		{"description", "---\ndescription: [a]\n---\n", "f.md:2:14: description must be text"},
		{"header", "---\nname: a: b\n---\n", "f.md:2:8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := recipe.Parse("f", "f.md", recipe.Template, []byte(tt.src))
			if _, ok := errors.AsType[*diag.Diagnostic](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRenderingIsBounded(t *testing.T) {
	double := "{{$a := .x}}" + strings.Repeat(`{{$a = printf "%s%s" $a $a}}`, 60)
	for name, src := range map[string]string{"doubling": double, "output": strings.Repeat("{{.x}}", 5)} {
		r := parse(t, recipe.Template, src)
		_, err := r.Render(t.Context(), recipe.RenderOptions{Args: map[string]string{"x": strings.Repeat("x", 1<<20)}})
		if _, ok := errors.AsType[*diag.Diagnostic](err); !ok || !strings.Contains(err.Error(), "4 MiB") {
			t.Errorf("%s: %v", name, err)
		}
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

func TestPrecedenceAndNames(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	dirs := []string{
		filepath.Join(project, ".hookline", "recipes"), filepath.Join(project, ".kodelet", "recipes"),
		filepath.Join(home, ".hookline", "recipes"), filepath.Join(home, ".kodelet", "recipes"),
	}
	for i, dir := range dirs {
		write(t, filepath.Join(dir, "review.md"), fmt.Sprintf("---\ndescription: level %d\n---\n", i))
		write(t, filepath.Join(dir, "deep", fmt.Sprintf("only%d.md", i)), "x\n")
	}
	write(t, filepath.Join(dirs[0], "broken.md"), "---\nname: [\n---\n")
	write(t, filepath.Join(dirs[3], "broken.md"), "good\n")
	write(t, filepath.Join(dirs[0], "notes.txt"), "x\n")
	write(t, filepath.Join(dirs[0], ".hidden.md"), "x\n")
	for i, base := range []string{
		filepath.Join(project, ".hookline"), filepath.Join(project, ".kodelet"), filepath.Join(home, ".hookline"), filepath.Join(home, ".kodelet"),
	} {
		write(t, filepath.Join(base, "plugins", "acme@tools", "recipes", "review.md"), fmt.Sprintf("---\ndescription: plugin %d\n---\n", i))
	}
	claude := filepath.Join(project, ".hookline", "plugins", "acme@tools")
	write(t, filepath.Join(claude, "commands", "review.md"), "command\n")
	write(t, filepath.Join(claude, "commands", "git", "push.md"), "Push $1\n")
	write(t, filepath.Join(claude, "more", "extra.md"), "Extra\n")
	write(t, filepath.Join(claude, ".claude-plugin", "plugin.json"), `{"name": "x", "commands": ["./more/"]}`)

	for _, base := range []string{project, home} {
		write(t, filepath.Join(base, ".claude", "commands", "review.md"), "shadowed\n")
		write(t, filepath.Join(base, ".claude", "commands", "issue", "fix.md"), fmt.Sprintf("---\ndescription: of %s\n---\nFix $1\n", filepath.Base(base)))
	}

	s, err := recipe.Discover(t.Context(), recipe.Options{Places: plugin.Places{ProjectDir: project, HomeDir: home, Layouts: layouts}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range s.Active() {
		names = append(names, r.Name)
	}
	want := "acme/tools/extra acme/tools/git/push acme/tools/review broken deep/only0 deep/only1 deep/only2 deep/only3 issue/fix review"
	if strings.Join(names, " ") != want {
		t.Errorf("active %q", names)
	}
	r, err := s.Lookup("review")
	if err != nil || r.Description != "level 0" || r.Location != plugin.Local {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = s.Lookup("acme@tools/review")
	if err != nil || r.Description != "plugin 0" || r.Plugin != "acme/tools" || r.Format != recipe.Template {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = s.Lookup("acme/tools/git/push"); err != nil || r.Format != recipe.Command {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = s.Lookup("issue/fix"); err != nil || r.Format != recipe.Command || r.Description != "of "+filepath.Base(project) {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = s.Lookup("broken"); err != nil || r.Path != filepath.Join(dirs[3], "broken.md") {
		t.Errorf("a broken recipe stands in the way: %+v, %v", r, err)
	}
	shadowed, broken := 0, 0
	for _, r := range s.All {
		if r.ShadowedBy != "" {
			shadowed++
		}
		if r.Err != nil {
			broken++
		}
	}
	if shadowed != 3+4+3 || broken != 1 {
		t.Errorf("%d shadowed, %d broken", shadowed, broken)
	}
	if len(s.Diagnostics) != 1 || !strings.HasPrefix(s.Diagnostics[0].Position(), filepath.Join(dirs[0], "broken.md")+":") {
		t.Errorf("%+v", s.Diagnostics)
	}
	_, err = s.Lookup("push")
	if e, ok := errors.AsType[*recipe.NotFoundError](err); !ok || strings.Join(e.Similar, " ") != "acme/tools/git/push" {
		t.Errorf("got %v", err)
	}
	if _, err := s.Lookup("../review"); err == nil {
		t.Error("a path was looked up")
	}
	if err := os.Remove(filepath.Join(dirs[3], "broken.md")); err != nil {
		t.Fatal(err)
	}
	s, err = recipe.Discover(t.Context(), recipe.Options{Places: plugin.Places{ProjectDir: project, HomeDir: home, Layouts: layouts}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lookup("broken"); err == nil || !strings.Contains(err.Error(), "broken.md:") {
		t.Errorf("got %v", err)
	}
}

func TestLinksAndLargeFiles(t *testing.T) {
	project := t.TempDir()
	dir := filepath.Join(project, ".hookline", "recipes")
	write(t, filepath.Join(project, "secret"), "secret\n")
	write(t, filepath.Join(dir, "good.md"), "good\n")
	write(t, filepath.Join(dir, "large.md"), strings.Repeat("x", 2<<20))
	write(t, filepath.Join(dir, "bad\nname.md"), "x\n")
	if err := errors.Join(os.Symlink(filepath.Join(project, "secret"), filepath.Join(dir, "out.md")), os.Symlink("good.md", filepath.Join(dir, "in.md"))); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	s, err := recipe.Discover(t.Context(), recipe.Options{Places: plugin.Places{ProjectDir: project}})
	if err != nil {
		t.Fatal(err)
	}
	var names, said []string
	for _, r := range s.Active() {
		names = append(names, r.Name)
	}
	for _, d := range s.Diagnostics {
		said = append(said, d.Message)
	}
	if strings.Join(names, " ") != "good in" {
		t.Errorf("active %q", names)
	}
	for _, want := range []string{"leads out", "larger than", "control character"} {
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("%q is not said in %q", want, said)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{review, "x {{.a}}", "{{if .a}}{{.b}}{{end}}", "{{define \"a\"}}{{end}}{{template \"a\"}}", "---\nhooks: {a: {handler: b}}\n---\n$ARGUMENTS $1", "{{with $x := .a}}{{$x}}{{end}}"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, src string, command bool) {
		format := recipe.Template
		if command {
			format = recipe.Command
		}
		r, _, err := recipe.Parse("f", "f.md", format, []byte(src))
		if err != nil {
			if _, ok := errors.AsType[*diag.Diagnostic](err); !ok {
				t.Fatalf("%T is not located: %v", err, err)
			}
			return
		}
		_, _ = r.Render(t.Context(), recipe.RenderOptions{Args: map[string]string{}})
	})
}

// layouts are those of other hosts, as dialects have them.
var layouts = []plugin.Layout{
	{Name: "kodelet", Dir: ".kodelet", Kinds: []string{"recipes", "skills"}, Plugins: true},
	{Name: "claude", Dir: ".claude", Kinds: []string{"skills", "commands"}},
}
