//go:build unix

package command_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
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

// byHand starts a command that waits, and returns what gives it its input and waits for
// its end: nothing that takes an answer from a process takes less.
func byHand(b *testing.B, line string, payload []byte) (feed func()) {
	b.Helper()
	c := exec.Command("/bin/sh", "-c", line)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.Stdout = io.Discard
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	return func() {
		in.Write(payload)
		in.Close()
		c.Wait()
	}
}

// BenchmarkPrewarm takes turns between a guard that is spawned, the same one prewarmed,
// and one that is fed by hand, with time in between for the next process to boot, and
// reports the ratios of the medians.
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
			payload, err := hook.MarshalInput(in)
			if err != nil {
				b.Fatal(err)
			}
			engines := [...]*hook.Engine{engine(b, cold, in.Event(), time.Minute), engine(b, warm, in.Event(), time.Minute)}
			var spent [3][]time.Duration
			for b.Loop() {
				feed := byHand(b, warm.Command, payload)
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
				ready(b, warm, in)
				time.Sleep(150 * time.Millisecond)
				began := time.Now()
				feed()
				spent[2] = append(spent[2], time.Since(began))
			}
			var medians [3]float64
			for i := range spent {
				slices.Sort(spent[i])
				medians[i] = spent[i][len(spent[i])/2].Seconds()
			}
			b.ReportMetric(medians[0]*1e3, "spawned-ms")
			b.ReportMetric(medians[1]*1e3, "prewarmed-ms")
			b.ReportMetric(medians[2]*1e3, "by-hand-ms")
			b.ReportMetric(medians[0]/medians[1], "times-faster")
			b.ReportMetric(medians[1]/medians[2], "of-by-hand")
		})
	}
}
