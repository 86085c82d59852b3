package acpagent_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hookline-dev/hookline/bridge/internal/acpschema"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
)

// TestTheTypeScriptClient has a client of the protocol's npm package drive the command, and
// holds each message, both ways, to the schema. HOOKLINE_ACP_SDK is the node_modules with
// @agentclientprotocol/sdk 2.x.
func TestTheTypeScriptClient(t *testing.T) {
	modules := os.Getenv("HOOKLINE_ACP_SDK")
	if modules == "" {
		t.Skip("HOOKLINE_ACP_SDK names no directory of packages")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"home/.config/hookline/models.json": `{"providers": {"acme": {"baseUrl": "http://127.0.0.1:1", "noKey": true}}, "models": {"acme/large": {"window": 1000}}}`,
		"project/.claude/settings.json":     `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"echo 'not that command' >&2; exit 2"}]}]}}`,
		"turns.yaml": `turns:
  - text: Hello from the script.
  - tool_calls: [{name: Bash, input: {command: touch denied}}]
  - text: It was refused.
  - tool_calls: [{name: Write, input: {file_path: written, content: x}}]
  - text: The person said no.
  - tool_calls: [{name: Write, input: {file_path: written, content: x}}]
  - text: done
`,
	} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command, project := filepath.Join(base, "hookline"), filepath.Join(base, "project")
	if out, err := exec.Command("go", "build", "-o", command, "../../cmd/hookline").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	agent := exec.CommandContext(t.Context(), command, "acp", "--trust-project", "--model", "script:"+filepath.Join(base, "turns.yaml"))
	client := exec.CommandContext(t.Context(), "node", filepath.Join("testdata", "client.mjs"), modules, project)
	agent.Env = append(os.Environ(), "HOME="+filepath.Join(base, "home"), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "ANTHROPIC_API_KEY=", "OPENAI_API_KEY=", "GEMINI_API_KEY=")
	agent.Dir = project
	var said bytes.Buffer
	agent.Stderr, client.Stderr = &said, &said
	// The end that gets a message knows what it asked.
	var atClient, atAgent acpschema.Checker
	var n [2]int
	var passing sync.WaitGroup
	pass := func(from, to *exec.Cmd, sender, receiver *acpschema.Checker, n *int) {
		out, err := from.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		in, err := to.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		passing.Go(func() {
			lines := jsonrpc.Lines(out, in)
			for {
				line, err := lines.Read()
				if err != nil {
					_ = in.Close()
					return
				}
				*n++
				sender.Asks(line)
				if err := receiver.Gets(line); err != nil {
					t.Error(err)
				}
				if _, err := in.Write(append(line, '\n')); err != nil {
					_, _ = io.Copy(io.Discard, out)
					return
				}
			}
		})
	}
	pass(client, agent, &atClient, &atAgent, &n[0])
	pass(agent, client, &atAgent, &atClient, &n[1])
	for _, cmd := range []*exec.Cmd{agent, client} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	passing.Wait()
	clientErr, agentErr := client.Wait(), agent.Wait()
	if clientErr != nil || agentErr != nil || strings.Contains(said.String(), "Error") {
		t.Errorf("the client ended with %v, the agent with %v:\n%s", clientErr, agentErr, said.String())
	}
	t.Logf("%d messages to the agent and %d to the client", n[0], n[1])
}
