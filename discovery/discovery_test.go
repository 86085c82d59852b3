//go:build unix

package discovery_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// TestNoTypesAreRemembered says so of executables whose answers cannot be kept.
func TestNoTypesAreRemembered(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Home, ".hookline/hooks/guard", twoVerbs("before_tool_call", `{}`))
	p.write(p.dirs.Cache, "executable-types.json", `{"version":99,"entries":[]}`)
	set, err := p.loader().Load(t.Context())
	if err != nil || set.Hooks[0].Status != discovery.Active || !strings.Contains(fmt.Sprint(set.Diagnostics), "asked for their types each time") {
		t.Error(err, set)
	}
}

func twoVerbs(typ, answer string) string {
	return fmt.Sprintf("#!/bin/sh\ncase $1 in\nhook) echo %s ;;\nrun) cat >/dev/null; echo '%s' ;;\nesac\n", typ, answer)
}

// TestFourDialectsOneOutcome runs Go, claude, kodelet and pi hooks on one event.
func TestFourDialectsOneOutcome(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
		{"name":"claude-context","type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\",\"additionalContext\":\"from claude\"}}'"}]}]}}`)
	p.write(p.dirs.Project, ".kodelet/hooks/rewrite", "#!/bin/sh\ncase $1 in\nhook) echo before_tool_call ;;\nrun) sed 's/.*\"command\":\"\\([^\"]*\\)\".*/{\"blocked\":false,\"input\":{\"command\":\"\\1 --seen-by-kodelet\"}}/' ;;\nesac\n")
	p.write(p.dirs.Project, ".omp/hooks/gate.ts", `export default (pi: any) => {
		pi.on("tool_call", async (e: any) => e.toolName === "bash" && e.input.command.includes("--seen-by-kodelet") && e.input.command.includes("go-was-here")
			? { block: true, reason: "pi saw " + e.input.command } : undefined);
	};`)
	l := p.loader()
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		return hook.None(), in.ToolInput.Set("command", in.ToolInput.String("command")+" go-was-here")
	}, hook.Name("go"))
	set, err := l.Register(t.Context(), reg)
	if err != nil || len(set.Diagnostics) > 0 {
		t.Fatal(err, set.Diagnostics)
	}
	e := hook.New(reg)
	defer e.Close()
	out := p.fire(e, bash("ls"))
	var order []string
	for _, r := range out.Runs {
		order = append(order, r.Hook.Dialect)
		if r.Status != hook.StatusRan {
			t.Errorf("%s: %v %v", r.Hook.Name, r.Status, r.Err)
		}
	}
	if d := cmp.Diff([]string{"go", "claude", "kodelet", "pi"}, order); d != "" {
		t.Error(d)
	}
	if out.Decision != hook.DecisionDeny || out.Reason != "pi saw ls go-was-here --seen-by-kodelet" || !slices.Equal(out.Context, []string{"from claude"}) {
		t.Errorf("%v %q %q", out.Decision, out.Reason, out.Context)
	}
}

func TestPrecedenceShadowingAndNames(t *testing.T) {
	p := newPlace(t)
	silent := twoVerbs("before_tool_call", "")
	paths := []string{
		p.write(p.dirs.Project, ".hookline/hooks/a", silent),
		p.write(p.dirs.Project, ".kodelet/hooks/a", silent),
		p.write(p.dirs.Project, ".kodelet/plugins/org@repo/hooks/a", silent),
		p.write(p.dirs.Home, ".kodelet/hooks/a", silent),
		p.write(p.dirs.Home, ".kodelet/plugins/org@repo/hooks/a", silent),
		p.write(p.dirs.Home, ".kodelet/plugins/org@re@po/hooks/b", silent),
	}
	_, set := p.register(p.loader())
	want := map[string]discovery.Status{
		paths[0]: discovery.Active, paths[1]: discovery.Shadowed, paths[2]: discovery.Active, paths[3]: discovery.Shadowed,
		paths[4]: discovery.Shadowed, paths[5]: discovery.Active,
	}
	if d := cmp.Diff(want, statuses(set)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"a", "org/re@po/b", "org/repo/a"}, set.Names()); d != "" {
		t.Error(d)
	}
	if n := len(set.ByName("org@repo/a")); n != 2 {
		t.Errorf("org@repo/a finds %d hooks", n)
	}
}

func TestBrokenDisabledAndUntrustedDoNotShadow(t *testing.T) {
	for name, odd := range map[string]string{
		"wrong type":     twoVerbs("nonsense", ""),
		"exits":          "#!/bin/sh\nexit 1\n",
		"no program":     "#!/nonexistent/interpreter\n",
		"no interpreter": "#!\n",
	} {
		p := newPlace(t)
		bad := p.write(p.dirs.Project, ".kodelet/hooks/a", odd)
		good := p.write(p.dirs.Home, ".kodelet/hooks/a", twoVerbs("before_tool_call", `{"blocked":true,"reason":"still guarded"}`))
		e, set := p.register(p.loader())
		st := statuses(set)
		if st[bad] != discovery.Broken || st[good] != discovery.Active {
			t.Errorf("%s: %v", name, st)
		}
		if out := p.fire(e, bash("ls")); out.Reason != "still guarded" {
			t.Errorf("%s: %v %q", name, out.Decision, out.Reason)
		}
	}
	p := newPlace(t)
	off := p.write(p.dirs.Project, ".kodelet/hooks/a.disable", twoVerbs("before_tool_call", ""))
	good := p.write(p.dirs.Home, ".kodelet/hooks/a", twoVerbs("before_tool_call", ""))
	plain := p.write(p.dirs.Project, ".kodelet/hooks/b", twoVerbs("before_tool_call", ""))
	if err := os.Chmod(plain, 0o644); err != nil {
		t.Fatal(err)
	}
	p.write(p.dirs.Project, ".kodelet/hooks/helper.py", "import json\n")
	_, set := p.register(p.loader())
	if st := statuses(set); st[off] != discovery.Disabled || st[good] != discovery.Active || st[plain] != discovery.Disabled || len(st) != 3 {
		t.Errorf("disabled: %v", st)
	}
}

func TestLinksOutOfTheHooksDirectoryAreRefused(t *testing.T) {
	p := newPlace(t)
	outside := p.write(p.dirs.Home, "elsewhere", twoVerbs("before_tool_call", ""))
	inside := p.write(p.dirs.Project, ".hookline/hooks/real", twoVerbs("before_tool_call", ""))
	dir := filepath.Dir(inside)
	for link, target := range map[string]string{"out": outside, "in": "real", "loop": "loop", "dangling": "nothing"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	_, set := p.register(p.loader())
	st := statuses(set)
	want := map[string]discovery.Status{
		inside: discovery.Active, filepath.Join(dir, "in"): discovery.Active, filepath.Join(dir, "out"): discovery.Broken,
		filepath.Join(dir, "loop"): discovery.Broken, filepath.Join(dir, "dangling"): discovery.Broken,
	}
	if d := cmp.Diff(want, st); d != "" {
		t.Error(d)
	}
}

// gate refuses everything and remembers what it was asked.
type gate struct {
	asked []string
	allow bool
}

func (g *gate) Check(a trust.Artifact) trust.Verdict {
	g.asked = append(g.asked, a.Name)
	return trust.Verdict{Allowed: g.allow, Why: "untrusted", Digest: "sha256:x"}
}
func (g *gate) CheckFile(string, string) bool { return g.allow }

func TestNothingRunsBeforeItsGateAllowsIt(t *testing.T) {
	p := newPlace(t)
	marker := filepath.Join(p.dirs.Home, "marker")
	p.write(p.dirs.Project, ".hookline/hooks/exe", "#!/bin/sh\ntouch "+marker+"\necho before_tool_call\n")
	p.write(p.dirs.Project, ".hookline/modules/m.js", `import fs from "fs"; fs.writeFileSync("`+marker+`", ""); export default () => {}`)
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"name":"cmd","type":"command","command":"touch `+marker+`"}]}]}}`)
	g := &gate{}
	e, set := p.register(p.loader(func(o *discovery.Options) { o.Gate = g }))
	out := p.fire(e, bash("ls"))
	if _, err := os.Stat(marker); err == nil {
		t.Error("something ran")
	}
	slices.Sort(g.asked)
	if d := cmp.Diff([]string{"cmd", "exe", "m"}, g.asked); d != "" {
		t.Error(d)
	}
	for _, h := range set.Hooks {
		if h.Status != discovery.Untrusted {
			t.Errorf("%s is %s", h.Name, h.Status)
		}
	}
	if len(out.Notices) != 1 || out.Notices[0] != "3 hooks not run: untrusted" {
		t.Errorf("notices %q", out.Notices)
	}
}

func TestRefreshKeepsTheLastGoodHooksOfABrokenFile(t *testing.T) {
	p := newPlace(t)
	settings := p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo old >&2; exit 2"}]}]}}`)
	l := p.loader()
	reg := hook.NewRegistry()
	if _, err := l.Register(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	defer e.Close()
	refresh := func() (*discovery.Set, bool) {
		set, changed, err := l.Refresh(t.Context(), reg)
		if err != nil {
			t.Fatal(err)
		}
		return set, changed
	}
	if _, changed := refresh(); changed {
		t.Error("changed without a change")
	}
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"comma`)
	set, changed := refresh()
	said := strings.Contains(fmt.Sprint(set.Diagnostics), "stay in force")
	if out := p.fire(e, bash("ls")); !changed || !said || out.Reason != "old" {
		t.Errorf("half-written: changed %v, said %v, reason %q, %v", changed, said, out.Reason, set.Diagnostics)
	}
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo new >&2; exit 2"}]}]}}`)
	refresh()
	if out := p.fire(e, bash("ls")); out.Reason != "new" {
		t.Errorf("mended: %q", out.Reason)
	}
	if err := os.Remove(settings); err != nil {
		t.Fatal(err)
	}
	refresh()
	if out := p.fire(e, bash("ls")); out.Decision != hook.DecisionNone {
		t.Errorf("removed: %v", out.Decision)
	}
}

// TestRefreshFindsAPlaceThatCameWhileHooksWereFound: what a load did not look into is not
// taken for known.
func TestRefreshFindsAPlaceThatCameWhileHooksWereFound(t *testing.T) {
	p := newPlace(t)
	late := filepath.Join(p.dirs.Project, ".hookline/hooks/late")
	p.write(p.dirs.Project, ".kodelet/hooks/maker", fmt.Sprintf(`#!/bin/sh
case $1 in
hook) [ -e %[1]q ] || { mkdir -p %[2]q && sed 's/blocked":false/blocked":true/' "$0" >%[1]q && chmod +x %[1]q; }; echo before_tool_call ;;
run) cat >/dev/null; echo '{"blocked":false,"reason":"late"}' ;;
esac
`, late, filepath.Dir(late)))
	l := p.loader()
	reg := hook.NewRegistry()
	if _, err := l.Register(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	defer e.Close()
	if out := p.fire(e, bash("ls")); out.Decision != hook.DecisionNone || len(out.Runs) != 1 {
		t.Fatalf("before: %v %q, %d hooks", out.Decision, out.Reason, len(out.Runs))
	}
	if _, changed, err := l.Refresh(t.Context(), reg); err != nil || !changed {
		t.Fatal(changed, err)
	}
	if out := p.fire(e, bash("ls")); out.Decision != hook.DecisionDeny || out.Reason != "late" {
		t.Errorf("after: %v %q", out.Decision, out.Reason)
	}
}

func TestRefreshLoadsAModuleAnewWhenAnImportChanges(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Project, ".hookline/modules/m.ts", `import { why } from "../lib/why"; export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason: why }));`)
	p.write(p.dirs.Project, ".hookline/lib/why.ts", `export const why = "first";`)
	l := p.loader()
	reg := hook.NewRegistry()
	if _, err := l.Register(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	defer e.Close()
	if out := p.fire(e, bash("ls")); out.Reason != "first" {
		t.Fatalf("%q", out.Reason)
	}
	p.write(p.dirs.Project, ".hookline/lib/why.ts", `export const why = "the second";`)
	if _, changed, err := l.Refresh(t.Context(), reg); err != nil || !changed {
		t.Fatal(changed, err)
	}
	if out := p.fire(e, bash("ls")); out.Reason != "the second" {
		t.Errorf("%q", out.Reason)
	}
}

func TestManagedHooksCannotBeDisabledFromBelow(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Managed, "hooks/guard", twoVerbs("before_tool_call", `{"blocked":true,"reason":"managed"}`))
	p.write(p.dirs.Project, ".hookline/hooks/guard", twoVerbs("before_tool_call", `{"blocked":false}`))
	p.write(p.dirs.Config, config.FileName, `{"hooks":{"disabled":["guard"],"off":true}}`)
	cfg, diags := config.Load(p.dirs.Managed, p.dirs.Config, filepath.Join(p.dirs.Project, ".hookline"))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	e, _ := p.register(p.loader(func(o *discovery.Options) { o.Config = cfg }))
	if out := p.fire(e, bash("ls")); out.Reason != "managed" {
		t.Errorf("%v %q", out.Decision, out.Reason)
	}
}

func TestModuleOrderAndPlaces(t *testing.T) {
	p := newPlace(t)
	mod := func(name string) string {
		return fmt.Sprintf(`export default (pi) => { pi.on("before_agent_start", () => ({ message: { customType: %q, content: "x", display: false } })); pi.registerCommand("shared", { handler() {} }); };`, name)
	}
	p.write(p.dirs.Project, ".omp/hooks/b.ts", mod("omp b"))
	p.write(p.dirs.Project, ".omp/hooks/a.js", mod("omp a"))
	p.write(p.dirs.Project, ".omp/hooks/dir/index.ts", mod("omp dir"))
	p.write(p.dirs.Project, ".pi/extensions/e.ts", mod("pi e"))
	p.write(p.dirs.Project, ".hookline/modules/h.mjs", mod("hookline h"))
	p.write(p.dirs.Home, ".omp/agent/hooks/u.ts", mod("omp user"))
	p.write(p.dirs.Home, ".pi/agent/extensions/x.ts", mod("pi user"))
	named := p.write(p.dirs.Home, "named/n.ts", mod("named"))
	p.write(p.dirs.Project, ".omp/hooks/pre/old-gate", "#!/bin/sh\n")
	p.write(p.dirs.Project, ".claude/hooks/pre/check.sh", "#!/bin/sh\n")
	l := p.loader(func(o *discovery.Options) { o.Modules = []string{"~/named/n.ts", named} })
	e, set := p.register(l)
	var order []string
	for _, h := range set.Hooks {
		if h.Dialect == "pi" && h.Status == discovery.Active {
			order = append(order, h.Name)
		}
	}
	if d := cmp.Diff([]string{"h", "a", "b", "dir", "e", "u", "x", "n"}, order); d != "" {
		t.Error(d)
	}
	out := p.fire(e, &hook.UserPromptSubmit{Prompt: "hi"})
	if len(out.Inject) == 0 || out.Inject[0].CustomType != "hookline h" {
		t.Errorf("the message of the first module should be the first: %+v", out.Inject)
	}
	if n := len(l.Modules()); n != 8 {
		t.Errorf("%d modules are loaded", n)
	}
	old := 0
	for _, h := range set.Hooks {
		if h.Status == discovery.Broken && strings.Contains(h.Why, "cannot be imported as a module") && strings.Contains(h.Why, ".claude/settings.json") {
			old++
		}
	}
	if old != 2 {
		t.Errorf("%d of 2 shell hooks of the old layout are explained", old)
	}
}

func TestProjectModulesMayDoWhatTheyAskedForAndNothingElse(t *testing.T) {
	for _, asks := range []bool{false, true} {
		p := newPlace(t)
		secret := p.write(p.dirs.Home, "secret.txt", "top secret")
		header := ""
		if asks {
			header = "// hookline: read:" + secret + "\n"
		}
		p.write(p.dirs.Project, ".hookline/modules/m.ts", header+`
			import fs from "fs";
			export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason: fs.readFileSync("`+secret+`", "utf8") }));`)
		e, set := p.register(p.loader())
		out := p.fire(e, bash("ls"))
		if got := out.Reason == "top secret"; got != asks {
			t.Errorf("asks %v: %q", asks, out.Reason)
		}
		if out.Decision != hook.DecisionDeny {
			t.Errorf("asks %v: a gate that throws should block: %v", asks, out.Decision)
		}
		if got := len(set.Hooks[0].Artifact.Capabilities) == 1; got != asks {
			t.Errorf("asks %v: capabilities %q", asks, set.Hooks[0].Artifact.Capabilities)
		}
	}
}

func TestUnknownMembersOfAModulesAnswerAreNoted(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Project, ".hookline/modules/m.js", `export default (pi) => pi.on("tool_result", () => ({ contents: [] }));`)
	e, _ := p.register(p.loader())
	out := p.fire(e, &hook.PostToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{}`), ToolResponse: hook.MustJSON("x")})
	if got := strings.Join(out.Runs[0].Notes, "; "); !strings.Contains(got, "contents") {
		t.Errorf("notes %q, ignored %q", got, out.Runs[0].Ignored)
	}
}

// TestWhatAnExecutableImportsIsApprovedWithIt changes a file beside an approved hook
// and an approved worker: neither runs before it is approved again.
func TestWhatAnExecutableImportsIsApprovedWithIt(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Project, ".hookline/hooks/guard", "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\ncase $1 in hook) echo before_tool_call ;; run) cat >/dev/null; judge ;; esac\n")
	helper := p.write(p.dirs.Project, ".hookline/hooks/lib.sh", "judge() { echo '{\"blocked\":true,\"reason\":\"as approved\"}'; }\n")
	p.write(p.dirs.Project, ".hookline/workers/w", `#!/bin/sh
. "$(dirname "$0")/wlib.sh"
echo '{"type":"hello","protocol":1,"hooks":[{"event":"PostToolUse"}]}'
while read -r line; do
  case $line in *shutdown*) exit 0 ;; esac
  id=${line#'{"type":"call","id":'}
  echo '{"type":"result","id":'"${id%%,*}"',"context":["'"$said"'"]}'
done
`)
	workerHelper := p.write(p.dirs.Project, ".hookline/workers/wlib.sh", "said=approved\n")

	store := trust.NewStore(filepath.Join(t.TempDir(), "trust"))
	gated := func() (*hook.Engine, *discovery.Set) {
		return p.register(p.loader(func(o *discovery.Options) {
			o.Gate = trust.NewGate(trust.GateOptions{Store: store, Copies: trust.Copies{Dir: filepath.Join(t.TempDir(), "copies")}})
		}))
	}
	_, set := gated()
	for i := range set.Hooks {
		h := &set.Hooks[i]
		if h.Status != discovery.Untrusted {
			t.Fatalf("%s is %v: %s", h.Path, h.Status, h.Why)
		}
		if _, err := store.Approve(t.Context(), trust.ApproveOptions{}, h.Artifact); err != nil {
			t.Fatal(err)
		}
	}
	after := &hook.PostToolUse{Common: hook.Common{SessionID: "s"}, ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": "ls"})}
	e, _ := gated()
	if out := p.fire(e, bash("ls")); out.Decision != hook.DecisionDeny || out.Reason != "as approved" {
		t.Fatalf("approved: %v %q, runs %+v", out.Decision, out.Reason, out.Runs)
	}
	if out := p.fire(e, after); len(out.Context) != 1 || out.Context[0] != "approved" {
		t.Fatalf("approved: %v, runs %+v", out.Context, out.Runs)
	}

	marker := filepath.Join(t.TempDir(), "ran")
	p.write(p.dirs.Project, ".hookline/hooks/lib.sh", "touch '"+marker+"'; judge() { :; }\n")
	p.write(p.dirs.Project, ".hookline/workers/wlib.sh", "touch '"+marker+"'; said=changed\n")
	for what, e := range map[string]*hook.Engine{"the same session": e, "a new session": func() *hook.Engine { e, _ := gated(); return e }()} {
		if out := p.fire(e, bash("ls")); what == "the same session" && out.Decision != hook.DecisionDeny {
			t.Errorf("%s: decision %v, runs %+v", what, out.Decision, out.Runs)
		}
		if out := p.fire(e, after); slices.Contains(out.Context, "changed") {
			t.Errorf("%s: the changed worker answered", what)
		}
		if _, err := os.Stat(marker); err == nil {
			t.Errorf("%s: code that nobody approved ran (%s, %s)", what, helper, workerHelper)
		}
	}
	_, set = gated()
	for i := range set.Hooks {
		if h := &set.Hooks[i]; h.Status != discovery.Untrusted {
			t.Errorf("%s is %v after a change beside it", h.Path, h.Status)
		}
	}
}
