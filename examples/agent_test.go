package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rpcTurns is what the model does for the clients.
const rpcTurns = `
turns:
  - text: "I write it down."
    tool_calls: [{name: Bash, input: {command: "touch written"}}]
  - text: "Done."
`

func TestRPCClients(t *testing.T) {
	for client, interpreter := range map[string]string{"client.py": "python3", "client.mjs": "node"} {
		t.Run(client, func(t *testing.T) {
			needs(t, interpreter)
			w := newWorld(t)
			turns := filepath.Join(w.home, "turns.yaml")
			if err := os.WriteFile(turns, []byte(rpcTurns), 0o644); err != nil {
				t.Fatal(err)
			}
			path, err := filepath.Abs(filepath.Join("rpc", client))
			if err != nil {
				t.Fatal(err)
			}
			out := w.must(interpreter, path, command, "--model", "script:"+turns, "--", "write it")
			for _, want := range []string{
				"model: script", "agent: I write it down.", `asked: Allow Bash? {"command":"touch written"}`, "tool: Bash", "agent: Done.", "ended: done after 2 turns",
			} {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in\n%s", want, out)
				}
			}
			if _, err := os.Stat(filepath.Join(w.project, "written")); err != nil {
				t.Error(err)
			}
		})
	}
}

// Hooks of all four kinds act in the program: each refuses or changes something.
func TestAgentProgram(t *testing.T) {
	needs(t, "go")
	w := newWorld(t)
	program := filepath.Join(w.home, "agent")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	cmd.Dir = "agent"
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.project = "agent"
	out := w.must(program)
	for kind, want := range map[string]string{
		"function":       "-> delete files one by one",
		"settings entry": "hook error: [echo 'nothing leaves this machine' >&2; exit 2]: nothing leaves this machine",
		"executable":     "-> .env is written by people",
		"module":         "KEY=[hidden]",
		"model":          "assistant: There is one Go file here.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s: %q is not in\n%s", kind, want, out)
		}
	}
}
