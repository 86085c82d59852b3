package shim_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/shim"
	"github.com/hookline-dev/hookline/hook"
)

func Example() {
	codec := shim.Dialect().Codec()
	in, _, err := codec.DecodeInput([]byte(`{"event":"tool.execute.before","directory":"/repo","sessionID":"s","callID":"c","tool":"write","args":{"filePath":"/a","content":"x"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _, err := codec.EncodeOutcome(in, &hook.Outcome{Event: in.Event(), Decision: hook.DecisionDeny, Reason: "not there"})
	fmt.Printf("%v %s %s %v", in.Event(), in.Subject(), a.Stdout, err)
	// Output: PreToolUse Write {"deny":"not there"}
	//  <nil>
}

// client answers like the engine, by the event.
const client = `#!/bin/sh
payload=$(cat)
event=$2
case $event in
tool_call) event=tool.execute.before ;;
tool_result) event=tool.execute.after ;;
input) event=chat.message ;;
agent_end) event=session.idle ;;
esac
case "$event $payload" in
"tool.execute.before "*'rm -rf'*) echo '{"deny":"not here"}' ;;
"tool.execute.before "*nonsense*) echo 'allow' ;;
"tool.execute.before "*crash*) echo 'it broke' >&2; exit 2 ;;
"tool.execute.before "*) echo '{"args":{"command":"other"}}' ;;
"tool.execute.after "*) echo '{"output":"hidden","context":"mind it"}' ;;
"chat.message "*forbidden*) echo '{"deny":"no such prompt"}' ;;
"chat.message "*) echo '{"context":"the ticket"}' ;;
"session.idle "*'"active":false'*) echo '{"continue":"test it"}' ;;
esac
`

// driver does what OpenCode does with a plugin, and prints what comes of it.
const driver = `
import { Hookline } from "./hookline.mjs"
const said = []
const client = { app: { log: async (m) => said.push(m.body.message) }, session: { prompt: async (p) => said.push(p.path.id + ": " + p.body.parts[0].text) } }
const hooks = await Hookline({ client, directory: process.cwd() })
const call = async (command) => {
  const output = { args: { command, description: "d" } }, args = output.args
  try { await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, output) } catch (e) { return "thrown: " + e.message.split("\n")[0] }
  return JSON.stringify(args)
}
for (const c of ["rm -rf x", "nonsense", "crash", "ls"]) console.log(await call(c))
const output = { output: "secret" }
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: {} }, output)
console.log(JSON.stringify(output.output))
const parts = [{ type: "text", text: "hello" }]
await hooks["chat.message"]({ sessionID: "s" }, { message: { id: "m" }, parts })
console.log(parts[1].text)
await hooks["chat.message"]({ sessionID: "s" }, { message: { id: "m" }, parts: [{ type: "text", text: "forbidden" }] }).catch((e) => console.log("thrown: " + e.message))
const idle = { event: { type: "session.idle", properties: { sessionID: "s" } } }
await hooks.event(idle)
await hooks["chat.message"]({ sessionID: "s" }, { message: { id: "m" }, parts: [{ type: "text", text: "test it" }] })
await hooks.event(idle)
await hooks.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "s" } } } })
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "child" } } })
console.log(said.join("; "))
`

// piDriver does what pi does with an extension.
const piDriver = `
import extension from "./hookline.mjs"
const on = {}, said = []
const ctx = { cwd: process.cwd(), sessionManager: { getSessionId: () => "s" }, ui: { notify: (m) => said.push(m) } }
extension({ on: (name, fn) => (on[name] = (event) => fn(event, ctx)), sendUserMessage: (text) => said.push("s: " + text) })
const call = async (command) => {
  const event = { toolName: "bash", toolCallId: "c", input: { command, description: "d" } }
  try { const r = await on.tool_call(event); if (r?.block) return "thrown: " + r.reason } catch (e) { return "thrown: " + e.message.split("\n")[0] }
  return JSON.stringify(event.input)
}
for (const c of ["rm -rf x", "nonsense", "crash", "ls"]) console.log(await call(c))
const r = await on.tool_result({ toolName: "bash", toolCallId: "c", input: {}, content: [{ type: "text", text: "secret" }, { type: "image" }] })
console.log(JSON.stringify(r.content.map((c) => c.text).join("\n\n")))
await on.input({ text: "hello" })
console.log((await on.before_agent_start({ prompt: "hello" })).message.content)
const refusal = await on.input({ text: "forbidden" })
console.log("thrown: " + (refusal.action === "handled" && (await on.tool_call({ toolName: "read", input: {} })).reason))
await on.agent_end({})
await on.input({ text: "test it" })
await on.agent_end({})
console.log(said.slice(-1)[0])
`

// TestModules runs our modules as they are installed, and without the program that they start.
func TestModules(t *testing.T) {
	for name, driver := range map[string]string{"opencode": driver, "pi": piDriver, "omp": piDriver} {
		t.Run(name, func(t *testing.T) { playModule(t, name, driver) })
	}
}

func playModule(t *testing.T, host, driver string) {
	node, err := exec.LookPath("node")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("not run: there is no node, or no sh")
	}
	dir := t.TempDir()
	in := &bridge.Installer{
		Dialects: []dialect.Dialect{shim.Dialect()}, Getenv: os.Getenv, Client: filepath.Join(dir, "client"),
		Dirs: dialect.Dirs{Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), State: filepath.Join(dir, "state")},
	}
	h, _ := dialect.HostByName(in.Dialects, host)
	c, err := in.Install(t.Context(), h, "user", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"hookline.mjs": string(c.After), "driver.mjs": driver, "client": client} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func() []string {
		cmd := exec.Command(node, "driver.mjs")
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	want := []string{
		"thrown: not here", "thrown: Hookline's answer cannot be read", "thrown: it broke", `{"command":"other"}`,
		`"hidden\n\nmind it"`, "the ticket", "thrown: no such prompt", "s: test it",
	}
	got := run()
	for i, w := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], w) {
			t.Errorf("line %d of %q is not %q", i, got, w)
		}
	}
	if got[len(got)-1] != "s: test it" {
		t.Errorf("it was kept going so: %q", got[len(got)-1])
	}
	if err := os.Remove(in.Client); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "driver.mjs")
	cmd.Dir = dir
	if out, _ := cmd.CombinedOutput(); strings.Count(string(out), "Hookline cannot be started") < 4 {
		t.Errorf("without the program it said %s", out)
	}
}

func TestAPatchIsACallForEachFile(t *testing.T) {
	codec := shim.Dialect().Codec()
	in, _, err := codec.DecodeInput([]byte(`{"event":"tool.execute.before","directory":"/repo","sessionID":"s","callID":"c","tool":"apply_patch",
		"args":{"patchText":"*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"}}`))
	if err != nil {
		t.Fatal(err)
	}
	calls := codec.(dialect.Splitter).Split(in)
	var paths []string
	for _, c := range calls {
		paths = append(paths, filepath.ToSlash(c.(*hook.PreToolUse).ToolInput.String("file_path")))
	}
	if got := strings.Join(paths, " "); got != "/repo/a /repo/b" {
		t.Fatalf("hooks are asked about %q", got)
	}
	calls[0].(*hook.PreToolUse).ToolInput.SetString("content", "y\n")
	joined, err := codec.(dialect.Splitter).Join(in, calls)
	if err != nil || !strings.Contains(joined.String("patchText"), "+y\n*** Delete") {
		t.Errorf("%v: %s", err, joined.Raw())
	}
}
