//go:build unix

package discovery_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// The same guard in five ways of writing one: it refuses commands that delete
// recursively.
const (
	guardCase = `read -r line
case $line in *'rm -rf'*) echo '{"decision":"block","reason":"no"}' ;; esac`
	guardJQ = `cmd=$(jq -r .tool_input.command)
case $cmd in *'rm -rf'*) jq -n '{decision:"block",reason:"no"}' ;; esac`
	guardPython = `import json, sys
event = json.load(sys.stdin)
if "rm -rf" in event["tool_input"]["command"]:
    print(json.dumps({"decision": "block", "reason": "no"}))
`
	guardNode = `const event = JSON.parse(require("fs").readFileSync(0, "utf8"))
if (event.tool_input.command.includes("rm -rf")) console.log(JSON.stringify({ decision: "block", reason: "no" }))
`
	guardModule = `export default function (pi) {
	pi.on("tool_call", (event) => {
		if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "no" };
	});
}
`
	workerPython = `from hookline import deny, hook, run

@hook("PreToolUse", match="Bash", guard=True)
def guard(event, ctx):
    if "rm -rf" in event.tool_input["command"]:
        return deny("no")

run()
`
	workerNode = `import { deny, hook, run } from "./hookline.mjs"
hook("PreToolUse", { match: "Bash", guard: true }, (event) => {
	if (event.tool_input.command.includes("rm -rf")) return deny("no")
})
run()
`
)

// guardWay is one way of running a guard: the settings entry, or another file.
type guardWay struct {
	name, entry string
	files       map[string]string
	needs       string
	// rest is a pause before each event, in which what waits for it starts.
	rest time.Duration
}

func guardWays() []guardWay {
	command := func(line, more string) string {
		return fmt.Sprintf(`{"type":"command","command":%s%s}`, hook.MustJSON(line).Raw(), more)
	}
	const ahead, builtin, bash = `,"prewarm":1`, `,"shell":"builtin"`, `,"shell":"bash"`
	return []guardWay{
		{name: "spawn/true", entry: command("true", "")},
		{name: "sh-case/spawn", entry: command("sh c.sh", "")},
		{name: "sh-case/builtin", entry: command("sh c.sh", builtin)},
		{name: "bash-jq/spawn", entry: command("bash j.sh", bash), needs: "jq"},
		{name: "bash-jq/prewarm", entry: command("bash j.sh", bash+ahead), needs: "jq", rest: 40 * time.Millisecond},
		{name: "bash-jq/builtin", entry: command("bash j.sh", builtin)},
		{name: "python/spawn", entry: command("python3 g.py", ""), needs: "python3"},
		{name: "python/prewarm", entry: command("python3 g.py", ahead), needs: "python3", rest: 250 * time.Millisecond},
		{name: "python/worker", entry: `{"type":"worker","command":"python3 w.py"}`, needs: "python3"},
		{name: "node/spawn", entry: command("node g.js", ""), needs: "node"},
		{name: "node/prewarm", entry: command("node g.js", ahead), needs: "node", rest: 400 * time.Millisecond},
		{name: "node/worker", entry: `{"type":"worker","command":"node w.mjs"}`, needs: "node"},
		{name: "module/typescript", files: map[string]string{".hookline/modules/guard.ts": guardModule}},
		{name: "go/function"},
	}
}

// guardEngine makes an engine with one guard in one of the ways.
func guardEngine(b *testing.B, w guardWay) *hook.Engine {
	b.Helper()
	root := b.TempDir()
	dirs := discovery.Dirs{Project: filepath.Join(root, "p"), Home: filepath.Join(root, "h"), State: filepath.Join(root, "s"), Cache: filepath.Join(root, "c")}
	files := map[string]string{"c.sh": guardCase, "j.sh": guardJQ, "g.py": guardPython, "g.js": guardNode, "w.py": workerPython, "w.mjs": workerNode}
	for _, lib := range []string{"python/hookline.py", "node/hookline.mjs"} {
		text, err := os.ReadFile(filepath.Join("..", "sdk", filepath.FromSlash(lib)))
		if err != nil {
			b.Fatal(err)
		}
		files[filepath.Base(lib)] = string(text)
	}
	for name, text := range w.files {
		files[name] = text
	}
	if w.entry != "" {
		files[".claude/settings.json"] = `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[` + w.entry + `]}]}}`
	}
	for name, text := range files {
		path := filepath.Join(dirs.Project, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	reg := hook.NewRegistry()
	if w.name == "go/function" {
		hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
			if strings.Contains(in.ToolInput.String("command"), "rm -rf") {
				return hook.Deny("no"), nil
			}
			return hook.None(), nil
		}, hook.Match("Bash"))
	}
	l := discovery.New(discovery.Options{Dirs: dirs, Gate: trust.Anything{}})
	if _, err := l.Register(b.Context(), reg); err != nil {
		b.Fatal(err)
	}
	e := hook.New(reg)
	b.Cleanup(func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
		if err := l.Close(); err != nil {
			b.Error(err)
		}
	})
	fire := func(command string) hook.Decision {
		in := bash(command)
		in.CWD = dirs.Project
		out, err := e.Fire(b.Context(), in)
		if err != nil || len(out.Runs) != 1 || out.Runs[0].Err != nil {
			b.Fatalf("%v, runs %+v", err, out.Runs)
		}
		return out.Decision
	}
	if d := fire("ls"); d != hook.DecisionNone {
		b.Fatalf("ls: %v", d)
	}
	if d := fire("rm -rf /"); w.name != "spawn/true" && d != hook.DecisionDeny {
		b.Fatalf("rm -rf: %v", d)
	}
	return e
}

// settled is how old files are that were not changed just now: those of which the time
// of the last change tells enough.
const settled = 2500 * time.Millisecond

// BenchmarkGuard fires one event at the same guard in each way of running it: what an
// event waits for it.
func BenchmarkGuard(b *testing.B) {
	for _, w := range guardWays() {
		b.Run(w.name, func(b *testing.B) {
			if w.needs != "" {
				if _, err := exec.LookPath(w.needs); err != nil {
					b.Skip(err)
				}
			}
			e := guardEngine(b, w)
			if w.entry != "" {
				time.Sleep(settled)
			}
			in := bash("ls -l")
			b.ReportAllocs()
			for b.Loop() {
				if w.rest > 0 {
					b.StopTimer()
					time.Sleep(w.rest)
					b.StartTimer()
				}
				out, err := e.Fire(b.Context(), in)
				if err != nil || len(out.Runs) != 1 || out.Runs[0].Err != nil {
					b.Fatalf("%v, runs %+v", err, out.Runs)
				}
			}
		})
	}
}
