//go:build unix

package discovery_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// plant is code that comes beside an approved script.
type plant struct {
	lang string // whose interpreter would load it
	// put writes it; evil is text in the language that leaves a mark.
	put func(p *place, hooks, evil string)
}

// compile writes what Python makes of a text.
func compile(p *place, text, to string) {
	p.Helper()
	source := p.write(p.TempDir(), "source.py", text)
	code := "import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2], doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)"
	if out, err := exec.Command("python3", "-c", code, source, to).CombinedOutput(); err != nil {
		p.Fatalf("%v: %s", err, out)
	}
}

var plantings = map[string]plant{
	"a module of the standard library's name":  {"python3", func(p *place, hooks, evil string) { p.write(hooks, "selectors.py", evil) }},
	"a package of the standard library's name": {"python3", func(p *place, hooks, evil string) { p.write(hooks, "selectors/__init__.py", evil) }},
	"a compiled module without source": {"python3", func(p *place, hooks, evil string) {
		compile(p, evil, filepath.Join(hooks, "selectors.pyc"))
	}},
	"a compiled module in place of the source": {"python3", func(p *place, hooks, evil string) {
		out, err := exec.Command("python3", "-c", "import importlib.util, sys; print(importlib.util.cache_from_source(sys.argv[1]))", filepath.Join(hooks, "helper.py")).Output()
		if err != nil {
			p.Fatal(err)
		}
		compile(p, evil, strings.TrimSpace(string(out)))
	}},
	"a file of a package": {"node", func(p *place, hooks, evil string) {
		p.write(p.dirs.Project, "node_modules/dep/index.js", evil)
	}},
	"a file of a package's package": {"node", func(p *place, hooks, evil string) {
		p.write(p.dirs.Project, "node_modules/deeper/index.js", evil)
	}},
	"a package that comes before": {"node", func(p *place, hooks, evil string) {
		p.write(hooks, "node_modules/dep/index.js", evil)
	}},
	"a package that was not there": {"node", func(p *place, hooks, evil string) {
		p.write(p.dirs.Project, "node_modules/absent/index.js", evil)
	}},
	"another file of a pattern": {"sh", func(p *place, hooks, evil string) { p.write(hooks, "checks/two.sh", evil) }},
	"a file of a computed name": {"node", func(p *place, hooks, evil string) { p.write(hooks, "rules/two.js", evil) }},
}

var scripts = map[string]map[string]string{
	"python3": {
		"guard.py":  "import sys, selectors, helper\nsys.stdin.read()\nprint(helper.WORD, file=sys.stderr)\nsys.exit(2)\n",
		"helper.py": "WORD = 'approved'\n",
	},
	"sh": {
		"guard.sh":      "cat >/dev/null\nfor f in \"$(dirname \"$0\")\"/checks/*.sh; do . \"$f\"; done\n",
		"checks/one.sh": "(echo approved >&2; exit 2) || trap 'exit 2' EXIT\n",
	},
	"node": {
		"guard.js": "require('dep'); try { require('absent') } catch {}\n" +
			"for (const f of require('node:fs').readdirSync(__dirname + '/rules')) require(__dirname + '/rules/' + f)\n" +
			"process.stdin.resume().on('end', () => { console.error('approved'); process.exit(2) })\n",
		"rules/one.js":                           "",
		"../../node_modules/dep/index.js":        "require('deeper')\n",
		"../../node_modules/deeper/package.json": "{}",
		"../../node_modules/deeper/index.js":     "",
		"../../node_modules/unused/index.js":     "",
	},
}

// TestWhatAnInterpreterLoadsIsWhatWasApproved plantings code where the interpreter of an
// approved script would load it, between two sessions and within one, of scripts that run
// from private copies and of those that run where they lie.
func TestWhatAnInterpreterLoadsIsWhatWasApproved(t *testing.T) {
	for name, pl := range plantings {
		for how, command := range map[string]string{
			"copies":    `"$CLAUDE_PROJECT_DIR"/.claude/hooks/`,
			"originals": `cd "$CLAUDE_PROJECT_DIR"/.claude/hooks && `,
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				if _, err := exec.LookPath(pl.lang); err != nil {
					t.Skip(err)
				}
				p := newPlace(t)
				hooks := filepath.Join(p.dirs.Project, ".claude/hooks")
				script := map[string]string{"python3": "guard.py", "node": "guard.js", "sh": "guard.sh"}[pl.lang]
				for file, text := range scripts[pl.lang] {
					p.write(hooks, file, text)
				}
				line := strings.Replace(command, `"$CLAUDE`, pl.lang+` "$CLAUDE`, 1) + script
				if how == "originals" {
					line = command + pl.lang + " " + script
				}
				text, err := json.Marshal(line)
				if err != nil {
					t.Fatal(err)
				}
				p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"command","command":`+string(text)+`}]}]}}`)
				store := trust.NewStore(discovery.TrustDir(p.dirs))
				session := func() (*hook.Engine, *discovery.Set) {
					return p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }))
				}
				_, set := session()
				if _, err := store.Approve(t.Context(), trust.ApproveOptions{How: trust.HowCommand}, set.Hooks[0].Artifact); err != nil {
					t.Fatal(err)
				}
				running, _ := session()
				if out := p.fire(running, bash("ls")); out.Reason != "approved" {
					t.Fatalf("%v %q, %v", out.Decision, out.Reason, out.Runs[0].Err)
				}
				// What a run leaves behind ends no approval.
				if _, set := session(); set.Hooks[0].Status != discovery.Active {
					t.Fatalf("after a run it is %s: %s", set.Hooks[0].Status, set.Hooks[0].Why)
				}

				mark := filepath.Join(t.TempDir(), "mark")
				pl.put(p, hooks, map[string]string{
					"python3": "open('" + mark + "', 'w')\nWORD = 'planted'\n", "sh": ": > '" + mark + "'\n",
					"node": "require('fs').writeFileSync('" + mark + "', '')\n",
				}[pl.lang])
				p.fire(running, bash("ls"))
				later, set := session()
				p.fire(later, bash("ls"))
				if _, err := os.Stat(mark); err == nil {
					t.Errorf("what was planted ran; the hook is %s", set.Hooks[0].Status)
				}
			})
		}
	}
}
