package refs

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/codedir"
)

func trees(root string, r Refs) string {
	var out []string
	for _, t := range r.Trees {
		rel, err := filepath.Rel(root, t.Dir)
		if err != nil {
			rel = t.Dir
		}
		out = append(out, strings.TrimSpace(filepath.ToSlash(rel)+" "+string(t.Language)+t.Glob))
	}
	return strings.Join(out, ", ")
}

func TestTrees(t *testing.T) {
	root := project(t, map[string]string{
		"h/guard.py": "import helper\n", "h/helper.py": "", "h/sub/other.py": "", "h/run.sh": "python3 \"$(dirname \"$0\")/guard.py\"\n",
		"mod/__main__.py": "", "x.sh": "",
		"j/guard.js": "import fs from 'node:fs'; import path from 'path'; import a from 'a/lib'; import './lib.js'; const c = require(`@s/c`)\n",
		"j/lib.js":   "", "node_modules/a/index.js": "require('b')", "j/node_modules/b/index.js": "", "node_modules/b/index.js": "", "node_modules/@s/c/x.js": "",
	})
	for _, c := range []struct{ command, want string }{
		{"./x.sh", ""},
		{"python3 h/guard.py", "h python"}, // not once more for what it imports
		{"sh h/run.sh", "h python"},
		{"python3 -m mod", ". python, mod python"},
		{"node j/guard.js", "j node, j/node_modules/@s/c node, j/node_modules/a node, node_modules/@s/c node, node_modules/a node, node_modules/a/node_modules/b node, node_modules/b node, node_modules/node_modules/b node"},
		{"for f in h/*.sh; do sh $f; done", "h *.sh, h python"},
		{"cat h/*.sh", ""},
	} {
		if got := trees(root, Command(c.command, options(root))); got != c.want {
			t.Errorf("%q: %q, want %q", c.command, got, c.want)
		}
	}
}

// TestTreeBeyondTheBoundIsNotCovered says so, and covers what is named as before.
func TestTreeBeyondTheBoundIsNotCovered(t *testing.T) {
	files := map[string]string{"h/guard.py": "import helper\n", "h/helper.py": "", "j/guard.js": "require('big')\n"}
	for i := range codedir.MaxFiles {
		files[fmt.Sprintf("h/m%d.py", i)] = ""
		files[fmt.Sprintf("node_modules/big/m%d.js", i)] = ""
	}
	files["node_modules/big/last.js"] = ""
	root := project(t, files)
	for command, c := range map[string]struct{ files, trees, unseen string }{
		"python3 h/guard.py": {"h/guard.py h/helper.py", "", "more could be loaded from h, which holds more than 512 files"},
		"node j/guard.js":    {"j/guard.js", "j node, j/node_modules/big node", "more could be loaded from node_modules/big, which holds more than 512 files"},
	} {
		r := Command(command, options(root))
		if got := names(root, r); got != c.files || trees(root, r) != c.trees || !strings.Contains(strings.Join(r.Unseen, " "), c.unseen) {
			t.Errorf("%s: %q %q %q", command, got, trees(root, r), r.Unseen)
		}
	}
}

func TestTopLevel(t *testing.T) {
	root := project(t, map[string]string{".git/HEAD": "", "x.sh*": "", "sub/y.sh*": ""})
	o := options(root)
	for _, sub := range []string{"", "sub"} {
		o.Dir, o.Root = filepath.Join(root, sub), root
		for _, command := range []string{
			`"$(git rev-parse --show-toplevel)"/x.sh`, "sh `git rev-parse --show-toplevel`/x.sh", `cd "$(git rev-parse --show-toplevel)" && ./x.sh`,
			`"$(git rev-parse --show-toplevel 2>/dev/null || pwd)/x.sh"`, `ROOT=$(git rev-parse --show-toplevel 2> /dev/null || echo .); sh "$ROOT/x.sh"`,
		} {
			if r := Command(command, o); names(root, r) != "x.sh" || r.Unseen != nil {
				t.Errorf("in %q: %q: %q %q", sub, command, names(root, r), r.Unseen)
			}
		}
	}
	text := `"$(git rev-parse --show-toplevel)"/x.sh; "$PWD/x.sh"; "$(pwd)"/x.sh`
	want := "'/m/x.sh'; '/m/x.sh'; '/m/x.sh'"
	o.Dir = root
	if got, ok := Rewrite(text, o, Below([]string{filepath.Join(root, "x.sh")}, root, "/m")); got != want || !ok {
		t.Errorf("%q %t", got, ok)
	}
}
