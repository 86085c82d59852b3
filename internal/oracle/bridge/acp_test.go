//go:build oracle

package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/oracle"
	"github.com/hookline-dev/hookline/internal/oracle/pi"
)

// acpAgent is an agent that an editor drives, as an agent of the table that does not have the
// bridge but the wrapper around it.
type acpAgent struct {
	agent
	// as says what else is done, and mode is the mode that the person chooses, if any.
	as, mode string
	// unasked says that it runs commands without asking, so that they are only seen, and
	// gate that the wrapper does not let that be.
	unasked, gate bool
}

// acpAgents are the agents that speak the Agent Client Protocol.
func acpAgents() []acpAgent {
	named := func(host string, args ...string) agent {
		a := agents[slices.IndexFunc(agents, func(a agent) bool { return a.host == host })]
		a.args = args
		return a
	}
	claude := named("claude")
	claude.from = oracle.Package{Name: "@agentclientprotocol/claude-agent-acp", Version: "0.101.0", Program: "dist/index.js"}
	claude.by = new(pi.Node())
	opencode := named("opencode", "acp")
	asks := opencode
	asks.files = maps.Clone(opencode.files)
	asks.files["opencode.json"] = strings.Replace(asks.files["opencode.json"], "{", `{"permission":{"bash":"ask","edit":"ask"},`, 1)
	return []acpAgent{
		{agent: claude, unasked: true},
		{agent: claude, as: "in the mode default", mode: "default"},
		{agent: claude, as: "with a gate", gate: true},
		{agent: named("gemini", "--acp", "-m", "gemini-2.5-flash")},
		{agent: named("copilot", "--acp")},
		{agent: opencode, unasked: true},
		{agent: asks, as: "asking"},
	}
}

// TestAroundACPAgents has agents in an editor, whose person allows all that is asked, do what
// their models say with the wrapper around them, and a hook that refuses one command.
func TestAroundACPAgents(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	bin := build(t)
	for _, a := range acpAgents() {
		t.Run(strings.TrimSpace(a.host+" "+a.as), func(t *testing.T) {
			start, path := a.start(t, cache)
			c := &oracle.Case{
				Name: "acp", Prompt: prompt,
				Script: oracle.Script{After: prompt, Turns: []oracle.Turn{a.call("rm -rf victim"), a.call("touch plain.txt"), oracle.Say(last)}},
				Files:  map[string]string{"victim/keep": "x", "~/.kodelet/hooks/guard": hooks["~/.kodelet/hooks/guard"]},
			}
			maps.Copy(c.Files, a.files)
			editor := editor{mode: a.mode}
			play, err := oracle.Run(context.Background(), oracle.Program{
				Name: a.host,
				Command: func(r *oracle.Room, _ *oracle.Case, _ string, _ bool) ([]string, []string, error) {
					env := []string{"PATH=" + path}
					for _, e := range a.env {
						env = append(env, strings.NewReplacer("$MODEL", r.Model.URL, "$CACHE", cache).Replace(e))
					}
					wrap := []string{filepath.Join(bin, "hookline"), "acp", "--wrap", fmt.Sprint("--require-gate=", a.gate), "--"}
					return slices.Concat(wrap, start, a.args), env, nil
				},
				Talk: func(r *oracle.Room, _ *oracle.Case, in io.WriteCloser, out io.Reader) error {
					return editor.talk(r.Project, in, out)
				},
			}, c, filepath.Join(t.TempDir(), "room"), "true")
			if err != nil {
				t.Fatal(err)
			}
			defer a.show(t, play)
			if held := slices.Contains(play.Files, "victim/keep"); held == a.unasked {
				t.Errorf("that the guard holds should be %v", !a.unasked)
			}
			told := "nothing is removed here"
			switch {
			case a.gate:
				told = "The prompt was refused"
			case a.unasked:
				told = "without asking: hooks that guard it could not stop it"
			}
			if !strings.Contains(play.Stdout, told) {
				t.Errorf("the editor was not told %q", told)
			}
			t.Logf("the model was asked %d times; the person %d times; files %v; the turn ended: %s", len(play.Requests), editor.asked, play.Files, editor.end)
			t.Logf("results: %s", toolResults(play.Requests))
		})
	}
}

// editor is the client of an agent, whose person allows what is asked.
type editor struct {
	mode  string // to choose
	asked int
	end   string // of the turn
}

// talk opens a session, says the prompt, and answers until the turn ends.
func (e *editor) talk(project string, in io.Writer, out io.Reader) error {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", project)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Options []struct{ OptionID, Kind string }
			}
			Result struct{ SessionID, StopReason string }
			Error  json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		switch {
		case m.Method == "session/request_permission":
			e.asked++
			for _, o := range m.Params.Options {
				if o.Kind == "allow_once" {
					fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`+"\n", m.ID, o.OptionID)
					break
				}
			}
		case m.Method != "" && len(m.ID) > 0:
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"not here"}}`+"\n", m.ID)
		case m.Method != "":
		case len(m.Error) > 0:
			return fmt.Errorf("the agent answers %s", lines.Text())
		case m.Result.SessionID != "":
			if e.mode != "" {
				fmt.Fprintf(in, `{"jsonrpc":"2.0","id":3,"method":"session/set_mode","params":{"sessionId":%q,"modeId":%q}}`+"\n", m.Result.SessionID, e.mode)
			}
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`+"\n", m.Result.SessionID, prompt)
		case m.Result.StopReason != "":
			e.end = m.Result.StopReason
			return nil
		}
	}
	return lines.Err()
}
