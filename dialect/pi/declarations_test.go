package pi

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestDeclarationsNameEveryEvent(t *testing.T) {
	d := Declarations()
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

// TestExamplesTypeCheck checks modules with the real compiler. HOOKLINE_TSC names
// it; CI installs it where there is Node.
func TestExamplesTypeCheck(t *testing.T) {
	tsc := os.Getenv("HOOKLINE_TSC")
	if tsc == "" {
		t.Skip("HOOKLINE_TSC does not name a TypeScript compiler")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func() (string, error) {
		cmd := exec.Command(tsc, "--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "hookline.d.ts", "m.ts")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	write("hookline.d.ts", Declarations())
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
	write("m.ts", good)
	if out, err := check(); err != nil {
		t.Errorf("a right module is refused: %v\n%s", err, out)
	}
	write("m.ts", strings.Replace(good, `block: true, reason: "no"`, `block: "yes", reason: 1`, 1))
	if out, err := check(); err == nil || !strings.Contains(out, "m.ts") {
		t.Errorf("a wrong answer passes: %v\n%s", err, out)
	}
}
