//go:build oracle

package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// The hooks of the person, one in each way of writing them. None of them knows the agent.
var hooks = map[string]string{
	// a kodelet executable refuses
	"~/.kodelet/hooks/guard": `#!/bin/sh
[ "$1" = hook ] && { echo before_tool_call; exit 0; }
case "$(cat)" in *'rm -rf'*) echo '{"blocked": true, "reason": "nothing is removed here"}' ;; *) echo '{}' ;; esac
`,
	// a TypeScript module rewrites
	"~/.pi/agent/extensions/rewrite.ts": `export default (pi) => {
	pi.on("tool_call", (event) => { if (event.toolName === "bash") event.input.command = event.input.command.replace("plain.txt", "rewritten.txt"); });
};
`,
	// shell hooks add context, take a secret out of what is read, and keep going once
	"~/.config/hookline/settings.json": `{"hooks": {
	"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo the ticket is T-42"}]}],
	"PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sed -n 's/.*\\(s3cret\\).*/{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"updatedToolOutput\":{\"stdout\":\"hidden\",\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}}}/p'"}]}],
	"Stop": [{"hooks": [{"type": "command", "command": "grep -q '\"stop_hook_active\": *true' || { echo 'write the tests first' >&2; exit 2; }"}]}]
}}`,
}

// agent is a program that is played with the bridge installed for it.
type agent struct {
	// host is its name in our commands, and shell what its model calls the tool that runs
	// commands.
	host, shell string
	program     oracle.Program
}

// play has the real program call tools that hooks of three dialects refuse, rewrite and
// redact, and stop too early.
func (a agent) play(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin+"/", "github.com/hookline-dev/hookline/cmd/hookline", "github.com/hookline-dev/hookline/cmd/hookline-hook").CombinedOutput(); err != nil {
		t.Fatalf("building our commands: %v\n%s", err, out)
	}
	call := func(command string) oracle.Turn {
		return oracle.Call(a.shell, map[string]any{"command": command, "description": "d"})
	}
	c := &oracle.Case{
		Name: "bridge", Prompt: "tidy up", Settings: map[string]any{}, Allowed: []string{"Bash", "Write"},
		Script: oracle.Script{Turns: []oracle.Turn{call("rm -rf victim"), call("touch plain.txt"), call("echo s3cret"), oracle.Say("done"), oracle.Say("really done")}},
		Files:  map[string]string{"victim/keep": "x"},
	}
	for name, text := range hooks {
		c.Files[name] = text
	}
	p := oracle.Program{Name: a.host, Command: func(r *oracle.Room, c *oracle.Case, prompt string, again bool) ([]string, []string, error) {
		args, env, err := a.program.Command(r, c, prompt, again)
		if err != nil {
			return nil, nil, err
		}
		install := exec.Command(filepath.Join(bin, "hookline"), "bridge", "install", a.host, "--user")
		install.Dir, install.Env = r.Project, []string{"HOME=" + r.Home, "PATH=" + os.Getenv("PATH")}
		if out, err := install.CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("install the bridge: %w\n%s", err, out)
		}
		return args, append(env, "HOOKLINE_NO_SERVER=1"), nil // a server would outlive the test
	}}
	play, err := oracle.Run(context.Background(), p, c, filepath.Join(t.TempDir(), "room"), "true")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() {
			t.Logf("stdout:\n%s\nstderr:\n%s", play.Stdout, play.Stderr)
		}
	}()
	sent, err := json.Marshal(play.Requests[len(play.Requests)-1].Messages)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(play.Files, "victim/keep") {
		t.Error("the guard did not hold: the directory is gone")
	}
	if slices.Contains(play.Files, "plain.txt") || !slices.Contains(play.Files, "rewritten.txt") {
		t.Errorf("the rewrite did not hold: %v", play.Files)
	}
	for _, want := range []string{"nothing is removed here", "the ticket is T-42", "hidden", "write the tests first"} {
		if !strings.Contains(string(sent), want) {
			t.Errorf("the model was never told %q", want)
		}
	}
	if results := toolResults(play.Requests); strings.Contains(results, "s3cret") {
		t.Errorf("the model saw the secret: %s", results)
	}
	if n := len(play.Requests); n != len(c.Script.Turns) {
		t.Errorf("the model was asked %d times", n)
	}
}

// toolResults are all results of tools that a model was sent.
func toolResults(requests []oracle.Request) string {
	var out strings.Builder
	for _, r := range requests {
		for _, m := range r.Messages {
			var blocks []struct {
				Type    string
				Content json.RawMessage
			}
			if json.Unmarshal(m.Content, &blocks) != nil {
				continue
			}
			for _, b := range blocks {
				if b.Type == "tool_result" {
					out.Write(b.Content)
				}
			}
		}
	}
	return out.String()
}
