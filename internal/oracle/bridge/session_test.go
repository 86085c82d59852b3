//go:build oracle

package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// The hooks of the person, one in each way of writing them. None of them knows the agent: they
// refuse, rewrite and redact, add to the prompt, and find that it stops too early.
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
	"Stop": [{"hooks": [{"type": "command", "command": "[ -e ~/kept ] || { touch ~/kept; echo 'write the tests first' >&2; exit 2; }"}]}]
}}`,
}

// What the host of an agent may lose.
const (
	rewrite = "rewrite"
	redact  = "redact"
	addTo   = "add to the prompt"
	goOn    = "go on at the end"
)

const (
	prompt = "tidy up"
	last   = "really done" // what the model says at the end
)

func TestWithTheBridge(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	bin := build(t)
	for _, a := range agents {
		t.Run(a.host, func(t *testing.T) {
			call := a.call
			turns := []oracle.Turn{call("rm -rf victim"), call("touch plain.txt"), call("cat key"), oracle.Say("done"), oracle.Say(last)}
			a.check(t, a.play(t, cache, bin, hooks, turns))
		})
	}
}

// TestWithoutOurProgram has a hook remove what the agent starts, after the prompt or, where
// nothing is asked of that, before its first tool: the agent runs no tool then, and says what to do.
func TestWithoutOurProgram(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	built := build(t)
	for _, a := range agents {
		t.Run(a.host, func(t *testing.T) {
			bin := t.TempDir()
			for _, name := range []string{"hookline", "hookline-hook"} {
				if err := os.Link(filepath.Join(built, name), filepath.Join(bin, name)); err != nil {
					t.Fatal(err)
				}
			}
			event, turns := "UserPromptSubmit", []oracle.Turn{a.call("rm -rf victim"), oracle.Say(last)}
			if a.toolsOnly {
				event, turns = "PreToolUse", append([]oracle.Turn{a.call("true")}, turns...)
			}
			remove := map[string]string{"~/.config/hookline/settings.json": `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "command": "rm ` + bin + `/*"}]}]}}`}
			play := a.play(t, cache, bin, remove, turns)
			defer a.show(t, play)
			if left, err := os.ReadDir(bin); err != nil || len(left) > 0 || len(play.Requests) == 0 {
				t.Fatalf("the hook left %v, %v, and the model was asked %d times", left, err, len(play.Requests))
			}
			if !slices.Contains(play.Files, "victim/keep") {
				t.Error("the directory is gone")
			}
			if all := play.Stdout + play.Stderr + toolResults(play.Requests); strings.Contains(all, "install it again") == a.quiet {
				t.Errorf("that somebody is told what to do should be %v", !a.quiet)
			}
		})
	}
}

// TestInsideTheAgent has the model take the bridge out: the command sees that an agent
// started it, and refuses.
func TestInsideTheAgent(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	bin := build(t)
	for _, a := range agents {
		t.Run(a.host, func(t *testing.T) {
			command := filepath.Join(bin, "hookline")
			try := fmt.Sprintf("%s bridge remove --all; %[1]s bridge install cursor; %[1]s trust --yes; env >env", command)
			const refusal, another = "says that an agent started it", "--yes approves whatever is there; started by an agent"
			play := a.play(t, cache, bin, nil, []oracle.Turn{a.call(try), oracle.Say(last)})
			defer a.show(t, play)
			if said := toolResults(play.Requests); strings.Count(said, refusal) < 2 || !strings.Contains(said, another) {
				env, _ := os.ReadFile(filepath.Join(play.Dir, "project", "env"))
				t.Errorf("the commands said %s in the environment\n%s", said, env)
			}
		})
	}
}

// build builds our commands, and returns where they are.
func build(t *testing.T) string {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin+"/", "github.com/hookline-dev/hookline/cmd/hookline", "github.com/hookline-dev/hookline/cmd/hookline-hook").CombinedOutput(); err != nil {
		t.Fatalf("building our commands: %v\n%s", err, out)
	}
	return bin
}

// call is a call of the agent's tool that runs commands.
func (a *agent) call(command string) oracle.Turn {
	input := map[string]any{a.line: command, "description": "d"}
	maps.Copy(input, a.input)
	return oracle.Call(a.tool, input)
}

// show logs what a program wrote when its test failed.
func (a *agent) show(t *testing.T, play *oracle.Play) {
	if t.Failed() {
		t.Logf("stdout:\n%s\nstderr:\n%s", play.Stdout, play.Stderr)
	}
}

// start returns what starts the program, which must be installed.
func (a *agent) start(t *testing.T, cache string) (args []string, path string) {
	if a.accept && os.Getenv("ORACLE_ACCEPT") != "1" {
		t.Skip("not run: it is proprietary; ORACLE_ACCEPT=1 says that you accept its licence")
	}
	path = os.Getenv("PATH")
	if a.source != "" {
		program := filepath.Join(cache, a.host)
		if _, err := os.Stat(program); err != nil {
			t.Skipf("not run: build %s from %s", program, a.source)
		}
		return []string{program}, path
	}
	for _, p := range []*oracle.Package{a.by, &a.from} {
		if p == nil {
			continue
		}
		in, ok := p.Cached(cache)
		if !ok {
			t.Skipf("not run: %s %s is not in the cache: npm install --prefix %s %[1]s@%[2]s", p.Name, p.Version, p.Dir(cache))
		}
		args = append(args, in.Path)
		if p == a.by {
			path = filepath.Dir(in.Path) + string(os.PathListSeparator) + path
		}
	}
	return args, path
}

// play has the real program do what its model says, the hooks of the person behind it.
func (a *agent) play(t *testing.T, cache, bin string, hooks map[string]string, turns []oracle.Turn) *oracle.Play {
	c := &oracle.Case{
		Name: "bridge", Prompt: prompt,
		Script: oracle.Script{After: prompt, Turns: turns},
		Files:  map[string]string{"victim/keep": "x", "key": "s3cret\n"},
	}
	maps.Copy(c.Files, hooks)
	return a.run(t, cache, bin, c, filepath.Join(t.TempDir(), "room"))
}

// run plays a case in a room, with the bridge installed and what the project brings approved.
func (a *agent) run(t *testing.T, cache, bin string, c *oracle.Case, room string) *oracle.Play {
	start, path := a.start(t, cache)
	maps.Copy(c.Files, a.files)
	p := oracle.Program{Name: a.host, Command: func(r *oracle.Room, c *oracle.Case, prompt string, _ bool) ([]string, []string, error) {
		for _, args := range [][]string{{"bridge", "install", a.host, "--user"}, {"trust", "--yes"}} {
			if _, err := ours(bin, room, path, args...); err != nil {
				return nil, nil, err
			}
		}
		env := []string{"HOOKLINE_NO_SERVER=1", "PATH=" + path} // a server would outlive the test
		for _, e := range a.env {
			env = append(env, strings.NewReplacer("$MODEL", r.Model.URL, "$CACHE", cache).Replace(e))
		}
		args := slices.Concat(start, a.args)
		if a.talk == nil {
			args = append(args, prompt)
		}
		return args, env, nil
	}}
	if a.talk != nil {
		p.Talk = func(r *oracle.Room, _ *oracle.Case, in io.WriteCloser, out io.Reader) error {
			lines := bufio.NewScanner(out)
			lines.Buffer(nil, 1<<24)
			a.talk(r, in, lines)
			for lines.Scan() && !strings.Contains(lines.Text(), last) {
			}
			return lines.Err()
		}
	}
	play, err := oracle.Run(context.Background(), p, c, room, "true")
	if err != nil {
		t.Fatal(err)
	}
	return play
}

// ours runs our command in the project of a room, and returns what it prints.
func ours(bin, room, path string, args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(bin, "hookline"), args...)
	cmd.Dir, cmd.Env = filepath.Join(room, "project"), []string{"HOME=" + filepath.Join(room, "home"), "PATH=" + path}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("hookline %s: %w\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out, nil
}

// check judges a session by what is on disk and by what the model was sent.
func (a *agent) check(t *testing.T, play *oracle.Play) {
	defer a.show(t, play)
	if len(play.Requests) == 0 {
		t.Fatal("the model was never asked")
	}
	sent, err := json.Marshal(play.Requests[len(play.Requests)-1].Messages)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(play.Files, "victim/keep") {
		t.Error("the guard did not hold: the directory is gone")
	}
	rewritten := !slices.Contains(a.lost, rewrite)
	if slices.Contains(play.Files, "plain.txt") || slices.Contains(play.Files, "rewritten.txt") != rewritten {
		t.Errorf("the rewrite did not hold: %v", play.Files)
	}
	told, asked := []string{"nothing is removed here"}, 4
	if !slices.Contains(a.lost, goOn) {
		told, asked = append(told, "write the tests first"), 5
	}
	if !slices.Contains(a.lost, addTo) {
		told = append(told, "the ticket is T-42")
	}
	if hidden := !slices.Contains(a.lost, redact); hidden == strings.Contains(toolResults(play.Requests), "s3cret") {
		t.Errorf("that the secret is hidden from the model should be %v: %s", hidden, toolResults(play.Requests))
	} else if hidden {
		told = append(told, "hidden")
	}
	for _, want := range told {
		if !strings.Contains(string(sent), want) {
			t.Errorf("the model was never told %q", want)
		}
	}
	if n := len(play.Requests); n != asked {
		t.Errorf("the model was asked %d times, not %d", n, asked)
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
