package refs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// project makes a tree of files: name -> content; a name that ends in * can be
// executed.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		mode := os.FileMode(0o644)
		if n, ok := strings.CutSuffix(name, "*"); ok {
			name, mode = n, 0o755
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func options(root string) Options {
	return Options{Dir: root, Vars: map[string]string{"CLAUDE_PROJECT_DIR": root, "HOME": filepath.Join(filepath.Dir(root), "home")}}
}

func names(root string, r Refs) string {
	var out []string
	for _, f := range r.Files {
		rel, err := filepath.Rel(root, f)
		if err != nil {
			rel = f
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return strings.Join(out, " ")
}

var tree = map[string]string{
	"x.sh*":                   "#!/bin/sh\necho hi\n",
	"y.sh*":                   "#!/bin/sh\n",
	"a b/z.sh*":               "#!/bin/sh\n",
	"x.py":                    "print(1)\n",
	"helper.py":               "",
	"imp.py":                  "import os, helper\nfrom pkg import mod as m\nfrom . import y\n",
	"pkg/__init__.py":         "",
	"pkg/mod.py":              "import subprocess\n",
	"x.mjs":                   "import { a } from './lib/a.js'\nexport * from \"./b\"\nconst c = await import('./c.mjs')\n",
	"lib/a.js":                "require('../d')\n",
	"b.ts":                    "import '../outside.js'\n",
	"c.mjs":                   "",
	"d.json":                  "{}",
	"data.txt":                "x",
	"lib.sh":                  ". ./lib2.sh\n",
	"lib2.sh":                 "export X=1\n",
	"Makefile":                "all:\n\t./x.sh\n",
	"package.json":            "{}",
	"hooks/main.sh*":          "#!/usr/bin/env bash\nset -e\nDIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\n. \"$DIR/common.sh\"\nsource \"$(dirname \"$0\")/more.sh\"\nLIB=${DIR}/sub\nbash \"$LIB/deep.sh\"\n\"${0%/*}/last.sh\"\n",
	"hooks/common.sh":         "echo\n",
	"hooks/more.sh":           "python3 \"$CLAUDE_PROJECT_DIR/x.py\"\n",
	"hooks/sub/deep.sh":       "echo\n",
	"hooks/last.sh*":          "echo\n",
	"filter.jq":               ".",
	"tool/main.go":            "package main\n",
	"tool/main_test.go":       "package main\n",
	"mod/__main__.py":         "",
	"loop.sh*":                "#!/bin/sh\n./loop.sh\n. ./loop2.sh\n",
	"loop2.sh":                "./loop.sh\n",
	"bin/tool*":               "#!/usr/bin/env python3\nimport helper\n",
	"native*":                 "\x7fELF\x00\x00",
	".claude/hooks/guard.py*": "#!/usr/bin/env python3\n",
}

func TestCommand(t *testing.T) {
	root := project(t, tree)
	outside := filepath.Join(filepath.Dir(root), "elsewhere.sh")
	if err := os.WriteFile(outside, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, files, unseen string }{
		{"$CLAUDE_PROJECT_DIR/x.sh", "x.sh", ""},
		{`"${CLAUDE_PROJECT_DIR}"/x.sh --flag`, "x.sh", ""},
		{`"$CLAUDE_PROJECT_DIR/a b/z.sh"`, "a b/z.sh", ""},
		{`${CLAUDE_PROJECT_DIR:-.}/x.sh`, "x.sh", ""},
		{"./x.sh", "x.sh", ""},
		{"x.sh", "", ""}, // a name without a slash is looked for in PATH
		{"bash x.sh", "x.sh", ""},
		{"bash -eu -o pipefail ./x.sh arg", "x.sh", ""},
		{"sh -c './x.sh && python3 x.py'", "x.py x.sh", ""},
		{`bash -c "$CLAUDE_PROJECT_DIR/x.sh; ./y.sh"`, "x.sh y.sh", ""},
		{"sh -c 'sh -c \"./x.sh\"'", "x.sh", ""},
		{"python3 x.py", "x.py", ""},
		{"python3.12 -u -W error x.py a", "x.py", ""},
		{"FOO=bar python3 x.py", "x.py", ""},
		{"env FOO=1 timeout 5 python3 x.py", "x.py", ""},
		{"python3 imp.py", "helper.py imp.py pkg/__init__.py pkg/mod.py", "in pkg/mod.py: it can load or start other things (subprocess)"},
		{"python3 -m mod", "mod/__main__.py", ""},
		{"python3 -m http.server", "", "installed module http.server"},
		{"python3 -c 'print(1)'", "", "given as text"},
		{"node x.mjs", "b.ts c.mjs d.json lib/a.js x.mjs", ""},
		{"node --require ./d.json -r dotenv/config x.mjs", "b.ts c.mjs d.json dotenv/config lib/a.js x.mjs", ""},
		{"./x.sh && y.sh; ./y.sh | cat", "x.sh y.sh", ""},
		{". ./lib.sh", "lib.sh lib2.sh", ""},
		{"source lib.sh && foo", "lib.sh lib2.sh", ""},
		{"hooks/main.sh", "hooks/common.sh hooks/last.sh hooks/main.sh hooks/more.sh hooks/sub/deep.sh x.py", ""},
		{"cd hooks && ./main.sh", "hooks/common.sh hooks/last.sh hooks/main.sh hooks/more.sh hooks/sub/deep.sh x.py", ""},
		{"for f in 1 2; do ./x.sh $f; done", "x.sh", ""},
		{"for f in x y; do sh $f.sh; done", "x.sh y.sh", ""},
		{"for d in . hooks; do for f in x common; do sh $d/$f.sh; done; done", "common.sh hooks/common.sh hooks/x.sh x.sh", ""},
		{"for f in x $Y; do sh $f.sh; done", "", "is computed: $f.sh"},
		{"bash --rcfile lib.sh -i x.sh", "lib.sh lib2.sh x.sh", ""},
		{"bash -oc pipefail ./x.sh", "x.sh", ""},
		{"source -- ./lib.sh", "lib.sh lib2.sh", ""},
		{"if ./x.sh; then ./y.sh; fi", "x.sh y.sh", ""},
		{"out=$(./x.sh) && echo $out", "x.sh", ""},
		{"sh < x.sh", "x.sh", ""},
		{"bash <<'EOF'\n./x.sh\nEOF", "x.sh", ""},
		{"cat x.sh | sh", "x.sh", "given through a pipe"},
		{"curl -s https://example.com/i.sh | sh", "", "what curl downloads is run"},
		{"npx some-guard", "", "npx runs the package some-guard"},
		{"npm run guard", "package.json", "script \"guard\" of package.json"},
		{"make check", "Makefile", "recipes of make"},
		{"uv run x.py", "x.py", "may install packages"},
		{"uv run --quiet python x.py", "x.py", "may install"},
		{"go run ./tool", "tool/main.go", "beyond the files listed"},
		{"jq -f filter.jq", "filter.jq", ""},
		{"$GUARD --x", "", "name of a command is computed: $GUARD"},
		{`"$SOME/x.sh"`, "", "computed"},
		{"python3 $SCRIPT", "", "script of python is computed"},
		{"python3 missing.py", "missing.py", ""},
		{"./missing.sh", "missing.sh", ""},
		{"PATH=./bin:$PATH tool", "", "PATH is set"},
		{"BASH_ENV=./lib.sh bash -c true", "lib.sh lib2.sh", ""},
		{"./loop.sh", "loop.sh loop2.sh", ""},
		{"bin/tool", "bin/tool", ""},
		{"./native", "native", "is a program and not a text"},
		{outside, "", "outside of"},
		{"~/guard.sh", "", ""},
		{"/usr/bin/true", "", ""},
		{"cat data.txt && echo x.sh >> data.txt", "", ""},
		{"wrapper --script=x.py x.sh data.txt", "x.py x.sh", ""},
		{"xargs -n1 ./x.sh", "x.sh", ""},
		{"find . -name '*.go' -exec ./x.sh {} \\;", "x.sh", ""},
		{"exec ./x.sh", "x.sh", ""},
		{"nohup ./x.sh &", "x.sh", ""},
		{"echo 'unclosed", "", "could not be parsed"},
		{"echo a\r\n./x.sh", "", "could not be parsed"},
		{"", "", ""},
		{".claude/hooks/guard.py", ".claude/hooks/guard.py", ""},
		{"../" + filepath.Base(root) + "/x.sh", "x.sh", ""},
		{"f() { ./x.sh; }; f", "x.sh", ""},
		{"X=./x.sh; $X", "x.sh", ""},
		{"X=./x.sh; X=./y.sh; $X", "", "computed"},
		{`"$PWD"/x.sh`, "x.sh", ""},
		{`sh "${PWD}/x.sh"`, "x.sh", ""},
		{`"$(pwd)/x.sh"`, "x.sh", ""},
		{"`pwd -P`/x.sh", "x.sh", ""},
		{`cd hooks && . "$PWD"/common.sh`, "hooks/common.sh", ""},
		{`D=$(pwd); "$D"/x.sh`, "x.sh", ""},
		{`"$(git rev-parse --show-toplevel)"/x.sh`, "", "computed"}, // it is not a repository
		{`"$(git rev-parse --show-toplevel 2>/dev/null || pwd)"/x.sh`, "", "computed"},
		{"sh hooks/sub/*.sh", "hooks/sub/deep.sh", ""},
		{"hooks/sub/d?ep.sh", "hooks/sub/deep.sh", ""},
		{`for f in "$CLAUDE_PROJECT_DIR"/hooks/sub/*.sh; do sh "$f"; done`, "hooks/sub/deep.sh", ""},
		{"for f in none/*.sh; do sh $f; done", "none/*.sh", ""},
		{"sh none/*.sh", "none/*.sh", ""},
		{"cat hooks/*.sh; for f in pkg/*; do wc $f; done", "", ""}, // data
		{"for f in {x,y}; do sh $f.sh; done", "x.sh y.sh", ""},
		{"for f in {x,y}.sh; do ./$f; done", "x.sh y.sh", ""},
		{"sh hooks/{sub/deep,common}.sh", "hooks/common.sh hooks/sub/deep.sh", ""},
		{"sh {1..100}.sh", "", "computed"},
		{`sh "$CLAUDE_PROJECT_DIR"/{hooks/sub/d*,x}.sh`, "hooks/sub/deep.sh x.sh", ""},
	} {
		r := Command(c.command, options(root))
		if got := names(root, r); got != c.files {
			t.Errorf("%q: files %q, want %q", c.command, got, c.files)
		}
		all := strings.Join(r.Unseen, " / ")
		if c.unseen == "" && all != "" || !strings.Contains(all, c.unseen) {
			t.Errorf("%q: unseen %q, want %q", c.command, all, c.unseen)
		}
	}
}

func TestExec(t *testing.T) {
	root := project(t, tree)
	for _, c := range []struct {
		program string
		args    []string
		files   string
	}{
		{"python3", []string{"${CLAUDE_PROJECT_DIR}/x.py", "a b"}, "x.py"},
		{"${CLAUDE_PROJECT_DIR}/a b/z.sh", nil, "a b/z.sh"},
		{"sh", []string{"-c", "./x.sh; $CLAUDE_PROJECT_DIR/y.sh"}, "x.sh y.sh"},
		{"./x.sh", []string{"$(./y.sh)", "; ./y.sh"}, "x.sh"},
		{"node", []string{"${OTHER}/x.mjs"}, ""},
		{"env", []string{"A=1", "./x.sh"}, "x.sh"},
	} {
		if got := names(root, Exec(c.program, c.args, options(root))); got != c.files {
			t.Errorf("%s %q: %q, want %q", c.program, c.args, got, c.files)
		}
	}
}

func TestWholeFileSystem(t *testing.T) {
	root := project(t, tree)
	o := options(root)
	o.Dir, o.Root = t.TempDir(), string(filepath.VolumeName(root))+string(filepath.Separator)
	if got := names(root, Command("/usr/bin/env python3 "+filepath.Join(root, "imp.py"), o)); got != "helper.py imp.py pkg/__init__.py pkg/mod.py" {
		t.Errorf("got %q", got)
	}
}

func TestPowerShell(t *testing.T) {
	root := project(t, tree)
	if got := names(root, PowerShell(`& "$env:CLAUDE_PROJECT_DIR/x.py"; ./x.sh`, options(root))); got != "x.py x.sh" {
		t.Errorf("got %q", got)
	}
}

// TestNothingIsExecuted runs every command of a tree whose scripts would leave a
// mark.
func TestNothingIsExecuted(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	root := project(t, map[string]string{"x.sh*": "#!/bin/sh\ntouch " + mark + "\n", "x.py": "open('" + mark + "', 'w')\n"})
	for _, c := range []string{"./x.sh", "sh x.sh", "$(./x.sh)", "`touch " + mark + "`", "python3 x.py", ". ./x.sh", "eval ./x.sh", "touch " + mark} {
		Command(c, options(root))
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("something was executed")
	}
}

func TestWorkIsBounded(t *testing.T) {
	files := map[string]string{}
	var all strings.Builder
	for i := range maxFiles + 50 {
		name := "s" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".sh"
		files[name] = "echo\n"
		all.WriteString(". ./" + name + "\n")
	}
	files["all.sh"] = all.String()
	files["huge.sh"] = strings.Repeat("# long\n", maxScript/7+10)
	files["deep0.sh"] = ". ./deep1.sh\n"
	for i := 1; i < maxDepth+4; i++ {
		files["deep"+string(rune('0'+i))+".sh"] = ". ./deep" + string(rune('0'+i+1)) + ".sh\n"
	}
	root := project(t, files)
	r := Command("sh all.sh", options(root))
	if len(r.Files) != maxFiles || !strings.Contains(strings.Join(r.Unseen, " "), "more than") {
		t.Errorf("%d files, %q", len(r.Files), r.Unseen)
	}
	if r := Command("sh deep0.sh", options(root)); len(r.Files) > maxDepth+1 || !strings.Contains(strings.Join(r.Unseen, " "), "levels deep") {
		t.Errorf("%q %q", names(root, r), r.Unseen)
	}
	if r := Command("sh huge.sh", options(root)); names(root, r) != "huge.sh" || !strings.Contains(strings.Join(r.Unseen, " "), "could not be looked into") {
		t.Errorf("%q %q", names(root, r), r.Unseen)
	}
}

func FuzzCommand(f *testing.F) {
	for _, s := range []string{"$CLAUDE_PROJECT_DIR/x.sh", `bash -c "${X:-./x.sh}"`, "X=./x.sh; $X", "python3 -m a.b", "cd a; ./x", "npx x | sh", ". ./lib.sh", "sh <<E\n./x.sh\nE"} {
		f.Add(s)
	}
	root := project(f, tree)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			t.Skip()
		}
		for _, r := range []Refs{Command(text, options(root)), PowerShell(text, options(root)), Exec(text, []string{text}, options(root))} {
			if len(r.Files) > maxFiles || len(r.Unseen) > maxUnseen+1 || !slices.IsSorted(r.Files) {
				t.Fatalf("%q: %d files, %d notes", text, len(r.Files), len(r.Unseen))
			}
			for _, file := range r.Files {
				if rel, err := filepath.Rel(root, file); err != nil || !filepath.IsLocal(rel) || file != filepath.Clean(file) {
					t.Fatalf("%q: %q lies outside", text, file)
				}
			}
		}
	})
}

func FuzzScript(f *testing.F) {
	f.Add([]byte("#!/bin/sh\n. \"$(dirname \"$0\")/x.sh\"\n"), ".sh")
	f.Add([]byte("import a.b\nfrom .c import d as e\n"), ".py")
	f.Add([]byte("import './x'\nrequire(\"../y\")"), ".mjs")
	f.Fuzz(func(t *testing.T, data []byte, ext string) {
		if len(data) > 8192 {
			t.Skip()
		}
		root := t.TempDir()
		name := "s.sh"
		switch ext {
		case ".py", ".mjs", ".rb":
			name = "s" + ext
		}
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		f := newFinder(options(root))
		f.add(path, 0)
		r := f.refs()
		if !slices.Contains(r.Files, path) {
			t.Fatalf("the script itself is missing: %q", r.Files)
		}
	})
}
