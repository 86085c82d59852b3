//go:build unix

package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

const pythonGuard = `import json, re, sys
event = json.load(sys.stdin)
if re.search(r"\brm\s+-rf\b", event["tool_input"].get("command", "")):
    print(json.dumps({"decision": "deny", "reason": "no"}))
`

const nodeGuard = `const event = JSON.parse(require("fs").readFileSync(0, "utf8"));
if (/\brm\s+-rf\b/.test(event.tool_input.command)) {
  console.log(JSON.stringify({ decision: "deny", reason: "no" }));
}
`

const bashGuard = `#!/bin/bash
input=$(cat)
cmd=$(echo "$input" | jq -r '.tool_input.command // empty')
if echo "$cmd" | grep -qE 'rm -rf'; then
  echo '{"decision":"deny","reason":"no"}'
fi
exit 0
`

// BenchmarkPrewarm takes turns between a guard that is spawned and the same one
// prewarmed, with time in between for the next process to boot, and reports the ratio
// of the medians.
func BenchmarkPrewarm(b *testing.B) {
	python := "python3"
	if out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output(); err == nil {
		python = string(out[:len(out)-1]) // not a shim that chooses among versions
	}
	for _, c := range []struct{ name, program, interpreter, text string }{
		{"python", "python3", python, pythonGuard},
		{"bash+jq", "jq", "bash", bashGuard},
		{"node", "node", "node", nodeGuard},
		{"sh", "sh", "sh", lineGuard},
	} {
		b.Run(c.name, func(b *testing.B) {
			need(b, c.program)
			need(b, c.interpreter)
			file := filepath.Join(b.TempDir(), "guard")
			if err := os.WriteFile(file, []byte(c.text), 0o755); err != nil {
				b.Fatal(err)
			}
			in := bashTool("rm -rf /")
			cold := &command.Hook{Command: c.interpreter + " " + file, Codec: codectest.Codec{}}
			warm := &command.Hook{Command: c.interpreter + " " + file, Codec: codectest.Codec{}}
			warm.Prewarm, warm.Pool, warm.WarmFiles = 1, &process.Pool{}, []string{file}
			b.Cleanup(warm.Pool.Close)
			ready(b, warm, in)
			engines := [...]*hook.Engine{engine(b, cold, in.Event(), time.Minute), engine(b, warm, in.Event(), time.Minute)}
			var spent [2][]time.Duration
			for b.Loop() {
				for i, eng := range engines {
					ready(b, warm, in)
					time.Sleep(150 * time.Millisecond)
					began := time.Now()
					out, err := eng.Fire(b.Context(), in)
					spent[i] = append(spent[i], time.Since(began))
					if err != nil || out.Decision != hook.DecisionDeny {
						b.Fatal(err, out.Decision, out.Runs[0].Err)
					}
				}
			}
			var medians [2]float64
			for i := range spent {
				slices.Sort(spent[i])
				medians[i] = spent[i][len(spent[i])/2].Seconds()
			}
			b.ReportMetric(medians[0]*1e3, "spawned-ms")
			b.ReportMetric(medians[1]*1e3, "prewarmed-ms")
			b.ReportMetric(medians[0]/medians[1], "times-faster")
		})
	}
}
