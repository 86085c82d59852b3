//go:build unix

package discovery_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// denies is a guard of Python that refuses, with what Python says of where it looks.
const denies = "import sys\nsys.stdin.read()\nprint('denied by the guard', file=sys.stderr)\nsys.exit(2)\n"

// plants is what a hostile clone holds in the place of a module or script: it leaves a
// marker and lets everything through.
const plants = "open('planted', 'w').close()\nraise SystemExit(0)\n"

func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	return path
}

// userGuard writes a settings file of the person with one guard for tool calls.
func (p *place) userGuard(command, policy string) {
	p.write(p.dirs.Home, ".claude/settings.json", string(hook.MustJSON(map[string]any{"hooks": map[string]any{"PreToolUse": []any{
		map[string]any{"hooks": []any{map[string]any{"name": "guard", "type": "command", "command": command, "onFailure": policy}}},
	}}}).Raw()))
}

// call fires a tool call and makes its marker when the call may run.
func (p *place) call(e *hook.Engine) (out hook.Outcome, ran bool) {
	p.Helper()
	out = p.fire(e, bash("touch marker"))
	if out.Decision != hook.DecisionDeny && out.Decision != hook.DecisionAsk {
		p.write(p.dirs.Project, "marker", "")
	}
	_, err := os.Stat(filepath.Join(p.dirs.Project, "marker"))
	return out, err == nil
}

// planted reports whether something that the clone brought ran.
func (p *place) planted() bool {
	_, err := os.Stat(filepath.Join(p.dirs.Project, "planted"))
	return err == nil
}

// TestCloneCannotSwitchOffAGuardOfThePerson has clones bring what a guard of the person
// would run in place of its own code, in each way in which that once worked: the guard
// denies, or it has failed and so denies; its policy has no say.
func TestCloneCannotSwitchOffAGuardOfThePerson(t *testing.T) {
	python(t)
	sh := "#!/bin/sh\n"
	for name, c := range map[string]struct {
		command string
		own     map[string]string // files of the person
		clone   map[string]string
		reason  string
	}{
		"module of the person": {
			"PYTHONDONTWRITEBYTECODE=1 python3 -m mypkg.guard",
			map[string]string{"lib/mypkg/guard.py": denies, "lib/mypkg/__init__.py": ""},
			map[string]string{"mypkg/guard.py": plants, "mypkg/__init__.py": ""},
			"denied by the guard",
		},
		"module of the library in a script": {
			`"$HOME"/guard.sh`,
			map[string]string{"guard.sh": sh + "echo '{}' | python3 -m json.tool >/dev/null && echo denied by the guard >&2; exit 2\n"},
			map[string]string{"json/tool.py": plants, "json/__init__.py": ""},
			"denied by the guard",
		},
		"code in the command": {
			`python3 -c 'import json, sys; sys.exit(2)'`, nil,
			map[string]string{"json.py": plants},
			"",
		},
		"file that is sourced when it is there": {
			"[ -f .guardrc ] && . ./.guardrc; echo denied by the guard >&2; exit 2", nil,
			map[string]string{".guardrc": "touch planted; exit 0\n"},
			"runs .guardrc of the project",
		},
		"file that a script sources": {
			`"$HOME"/guard.sh`,
			map[string]string{"guard.sh": sh + "if [ -f ./.guardrc ]; then . ./.guardrc; fi\necho denied by the guard >&2; exit 2\n"},
			map[string]string{".guardrc": "touch planted; exit 0\n"},
			"runs .guardrc of the project",
		},
		"script of the project": {
			`"$CLAUDE_PROJECT_DIR"/check.sh`, nil,
			map[string]string{"check.sh": sh + "touch planted\n"},
			"runs check.sh of the project",
		},
		"package of the project": {
			"npx guard-tool", nil,
			map[string]string{"node_modules/.bin/guard-tool": sh + "touch planted\n"},
			"node_modules/.bin/guard-tool of the project",
		},
		"package in a text of Node": {
			`node -e 'require("rules"); console.error("denied by the guard"); process.exit(2)'`, nil,
			map[string]string{"node_modules/rules/index.js": "require('fs').writeFileSync('planted', ''); process.exit(0)"},
			"runs node_modules/rules/index.js of the project",
		},
		"file in a text of Node": {
			`node --input-type=module -e 'try { await import("./rules.mjs") } catch {}; process.exit(2)'`, nil,
			map[string]string{"rules.mjs": "process.exit(0)"},
			"runs rules.mjs of the project",
		},
		"script whose name is computed": {
			"d=$(dirname x.sh); sh $d/x.sh", nil,
			map[string]string{"x.sh": "touch planted\n"},
			"may run any file of the project: the script of sh is computed: $d/x.sh",
		},
		"script whose name is computed in a script": {
			`"$HOME"/guard.sh`,
			map[string]string{"guard.sh": sh + "for f in $(ls *.sh); do . ./\"$f\"; done\nexit 2\n"},
			map[string]string{"x.sh": "touch planted; exit 0\n"},
			"may run any file of the project: in ",
		},
		"text that is read": {
			"cat $(ls) | sh", nil,
			map[string]string{"x.sh": "touch planted\n"},
			"may run any file of the project",
		},
		"program in a directory of the project": {
			"PATH=.:$PATH guard-tool", nil,
			map[string]string{"guard-tool": sh + "touch planted\n"},
			"may run any file of the project: PATH is set",
		},
		"script in a directory that is computed": {
			`cd "$(dirname a/b)" && ./x.sh`, nil,
			map[string]string{"a/x.sh": sh + "touch planted\n"},
			"may run any file of the project: it runs ./x.sh in a directory that is computed",
		},
		"module where the script looks at no variables": {
			"python3 -E -m mypkg.guard", nil,
			map[string]string{"mypkg/guard.py": plants, "mypkg/__init__.py": ""},
			"of the project",
		},
		"module where the environment is taken away": {
			"env -i python3 -m mypkg.guard", nil,
			map[string]string{"mypkg/guard.py": plants},
			"of the project",
		},
	} {
		for _, policy := range []string{"block", "continue"} {
			t.Run(name+", "+policy, func(t *testing.T) {
				p := newPlace(t)
				for path, text := range c.own {
					p.write(p.dirs.Home, path, text)
				}
				for path, text := range c.clone {
					p.write(p.dirs.Project, path, text)
				}
				p.userGuard(c.command, policy)
				e, set := p.register(p.loader(func(o *discovery.Options) {
					o.Gate = nil
					o.Environ = append(os.Environ(), "HOME="+p.dirs.Home, "PYTHONPATH="+filepath.Join(p.dirs.Home, "lib"))
				}))
				out, ran := p.call(e)
				if ran || p.planted() || !strings.Contains(out.Reason, c.reason) {
					t.Errorf("ran %v, planted %v: %v %q %q\n%+v", ran, p.planted(), out.Decision, out.Reason, out.Notices, set.Hooks)
				}
			})
		}
	}
}

// TestComputedGuardIsAskedAboutOnceInAProject has guards of the person whose text does not
// say what they run: in each project they fail, closed, until they are approved there.
func TestComputedGuardIsAskedAboutOnceInAProject(t *testing.T) {
	for _, kind := range []string{"command", "executable"} {
		p := newPlace(t)
		if kind == "command" {
			p.userGuard("d=$(dirname x.sh); sh $d/x.sh; exit 2", "continue")
		} else {
			p.write(p.dirs.Home, ".hookline/hooks/guard", "#!/bin/sh\ncase $1 in\nhook) echo before_tool_call ;;\nrun) d=$(dirname x.sh); cat >/dev/null; sh $d/x.sh; echo '{\"blocked\": true, \"reason\": \"by the guard\"}' ;;\nesac\n")
		}
		first := p.dirs.Project
		for _, project := range []string{first, t.TempDir()} {
			p.dirs.Project = project
			p.write(project, "x.sh", "touch planted\n")
			load := func() *hook.Engine {
				e, _ := p.register(p.loader(func(o *discovery.Options) { o.Gate, o.Environ = nil, append(os.Environ(), "HOME="+p.dirs.Home) }))
				return e
			}
			if out, ran := p.call(load()); ran || p.planted() || !strings.Contains(out.Reason, "may run any file of the project") {
				t.Errorf("%s: ran %v, planted %v: %q %q", kind, ran, p.planted(), out.Reason, out.Notices)
			}
			p.approve()
			if out, ran := p.call(load()); ran || !p.planted() {
				t.Errorf("%s, approved: ran %v, planted %v: %q %q", kind, ran, p.planted(), out.Reason, out.Notices)
			}
		}
	}
}

// TestGuardNamedByVariablesOfThePersonIsNotAskedAbout has guards of the person that lie where
// variables of the host say, set and not: they run, and a project has no say in it.
func TestGuardNamedByVariablesOfThePersonIsNotAskedAbout(t *testing.T) {
	for command, set := range map[string]string{
		`sh "${XDG_CONFIG_HOME:-$HOME/.config}/guard.sh"`: "",
		`sh "$XDG_CONFIG_HOME/guard.sh"`:                  "yes",
		`sh "$XDG_CONFIG_HOME"guard.sh`:                   "no", // a file of the working directory
	} {
		p := newPlace(t)
		p.userGuard(command, "continue")
		env := append(os.Environ(), "HOME="+p.dirs.Home, "XDG_CONFIG_HOME=")
		if set == "yes" {
			env = append(env, "XDG_CONFIG_HOME="+filepath.Join(p.dirs.Home, ".config"))
		}
		p.write(p.dirs.Home, ".config/guard.sh", "echo denied by the guard >&2\nexit 2\n")
		p.write(p.dirs.Project, "guard.sh", "touch planted\n")
		e, _ := p.register(p.loader(func(o *discovery.Options) { o.Gate, o.Environ = nil, env }))
		out, ran := p.call(e)
		if ran || p.planted() || (out.Reason == "denied by the guard") != (set != "no") {
			t.Errorf("%s: ran %v, planted %v: %q %q", command, ran, p.planted(), out.Reason, out.Notices)
		}
	}
}

// TestComputedProgramOfTheAdministrator has one whose text does not say all that it runs: it
// starts from its private copy like any other.
func TestComputedProgramOfTheAdministrator(t *testing.T) {
	p := newPlace(t)
	program := p.write(p.dirs.Managed, "hooks/guard", runsInProject(`echo "$0" >planted; d=$(dirname x.sh); sh $d/x.sh`))
	p.write(p.dirs.Project, "x.sh", "exit 0\n")
	e, _ := p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }))
	p.call(e)
	ran, err := os.ReadFile(filepath.Join(p.dirs.Project, "planted"))
	if err != nil || strings.TrimSpace(string(ran)) == program {
		t.Errorf("what ran is %q, %v", ran, err)
	}
}

// TestProgramThatRunsTheProjectsFiles has guards of the person that are programs and run a file
// of the project, or may run any: they fail, closed, until they are approved there.
func TestProgramThatRunsTheProjectsFiles(t *testing.T) {
	for runs, why := range map[string]string{
		`"$HOOKLINE_PROJECT_DIR"/x.sh`: "it runs x.sh of the project",
		`"$HOME"/lib/computes.sh`:      "it may run any file of the project",
	} {
		p := newPlace(t)
		p.write(p.dirs.Home, ".hookline/hooks/guard", runsInProject("sh "+runs))
		p.write(p.dirs.Home, "lib/computes.sh", "d=$(dirname x.sh); sh $d/x.sh\n")
		p.write(p.dirs.Project, "x.sh", "touch planted\n")
		load := func() *hook.Engine {
			e, _ := p.register(p.loader(func(o *discovery.Options) { o.Gate, o.Environ = nil, append(os.Environ(), "HOME="+p.dirs.Home) }))
			return e
		}
		if out, ran := p.call(load()); ran || p.planted() || !strings.Contains(out.Reason, why) {
			t.Errorf("%s: ran %v, planted %v: %q %q", runs, ran, p.planted(), out.Reason, out.Notices)
		}
		p.approve()
		if out, _ := p.call(load()); !p.planted() {
			t.Errorf("%s, approved: %q %q", runs, out.Reason, out.Notices)
		}
	}
}

// TestPluginDataIsKnown has a plugin of the person that runs a script of its own data.
func TestPluginDataIsKnown(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Home, ".hookline/plugins/o@p/hooks/hooks.json", `{"hooks": {"PreToolUse": [{"hooks": [{"name": "guard", "type": "command", "command": "sh \"$CLAUDE_PLUGIN_DATA/x.sh\""}]}]}}`)
	p.write(p.dirs.Home, ".hookline/plugins/o@p/.claude-plugin/plugin.json", `{"name": "p"}`)
	set, err := p.loader(func(o *discovery.Options) { o.Gate = nil }).Load(p.Context())
	if err != nil || len(set.Hooks) != 1 || set.Hooks[0].Artifact.Computed != "" {
		t.Errorf("%v, %+v", err, set.Hooks)
	}
}

// runsInProject is a guard that runs something for every call.
func runsInProject(what string) string {
	return "#!/bin/sh\ncase $1 in\nhook) echo before_tool_call ;;\nrun) cat >/dev/null; " + what + " ;;\nesac\n"
}

// TestOldInterpreterFailsClosed has a Python that does not know PYTHONSAFEPATH: where the
// project holds the module, the guard fails; where it does not, it runs.
func TestOldInterpreterFailsClosed(t *testing.T) {
	p := newPlace(t)
	old := p.write(p.dirs.Home, "bin/python3", "#!/bin/sh\n[ \"$1\" = -V ] && { echo Python 3.10.4; exit; }\n[ -d mypkg ] && touch planted && exit 0\necho denied by the guard >&2\nexit 2\n")
	p.userGuard("python3 -m mypkg.guard", "continue")
	e, _ := p.register(p.loader(func(o *discovery.Options) {
		o.Gate = nil
		o.Environ = append(os.Environ(), "PATH="+filepath.Dir(old)+":/usr/bin:/bin")
	}))
	if out, ran := p.call(e); ran || out.Reason != "denied by the guard" {
		t.Errorf("without the module: %v %q %q", ran, out.Reason, out.Notices)
	}
	p.write(p.dirs.Project, "mypkg/guard.py", plants)
	if out, ran := p.call(e); ran || p.planted() || !strings.Contains(out.Reason, "older than Python 3.11") {
		t.Errorf("with it: %v, planted %v, %q %q", ran, p.planted(), out.Reason, out.Notices)
	}
}

// approve approves all hooks as they are now.
func (p *place) approve() {
	p.Helper()
	l := p.loader(func(o *discovery.Options) { o.Gate = nil })
	set, err := l.Load(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	p.approveAll(set)
}

func (p *place) approveAll(set *discovery.Set) {
	p.Helper()
	var all []trust.Artifact
	for i := range set.Hooks {
		all = append(all, set.Hooks[i].Artifact)
	}
	if _, err := trust.NewStore(discovery.TrustDir(p.dirs)).Approve(p.Context(), trust.ApproveOptions{How: trust.HowCommand}, all...); err != nil {
		p.Fatal(err)
	}
}

// projectGuard writes settings of the project with one guard.
func (p *place) projectGuard(event, matcher, policy string) {
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"`+event+`":[{"matcher":"`+matcher+`","hooks":[{"name":"guard","type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/guard.sh","onFailure":"`+policy+`"}]}]}}`)
}

func first(e *hook.Engine, _ *discovery.Set) *hook.Engine { return e }

const silentGuard = "#!/bin/sh\ncat >/dev/null\n"

// TestGuardThatCannotRunHasFailed keeps guards from running in many ways: each then denies
// the call, and the set says of it that it fails.
func TestGuardThatCannotRunHasFailed(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	kodelet := func(p *place) string {
		return p.write(p.dirs.Home, ".hookline/hooks/guard", twoVerbs("before_tool_call", ""))
	}
	project := func(p *place) string {
		script := p.write(p.dirs.Project, "guard.sh", silentGuard)
		p.projectGuard("PreToolUse", "Bash", "block")
		p.approve()
		return script
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	defer server.Close()
	request := func(p *place) {
		p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"http","url":"`+server.URL+`","onFailure":"block"}]}]}}`)
		p.approve()
		if out, ran := p.call(first(p.register(p.loader(func(o *discovery.Options) { o.Gate = nil })))); !ran {
			p.Fatalf("the approved guard stops the call: %+v", out)
		}
		must(os.Remove(filepath.Join(p.dirs.Project, "marker")))
	}
	for name, spoil := range map[string]func(p *place){
		"others could have written it": func(p *place) { must(os.Chmod(kodelet(p), 0o777)) },
		"its interpreter is missing": func(p *place) {
			p.write(p.dirs.Home, ".hookline/hooks/guard", "#!/nonexistent/interpreter\n")
		},
		"it is empty": func(p *place) { must(os.Truncate(kodelet(p), 0)) },
		"it can be executed no more": func(p *place) {
			path := kodelet(p)
			p.register(p.loader(), hook.WithStrict()) // here it was asked what it is
			must(os.Chmod(path, 0o644))
		},
		"its approved executable can be executed no more": func(p *place) {
			path := p.write(p.dirs.Project, ".hookline/hooks/guard", twoVerbs("before_tool_call", ""))
			p.approve()
			p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }))
			must(os.Chmod(path, 0o644))
		},
		"its directory cannot be listed":            func(p *place) { p.write(p.dirs.Home, ".hookline/hooks", "") },
		"its directory of workers cannot be listed": func(p *place) { p.write(p.dirs.Home, ".hookline/workers", "") },
		"its directory of modules cannot be listed": func(p *place) { p.write(p.dirs.Home, ".pi/agent/extensions", "") },
		"the link of its directory of modules leads to itself": func(p *place) {
			must(os.MkdirAll(filepath.Join(p.dirs.Home, ".pi/agent"), 0o755))
			must(os.Symlink("extensions", filepath.Join(p.dirs.Home, ".pi/agent/extensions")))
		},
		"its module's link leads nowhere": func(p *place) {
			must(os.MkdirAll(filepath.Join(p.dirs.Home, ".pi/agent/extensions"), 0o755))
			must(os.Symlink("gone", filepath.Join(p.dirs.Home, ".pi/agent/extensions/guard.ts")))
		},
		"the link of its module's directory leads nowhere": func(p *place) {
			must(os.MkdirAll(filepath.Join(p.dirs.Home, ".pi/agent/extensions"), 0o755))
			must(os.Symlink("gone", filepath.Join(p.dirs.Home, ".pi/agent/extensions/guard")))
		},
		"the link of its directory of modules leads nowhere": func(p *place) {
			must(os.MkdirAll(filepath.Join(p.dirs.Home, ".pi/agent"), 0o755))
			must(os.Symlink("gone", filepath.Join(p.dirs.Home, ".pi/agent/extensions")))
		},
		"its link leads nowhere": func(p *place) {
			path := kodelet(p)
			must(os.Remove(path))
			must(os.Symlink("gone", path))
		},
		"the link of its settings leads nowhere": func(p *place) {
			project(p)
			path := filepath.Join(p.dirs.Project, ".claude/settings.json")
			must(os.Remove(path))
			must(os.Symlink("gone", path))
		},
		"the link of the directory of its settings leads nowhere": func(p *place) {
			project(p)
			path := filepath.Join(p.dirs.Project, ".claude")
			must(os.RemoveAll(path))
			must(os.Symlink("gone", path))
		},
		"the link of its directory leads nowhere": func(p *place) {
			must(os.MkdirAll(filepath.Join(p.dirs.Home, ".hookline"), 0o755))
			must(os.Symlink("gone", filepath.Join(p.dirs.Home, ".hookline/hooks")))
		},
		"the person's settings script could be written by others": func(p *place) {
			path := p.write(p.dirs.Home, "guard.sh", silentGuard)
			p.userGuard(path, "block")
			must(os.Chmod(path, 0o777))
		},
		"its approved script changed":        func(p *place) { project(p); p.write(p.dirs.Project, "guard.sh", silentGuard+"exit 0\n") },
		"its approved script's mode did":     func(p *place) { must(os.Chmod(project(p), 0o700)) },
		"its approved script is a link":      func(p *place) { path := project(p); must(os.Remove(path)); must(os.Symlink("/etc/hosts", path)) },
		"its approved script is a directory": func(p *place) { path := project(p); must(os.Remove(path)); must(os.Mkdir(path, 0o755)) },
		"its approved matcher changed":       func(p *place) { project(p); p.projectGuard("PreToolUse", "Nothing", "block") },
		"its approved policy was relaxed":    func(p *place) { project(p); p.projectGuard("PreToolUse", "Bash", "continue") },
		"its approved event changed":         func(p *place) { project(p); p.projectGuard("Notification", "", "block") },
		"its approved entry is misspelt":     func(p *place) { project(p); p.projectGuard("PreToolUse", "(", "block") },
		"its approved file is misspelt":      func(p *place) { project(p); p.write(p.dirs.Project, ".claude/settings.json", "{") },
		"its approved entry has another type": func(p *place) {
			project(p)
			p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"nonsense","onFailure":"continue"}]}]}}`)
		},
		"a list of the project leaves its address out": func(p *place) {
			request(p)
			p.write(p.dirs.Project, ".claude/settings.local.json", `{"allowedHttpHookUrls":[]}`)
		},
		"a list of the person leaves its address out": func(p *place) {
			request(p)
			p.write(p.dirs.Home, ".claude/settings.json", `{"allowedHttpHookUrls":["https://example.com/*"]}`)
		},
		"the person's list of addresses is misspelt": func(p *place) {
			request(p)
			p.write(p.dirs.Home, ".claude/settings.json", `{"allowedHttpHookUrls":true}`)
		},
		"approvals cannot be read": func(p *place) { project(p); p.write(discovery.TrustDir(p.dirs), "trust.json", "{") },
		"its approved worker changed": func(p *place) {
			path := p.write(p.dirs.Project, ".hookline/workers/guard", "#!/bin/sh\n")
			p.approve()
			must(os.WriteFile(path, []byte("#!/bin/sh\nexit 0\n"), 0o755))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			spoil(p)
			e, set := p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }), hook.WithStrict())
			out, ran := p.call(e)
			if ran || len(set.Hooks) == 0 || !set.Hooks[0].Failed {
				t.Errorf("ran %v: %v %q, %+v", ran, out.Decision, out.Reason, set.Hooks)
			}
		})
	}
}

// TestProjectFileOfAGuardChanges: a guard of the person runs a file of the project that was
// approved, where no private copy can be kept; what the project does to the file later is
// the guard's failure, whatever its policy.
func TestProjectFileOfAGuardChanges(t *testing.T) {
	for name, c := range map[string]struct{ script, later string }{
		"before it runs": {"#!/bin/sh\n", "#!/bin/sh\nexit 0\n"},
		"while it runs":  {"#!/bin/sh\necho >>\"$CLAUDE_PROJECT_DIR\"/check.sh\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.write(p.dirs.Cache, "trusted", "no directory")
			p.write(p.dirs.Project, "check.sh", c.script)
			p.userGuard(`"$CLAUDE_PROJECT_DIR"/check.sh`, "continue")
			p.approve()
			e, _ := p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }))
			if c.later != "" {
				if _, ran := p.call(e); !ran {
					t.Fatal("the approved guard stops the call")
				}
				if err := os.Remove(filepath.Join(p.dirs.Project, "marker")); err != nil {
					t.Fatal(err)
				}
				p.write(p.dirs.Project, "check.sh", c.later)
			}
			if out, ran := p.call(e); ran {
				t.Errorf("ran: %+v", out)
			}
		})
	}
}

// TestFirstFileOfAPattern: a hook whose pattern matched nothing when it was approved does
// not run what comes to match it.
func TestFirstFileOfAPattern(t *testing.T) {
	p := newPlace(t)
	if err := os.Mkdir(filepath.Join(p.dirs.Project, "checks"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write(p.dirs.Project, ".claude/settings.json", string(hook.MustJSON(map[string]any{"hooks": map[string]any{"PreToolUse": []any{
		map[string]any{"hooks": []any{map[string]any{
			"name": "guard", "type": "command", "onFailure": "block",
			"command": `cd "$CLAUDE_PROJECT_DIR"; for f in checks/*.sh; do [ ! -f "$f" ] || . "$f"; done`,
		}}},
	}}}).Raw()))
	p.approve()
	e, _ := p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }))
	if _, ran := p.call(e); !ran {
		t.Fatal("the approved guard stops the call")
	}
	if err := os.Remove(filepath.Join(p.dirs.Project, "marker")); err != nil {
		t.Fatal(err)
	}
	p.write(p.dirs.Project, "checks/one.sh", "touch planted\n")
	if out, ran := p.call(e); ran || p.planted() {
		t.Errorf("ran %v, planted %v: %+v", ran, p.planted(), out)
	}
}

// TestGuardThatWasNeverInForceIsSkipped: what a clone brings is reported and stops nothing;
// so does what the person switched off or refused, or took the approval from.
func TestGuardThatWasNeverInForceIsSkipped(t *testing.T) {
	store := func(p *place) *trust.Store { return trust.NewStore(discovery.TrustDir(p.dirs)) }
	for name, prepare := range map[string]func(p *place){
		"never approved": func(*place) {},
		"never approved, in a file that cannot be read": func(p *place) { p.write(p.dirs.Project, ".claude/settings.json", "{") },
		"never approved, and broken": func(p *place) {
			p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"command","onFailure":"block"}]}]}}`)
		},
		"approval taken back": func(p *place) {
			p.approve()
			if _, err := store(p).RevokeIf(p.Context(), func(trust.Approval) bool { return true }); err != nil {
				p.Fatal(err)
			}
			p.write(p.dirs.Project, "guard.sh", silentGuard+"exit 0\n")
		},
		"switched off": func(p *place) {
			p.approve()
			p.write(p.dirs.Project, "guard.sh", silentGuard+"exit 0\n")
			p.write(p.dirs.Config, "config.json", `{"hooks":{"disabled":["guard"]}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.write(p.dirs.Project, "guard.sh", silentGuard)
			p.projectGuard("PreToolUse", "Bash", "block")
			prepare(p)
			cfg, _ := config.Load("", p.dirs.Config, "")
			e, set := p.register(p.loader(func(o *discovery.Options) { o.Gate, o.Config = nil, cfg }), hook.WithStrict())
			if out, ran := p.call(e); !ran || set.Hooks[0].Failed || set.Hooks[0].Off != (name == "switched off") {
				t.Errorf("ran %v: %q, %+v", ran, out.Reason, set.Hooks[0])
			}
		})
	}
}

// TestOwnCodeEnvironment looks at what hooks are given: a guard of the person finds the
// modules beside its script and nothing of the project, other hooks keep their programs,
// and the setting and a project's own hooks keep all.
func TestOwnCodeEnvironment(t *testing.T) {
	python(t)
	p := newPlace(t)
	p.write(p.dirs.Home, "hooks/helper.py", "ok = 'found beside'\n")
	p.write(p.dirs.Project, "helper.py", plants)
	script := p.write(p.dirs.Home, "hooks/env.py", "#!/usr/bin/env python3\nimport os, sys\nsys.stdin.read()\nimport helper\n"+
		"open(sys.argv[1], 'w').write('\\n'.join([helper.ok] + [k + '=' + os.environ.get(k, '') for k in ('PATH', 'PYTHONPATH', 'NODE_PATH', 'PYTHONSAFEPATH', 'PYTHONPYCACHEPREFIX')]))\n")
	bin := filepath.Join(p.dirs.Project, "node_modules", ".bin")
	entry := func(name string) any {
		return map[string]any{"hooks": []any{map[string]any{"name": name, "type": "command", "command": script + " " + filepath.Join(p.dirs.Home, name)}}}
	}
	p.write(p.dirs.Home, ".claude/settings.json", string(hook.MustJSON(map[string]any{"hooks": map[string]any{
		"PreToolUse": []any{entry("guard"), entry("loose")}, "PostToolUse": []any{entry("formatter")},
	}}).Raw()))
	p.write(p.dirs.Config, "config.json", `{"hooks":{"projectCode":["loo*"]}}`)
	p.write(p.dirs.Project, ".hookline/config.json", `{"hooks":{"projectCode":["guard"]}}`)
	cfg, _ := config.Load("", p.dirs.Config, filepath.Join(p.dirs.Project, ".hookline"))
	t.Setenv("PYTHONPATH", "")
	e, _ := p.register(p.loader(func(o *discovery.Options) {
		o.Gate, o.Config = nil, cfg
		o.Environ = append(os.Environ(), "PATH="+bin+":.:"+os.Getenv("PATH"), "PYTHONPATH=lib:"+filepath.Join(p.dirs.Home, "mine"), "NODE_PATH="+bin)
	}))
	p.call(e)
	p.fire(e, &hook.PostToolUse{Common: hook.Common{SessionID: "s"}, ToolName: "Bash"})
	if p.planted() {
		t.Error("a module of the project ran")
	}
	got := func(name string) string {
		data, err := os.ReadFile(filepath.Join(p.dirs.Home, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	beside, err := filepath.EvalSymlinks(filepath.Dir(script))
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"found beside", "\nPYTHONPATH=" + beside + ":" + filepath.Join(p.dirs.Home, "mine") + "\n", "\nNODE_PATH=\n", "PYTHONSAFEPATH=1", "PYTHONPYCACHEPREFIX=" + p.dirs.Cache}
	for name, want := range map[string][]string{
		"guard":     own,
		"formatter": append(own, bin+":.:"),
		"loose":     {bin + ":.:", "\nPYTHONPATH=lib:", "\nNODE_PATH=" + bin, "PYTHONSAFEPATH=\n"},
	} {
		for _, part := range want {
			if !strings.Contains(got(name), part) {
				t.Errorf("%s has no %q:\n%s", name, part, got(name))
			}
		}
	}
	if strings.Contains(got("guard"), bin) || strings.Contains(got("guard"), ":.:") {
		t.Errorf("the guard finds programs of the project:\n%s", got("guard"))
	}
}
