package discovery_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/sandbox"
	"github.com/hookline-dev/hookline/trust"
)

// sandboxed gives a loader a sandbox in which hooks write to the project.
func (p *place) sandboxed(sb *dialect.Sandbox) func(*discovery.Options) {
	p.Helper()
	if offered := sandbox.Offered(); offered.Name == "" {
		p.Skip(offered.Lost)
	}
	sb.Policy = sandbox.Policy{Write: []string{p.dirs.Project}, NoRead: []string{p.dirs.State}, NoWrite: []string{p.dirs.Config}}
	return func(o *discovery.Options) { o.Sandbox = sb }
}

// entry is a settings file with one guard.
func entry(command, more string) string {
	return fmt.Sprintf(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "name": "guard", "command": %s%s}]}]}}`, hook.MustJSON(command).Raw(), more)
}

// made lists what hooks have written in a directory beside the project.
func (p *place) made(dir string) (names []string) {
	entries, _ := os.ReadDir(filepath.Join(filepath.Dir(p.dirs.Project), dir))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestHooksStayWithinTheSandbox has a hook of each kind that is started write outside of
// the project and into it, when it is asked what it is for, too.
func TestHooksStayWithinTheSandbox(t *testing.T) {
	const write = "echo x >../out/NAME; mkdir -p in; echo x >in/NAME\n"
	named := func(name string) string { return strings.ReplaceAll(write, "NAME", name) }
	for _, within := range []bool{false, true} {
		p := newPlace(t)
		if err := os.Mkdir(filepath.Join(filepath.Dir(p.dirs.Project), "out"), 0o755); err != nil {
			t.Fatal(err)
		}
		p.write(p.dirs.Project, ".hookline/hooks/asked", "#!/bin/sh\ncase $1 in hook) "+named("type")+"echo before_tool_call;;\nrun) cat >/dev/null\n"+named("run")+"esac\n")
		p.write(p.dirs.Project, ".hookline/workers/w", "#!/bin/sh\n"+named("worker")+pidWorker)
		p.write(p.dirs.Project, ".hookline/workers/asks", "#!/bin/sh\n"+execWorker(strings.TrimSpace(named("exec"))))
		p.write(p.dirs.Project, "entry.sh", named("entry")+pidWorker)
		p.write(p.dirs.Project, ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [
			{"type": "command", "command": "`+strings.TrimSpace(named("command"))+`"},
			{"type": "command", "command": "echo x >../out/builtin; echo x >in/builtin", "shell": "builtin-bash"},
			{"type": "worker", "command": "sh", "args": ["entry.sh"]}]}]}}`)
		p.write(p.dirs.Project, "in/there", "")
		change := func(*discovery.Options) {}
		if within {
			change = p.sandboxed(&dialect.Sandbox{})
		}
		e, set := p.register(p.loader(change, func(o *discovery.Options) { o.Hosting.WorkerHost = worker.Local{} }))
		if out := p.fire(e, bash("ls")); len(out.Runs) != 6 {
			t.Errorf("%+v, %+v", out.Runs, set.Diagnostics)
		}
		want := []string{"builtin", "command", "entry", "exec", "run", "type", "worker"}
		if outside := p.made("out"); within && len(outside) > 0 || !within && !slices.Equal(outside, want) {
			t.Errorf("within %v: outside there are %q", within, outside)
		}
		if inside := p.made(filepath.Base(p.dirs.Project) + "/in"); !slices.Equal(slices.DeleteFunc(inside, func(n string) bool { return n == "there" }), want) {
			t.Errorf("within %v: inside there are %q", within, inside)
		}
	}
}

// execWorker is the text of a worker that asks its host to run a line of shell.
func execWorker(line string) string {
	return strings.Replace(pidWorker, "  echo '{\"type\":\"result\"", `  echo '{"type":"request","id":"x","call":'"${id%%,*}"',"method":"exec","params":{"command":"sh","args":["-c","`+line+`"]}}'
  read -r answer
  echo '{"type":"result"`, 1)
}

// TestExtensionWritesItsData has an extension of the person, which lies where nothing writes,
// keep its data.
func TestExtensionWritesItsData(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Home, ".hookline/extensions/kodelet-extension-x", "#!/bin/sh\necho x >>\"$0\"; mkdir -p \"${0%/*}/d\"; for d in \"$HOOKLINE_STATE\"/extensions/*; do echo x >\"$d/kept\"; done\nexit 1\n")
	sb := &dialect.Sandbox{}
	change := p.sandboxed(sb)
	sb.Policy.NoWrite = append(sb.Policy.NoWrite, filepath.Join(p.dirs.Home, ".hookline"))
	sb.Policy.Write = append(sb.Policy.Write, p.dirs.Home)
	p.register(p.loader(change, func(o *discovery.Options) { o.Environ = append(os.Environ(), "HOOKLINE_STATE="+p.dirs.State) }))
	kept, _ := filepath.Glob(filepath.Join(p.dirs.State, "extensions", "*", "kept"))
	if own := p.made("home/.hookline/extensions"); len(kept) != 1 || len(own) != 1 {
		t.Errorf("its data are %q, beside it lie %q", kept, own)
	}
}

// TestWhoMayWidenTheSandbox has hooks ask for more than the sandbox lets them, and for less,
// where it is on, and where it is off, as by default.
func TestWhoMayWidenTheSandbox(t *testing.T) {
	const uncovered, covered = `; "$(echo true)"`, ""
	on, off := []string{"in"}, []string{"config", "in", "out"}
	for name, c := range map[string]struct {
		person        bool
		command, asks string
		how           string
		on, off       []string // of out, in, data and settings, to which the hook writes
	}{
		"nothing asked for":                  {false, covered, "", "approved", on, off},
		"a directory":                        {false, covered, `{"write": ["../out"]}`, "approved", []string{"in", "out"}, off},
		"what is never granted":              {false, covered, `{"write": ["../config"]}`, "approved", on, off},
		"none at all":                        {false, covered, `{"off": true}`, "approved", off, off},
		"none at all, by the person":         {true, covered, `{"off": true}`, "approved", off, off},
		"a directory that nobody approved":   {false, covered, `{"write": ["../out"]}`, "", on, off},
		"none at all that nobody approved":   {false, covered, `{"off": true}`, "", on, off},
		"covered, and may write":             {false, covered, "", "may write", on, off},
		"what approval does not cover":       {false, uncovered, "", "approved", []string{"data"}, []string{"data"}},
		"not covered, but may write":         {false, uncovered, "", "may write", on, off},
		"not covered, but approved to":       {false, uncovered, `{"write": ["."]}`, "approved", []string{"data", "in"}, []string{"data", "in"}},
		"not covered, none at all":           {false, uncovered, `{"off": true}`, "approved", off, off},
		"not covered, of the person's own":   {true, covered + "; npx --no x || :", "", "approved", on, off},
		"not covered, and nobody's approval": {false, uncovered, `{"off": true}`, "", []string{"data"}, []string{"data"}},
	} {
		for _, mode := range []string{"on", "off"} {
			p, a := widened(t, c.person, c.command, c.asks, c.how, mode == "off")
			want := map[string][]string{"on": c.on, "off": c.off}[mode]
			if !slices.Equal(p, want) {
				t.Errorf("%s, %s: it wrote to %q, want %q", name, mode, p, want)
			}
			if asked := strings.Contains(c.asks, "write") || strings.Contains(c.asks, "off"); (len(a.Capabilities) > 0) != asked || strings.Contains(a.Definition, "sandbox") != (c.asks != "") {
				t.Errorf("%s: the approval is about %q, %s", name, a.Capabilities, a.Definition)
			}
		}
	}
}

// widened returns to which directories a guard wrote that asks for something, and what its
// approval is about.
func widened(t *testing.T, person bool, command, asks, how string, confined bool) ([]string, trust.Artifact) {
	p := newPlace(t)
	for _, dir := range []string{"out", "config", "projéct 1/in"} {
		if err := os.MkdirAll(filepath.Join(filepath.Dir(p.dirs.Project), dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if asks != "" {
		asks = `, "sandbox": ` + asks
	}
	text := entry(`echo x >../out/f; echo x >in/f; echo x >../config/f; [ -z "$HOOKLINE_DATA_DIR" ] || echo x >"$TMPDIR/f"`+command, asks)
	p.write(map[bool]string{true: p.dirs.Home, false: p.dirs.Project}[person], ".claude/settings.json", text)
	store := trust.NewStore(discovery.TrustDir(p.dirs))
	gate := trust.NewGate(trust.GateOptions{Store: store, TrustProject: how == ""})
	l := p.loader(p.sandboxed(&dialect.Sandbox{Confined: confined}), func(o *discovery.Options) { o.Gate = gate })
	e, set := p.register(l)
	if how != "" && !person {
		if _, err := store.Approve(t.Context(), trust.ApproveOptions{MayWrite: how == "may write"}, set.Hooks[0].Artifact); err != nil {
			t.Fatal(err)
		}
		e, set = p.register(l)
	}
	p.fire(e, bash("ls"))
	var got []string
	for _, dir := range []string{"config", "data", "in", "out"} {
		at := cmp.Or(map[string]string{"in": "projéct 1/in", "data": "state/data"}[dir], dir)
		if dir == "data" { // a directory for each hook
			at += "/" + strings.Join(p.made(at), "")
		}
		if slices.Contains(p.made(at), "f") {
			got = append(got, dir)
		}
	}
	return got, set.Hooks[0].Artifact
}

// TestConfinedHookNeedsItsWall has guards that run what no approval covers, on a system
// without a wall: they fail, closed, and run when their approval lets them write.
func TestConfinedHookNeedsItsWall(t *testing.T) {
	for _, mayWrite := range []bool{false, true} {
		p := newPlace(t)
		p.write(p.dirs.Project, ".claude/settings.json", entry(`"$(echo true)"`, `, "onFailure": "continue"`))
		store := trust.NewStore(discovery.TrustDir(p.dirs))
		l := p.loader(func(o *discovery.Options) {
			o.Gate = nil
			o.Sandbox = &dialect.Sandbox{Confined: true, Err: sandbox.ErrNone}
		})
		_, set := p.register(l)
		if _, err := store.Approve(t.Context(), trust.ApproveOptions{MayWrite: mayWrite}, set.Hooks[0].Artifact); err != nil {
			t.Fatal(err)
		}
		e, set := p.register(l)
		_, ran := p.call(e)
		if f := set.Hooks[0]; ran != mayWrite || f.Failed == mayWrite || !mayWrite && !strings.Contains(f.Why, "hookline trust --allow-writes") {
			t.Errorf("may write is %v: the call ran: %v; %s", mayWrite, ran, f.Why)
		}
	}
}

// TestConfinedHookKeepsItsData has one without a name, which is called by what it runs: its data
// stay where they were when such names lost their end.
func TestConfinedHookKeepsItsData(t *testing.T) {
	p := newPlace(t)
	command := `"$(echo true)"; echo more >>"$HOOKLINE_DATA_DIR/f"; : what is long and goes on`
	p.write(p.dirs.Project, ".claude/settings.json", strings.Replace(entry(command, ""), `"name": "guard", `, "", 1))
	sum := sha256.Sum256([]byte(p.dirs.Project + "\x00claude\x00" + command[:57] + "..."))
	data := filepath.Join("data", hex.EncodeToString(sum[:8]), "f")
	file := p.write(p.dirs.State, data, "before\n")
	l := p.loader(p.sandboxed(&dialect.Sandbox{Confined: true}), func(o *discovery.Options) { o.Gate = nil })
	_, set := p.register(l)
	p.approveAll(set)
	e, _ := p.register(l)
	p.fire(e, bash("ls"))
	if got, err := os.ReadFile(file); err != nil || string(got) != "before\nmore\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestPluginStatesItsNeeds has the hooks of plugins write beside the project, which the
// manifests of these ask for, or say something that nobody understands.
func TestPluginStatesItsNeeds(t *testing.T) {
	const write = "echo x >../out/f; echo x >f"
	for name, c := range map[string]struct {
		sandbox  string
		approved bool
		out, ran bool
	}{
		"nothing":            {"", true, false, true},
		"a directory":        {`{"write": ["../out"]}`, true, true, true},
		"not approved":       {`{"write": ["../out"]}`, false, false, true},
		"what nobody knows":  {`{"wirte": ["../out"]}`, true, false, false},
		"no path":            {`{"write": [""]}`, true, false, false},
		"no object":          {`"off"`, true, false, false},
		"off, and something": {`{"off": true, "more": 1}`, true, false, false},
	} {
		for layout, files := range map[string]map[string]string{
			"executable": {"hooks/x": "#!/bin/sh\ncase $1 in hook) echo before_tool_call;;\nrun) cat >/dev/null; " + write + ";;\nesac\n"},
			"settings":   {"hooks/hooks.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "` + write + `"}]}]}}`},
			"worker":     {"workers/w": "#!/bin/sh\n" + write + "\n" + pidWorker},
		} {
			t.Run(name+"/"+layout, func(t *testing.T) {
				p := newPlace(t)
				p.dirs.Cache = t.TempDir()
				p.write(filepath.Dir(p.dirs.Project), "out/there", "")
				for file, text := range files {
					p.write(p.dirs.Project, ".hookline/plugins/o@p/"+file, text)
				}
				manifest := `{"name": "p"}`
				if c.sandbox != "" {
					manifest = `{"name": "p", "sandbox": ` + c.sandbox + `}`
				}
				p.write(p.dirs.Project, ".hookline/plugins/o@p/.claude-plugin/plugin.json", manifest)
				e, set := p.register(p.loader(p.sandboxed(&dialect.Sandbox{}), func(o *discovery.Options) {
					if !c.approved {
						o.Gate = trust.NewGate(trust.GateOptions{
							Store: trust.NewStore(discovery.TrustDir(p.dirs)), Copies: trust.Copies{Dir: discovery.CopiesDir(p.dirs)}, TrustProject: true,
						})
					}
				}))
				_, ran := p.call(e)
				out, in := slices.Contains(p.made("out"), "f"), slices.Contains(p.made(filepath.Base(p.dirs.Project)), "f")
				if ran != c.ran || out != c.out || in != c.ran {
					t.Errorf("the call ran: %v, the hook wrote outside: %v, inside: %v; %s", ran, out, in, set.Hooks[0].Why)
				}
				if a := set.Hooks[0].Artifact; strings.Contains(strings.Join(a.Capabilities, ""), "to write ../out") != (c.out || !c.approved) {
					t.Errorf("the approval is about %q", a.Capabilities)
				}
			})
		}
	}
}

// TestGuardWithoutItsSandboxHasFailed has guards of the person whose failure lets calls
// through, and of which the sandbox cannot be made, or entered.
func TestGuardWithoutItsSandboxHasFailed(t *testing.T) {
	for _, kind := range []string{"command", "worker"} {
		for _, when := range []string{"never", "at load", "at run"} {
			p := newPlace(t)
			p.write(p.dirs.Home, ".claude/settings.json", strings.Replace(entry("cat >/dev/null", `, "onFailure": "continue"`), `"type": "command"`, `"type": "`+kind+`"`, 1))
			if kind == "worker" {
				p.write(p.dirs.Home, "w.sh", pidWorker)
				p.write(p.dirs.Home, ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "worker", "command": "sh", "args": ["`+p.dirs.Home+`/w.sh"], "onFailure": "continue"}]}]}}`)
			}
			sb := &dialect.Sandbox{}
			change := p.sandboxed(sb)
			if when == "at load" {
				sb.Err = errors.New("no sandbox today")
			}
			e, set := p.register(p.loader(change))
			if when == "at run" {
				sb.Close()
				if kind == "worker" { // it runs already
					_, pid, _ := strings.Cut(p.fire(e, bash("ls")).Context[0], " ")
					if err := exec.Command("kill", "-9", pid).Run(); err != nil {
						t.Fatal(err)
					}
					p.fire(e, bash("ls")) // which may meet its end
				}
			}
			for range 4 { // a worker is not started each time
				if out, ran := p.call(e); ran != (when == "never") {
					t.Errorf("%s, %s: the call ran: %v: %+v", kind, when, ran, out.Runs)
				}
			}
			if f := set.Hooks[0]; f.Failed != (when == "at load") {
				t.Errorf("%s, %s: failed is %v, %s", kind, when, f.Failed, f.Why)
			}
		}
	}
}
