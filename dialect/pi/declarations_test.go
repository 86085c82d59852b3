package pi

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

func TestDeclarationsNameEveryEvent(t *testing.T) {
	d := declarations()
	for _, name := range Names() {
		if !strings.Contains(d, `on(event: "`+name+`"`) {
			t.Errorf("no declaration for %s", name)
		}
	}
	for _, want := range []string{
		`on(event: "tool_call", handler: Handler<{ type: "tool_call"; toolName: string; toolCallId: string; input: any`,
		`block?: boolean; reason?: string`,
	} {
		if !strings.Contains(d, want) {
			t.Errorf("%q is not in:\n%s", want, d)
		}
	}
}

// TestDeclarationsNameEveryMember: what a module gets at run time, its editor knows, and what may
// be any JSON is not narrowed to a sample.
func TestDeclarationsNameEveryMember(t *testing.T) {
	d := declarations()
	path := filepath.Join(t.TempDir(), "m.js")
	text := `export default (pi) => { throw new Error("MEMBERS " + Object.keys(pi).join(" ") + " END"); }`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := script.Load(t.Context(), path, script.Options{})
	if err == nil {
		t.Fatal("the module does not say what it gets")
	}
	_, list, _ := strings.Cut(err.Error(), "MEMBERS ")
	list, _, ok := strings.Cut(list, " END")
	names := strings.Fields(list)
	if !ok || len(names) < 20 {
		t.Fatalf("the module says %v", err)
	}
	_, api, _ := strings.Cut(d, "export interface HookAPI {")
	api, _, _ = strings.Cut(api, "\n\t}\n")
	for _, name := range names {
		if !regexp.MustCompile(`\n\t\t` + name + `[<(:]`).MatchString(api) {
			t.Errorf("no declaration of pi.%s", name)
		}
	}
	if strings.Contains(d, "k: number") {
		t.Error("a sample is taken for a type")
	}
	if !strings.Contains(d, `type: "tool_execution_start"; args: any`) {
		t.Error("the arguments of a tool have a type")
	}
}

// compiler runs the real TypeScript compiler, which HOOKLINE_TSC names, in a directory that has
// the declarations and what is written there. CI installs it where there is Node.
type compiler struct {
	t        *testing.T
	tsc, dir string
}

func newCompiler(t *testing.T) *compiler {
	t.Helper()
	tsc := os.Getenv("HOOKLINE_TSC")
	if tsc == "" {
		t.Skip("HOOKLINE_TSC does not name a TypeScript compiler")
	}
	c := &compiler{t: t, tsc: tsc, dir: t.TempDir()}
	c.write("hookline.d.ts", declarations())
	if modules := filepath.Join(filepath.Dir(tsc), ".."); filepath.Base(modules) == "node_modules" {
		if err := os.Symlink(modules, filepath.Join(c.dir, "node_modules")); err != nil { // the types of Node and typebox
			t.Fatal(err)
		}
	}
	return c
}

func (c *compiler) write(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// check compiles all files, with further options, and returns what is said.
func (c *compiler) check(options ...string) string {
	c.t.Helper()
	args := append([]string{"--noEmit", "--strict", "--allowImportingTsExtensions", "--target", "es2023", "--module", "esnext", "--moduleResolution", "bundler"}, options...)
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".ts") {
			rel, _ := filepath.Rel(c.dir, path) // it is below
			args = append(args, rel)
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(c.tsc, args...)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		c.t.Fatal(exit, err)
	}
	return string(out)
}

// TestExamplesTypeCheck checks a module, those of this project's examples, and those that 'new'
// writes.
func TestExamplesTypeCheck(t *testing.T) {
	c := newCompiler(t)
	good := `import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
export default function (pi: HookAPI): void {
	pi.on("tool_call", async (event, ctx) => {
		if (event.toolName !== "bash") return;
		const ok = await ctx.ui.confirm("sure?", String(event.input.command ?? ""));
		if (!ok) return { block: true, reason: "no" };
	});
	pi.on("tool_result", async event => {
		if (event.isError) return;
		return { content: event.content.map(c => c.type === "text" ? { ...c, text: c.text.trim() } : c) };
	});
	pi.on("context", async event => ({ messages: event.messages.filter(m => m.role !== "custom") }));
	pi.registerCommand("handoff", { handler: async (_args, ctx) => { await ctx.waitForIdle(); } });
}
`
	c.write("m.ts", good)
	for _, dir := range []string{"hooks/pi-typescript/.hookline/modules/deploy-gate.ts", "agent/.hookline/modules/hide-keys.ts"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", filepath.FromSlash(dir)))
		if err != nil {
			t.Fatal(err)
		}
		c.write(dir, string(text))
	}
	for _, ev := range hook.Events() {
		draft, err := (Dialect{}).New(dialect.NewHook{Name: "h", Event: ev, Lang: "ts", Base: c.dir, Refuses: "rm", Field: "command"})
		if err == nil {
			c.write("new/"+ev.String()+".ts", string(draft.Files[0].Data))
		}
	}
	if out := c.check(); out != "" {
		t.Errorf("right modules are refused:\n%s", out)
	}
	for right, wrong := range map[string]string{
		`block: true, reason: "no"`: `block: "yes", reason: 1`, `event.isError`: `event.isEror`, `ctx.ui.confirm`: `ctx.ui.confrim`,
		`registerCommand`: `registerComand`, `"tool_call"`: `"tool_cal"`, `"tool_result"`: `"toolresult"`,
	} {
		c.write("m.ts", strings.Replace(good, right, wrong, 1))
		if out := c.check(); !strings.Contains(out, "m.ts") {
			t.Errorf("%s passes for %s:\n%s", wrong, right, out)
		}
	}
}

// beyondUs are pi's own example modules that use what is not here, and what that is.
var beyondUs = map[string]string{
	"border-status-editor.ts": "agent_settled", "git-checkpoint.ts": "agent_settled", "notify.ts": "agent_settled", "titlebar-spinner.ts": "agent_settled",
	"reload-runtime.ts": "agent_settled", "debug-provider.ts": "provider_stream_event", "provider-payload.ts": "after_provider_response",
	"project-trust.ts": "project_trust", "custom-compaction.ts": "uuidv7", "handoff.ts": "uuidv7", "summarize.ts": "uuidv7",
	"custom-provider-anthropic": "a package of its own", "custom-provider-gitlab-duo": "pi-ai/compat", "gondolin": "a package of its own",
	"with-deps": "a package of its own", "input-transform-streaming.ts": "streamingBehavior", "jev-router.ts": "virtual models",
	"message-renderer.ts": "outputPad", "minimal-mode.ts": "formatReadLineRange", "overlay-test.ts": "renderFakeCursor", "subagent": "formatReadLineRange",
	"tic-tac-toe.ts": "types of the terminal library",
}

// TestPublicModulesTypeCheck checks pi's own example modules, whose directory HOOKLINE_PI_EXAMPLES
// names. They are of version 1.6.0, and not written for a compiler that asks for every type.
func TestPublicModulesTypeCheck(t *testing.T) {
	from := os.Getenv("HOOKLINE_PI_EXAMPLES")
	if from == "" {
		t.Skip("HOOKLINE_PI_EXAMPLES does not name the example modules of pi")
	}
	c := newCompiler(t)
	if err := os.CopyFS(filepath.Join(c.dir, "x"), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{}
	for line := range strings.Lines(c.check("--noImplicitAny", "false", "--types", "node")) {
		if file, ok := strings.CutPrefix(line, "x/"); ok {
			file = file[:strings.IndexAny(file, "/(")]
			refused[file] += line
		}
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for _, e := range entries {
		switch why, known := beyondUs[e.Name()]; {
		case refused[e.Name()] != "" && !known:
			t.Errorf("%s is refused:\n%s", e.Name(), refused[e.Name()])
		case refused[e.Name()] == "" && known:
			t.Errorf("%s is not refused for %s any more", e.Name(), why)
		case refused[e.Name()] == "":
			right++
		}
	}
	if right < 50 {
		t.Errorf("only %d modules were checked", right)
	}
}
