package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookline-dev/hookline/hook"
)

// elicitServer is an MCP server with a tool that asks the person.
func elicitServer() {
	s := sdk.NewServer(&sdk.Implementation{Name: "asker", Version: "1"}, nil)
	type none struct{}
	sdk.AddTool(s, &sdk.Tool{Name: "ask"}, func(ctx context.Context, req *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
		r, ok := req.Params.InputResponses["who"].(*sdk.ElicitResult)
		if !ok {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{
				Message:         "Which colour?",
				RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"colour": map[string]any{"type": "string"}}},
			}}}, nil, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "answered " + r.Action}}}, nil, nil
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}

// rpcClient is a program that embeds the agent.
type rpcClient struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
	n     int
}

// do sends a request, answers what the agent asks the person with a refusal, and
// returns the response.
func (c *rpcClient) do(req map[string]any) map[string]any {
	c.t.Helper()
	c.n++
	id := fmt.Sprint(c.n)
	req["id"] = id
	c.send(req)
	for c.lines.Scan() {
		var m map[string]any
		if err := json.Unmarshal(c.lines.Bytes(), &m); err != nil {
			c.t.Fatalf("%s: %v", c.lines.Text(), err)
		}
		switch {
		case m["type"] == "ui_request":
			answer := map[string]any{"type": "ui_response", "id": m["id"]}
			if i := slices.Index(choices(m), any("No")); i >= 0 {
				answer["index"] = i
			} else {
				answer["dismissed"] = true
			}
			c.send(answer)
		case m["type"] == "response" && m["id"] == id:
			return m
		}
	}
	c.t.Fatalf("%v: no answer: %v", req, c.lines.Err())
	return nil
}

func choices(m map[string]any) []any {
	list, _ := m["choices"].([]any)
	return list
}

func (c *rpcClient) send(v any) {
	c.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(b, '\n')); err != nil {
		c.t.Fatal(err)
	}
}

// prompt works on a prompt and returns how it ended.
func (c *rpcClient) prompt(text string) string {
	c.t.Helper()
	m := c.do(map[string]any{"type": "prompt", "text": text})
	if m["success"] != true {
		return fmt.Sprint("with ", m["error"])
	}
	data, _ := m["data"].(map[string]any)
	end, _ := data["end"].(string)
	return end
}

func (c *rpcClient) leaf() string {
	c.t.Helper()
	data, _ := c.do(map[string]any{"type": "get_state"})["data"].(map[string]any)
	leaf, _ := data["leaf"].(string)
	return leaf
}

// Every event of the engine's table fires from the situation that it names, with
// its payload: a settings file has a hook on each, the command runs as another
// program's agent, and everything happens that there are events for.
func TestEveryEventOfTheTable(t *testing.T) {
	for _, tool := range []string{"sh", "git", "mktemp"} {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOOS == "windows" {
			t.Skipf("%s is needed, and a POSIX shell", tool)
		}
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"turns.yaml":                          eventTurns,
		"project/AGENTS.md":                   "Be kind.",
		"project/sub/x":                       "x",
		"project/.hookline/rules/log.md":      "---\ntrigger: console\\.log\n---\nUse the logger.\n",
		"project/.hookline/recipes/greet.md":  "---\ndescription: greets\n---\nGreet {{.who}}.\n",
		"project/.claude/agents/reviewer.md":  "---\nname: reviewer\ndescription: reviews\n---\nYou review.\n",
		"project/.mcp.json":                   `{"mcpServers":{"asker":{"command":"elicitserver"}}}`,
		"other/x":                             "x",
		"home/.hookline/modules/ask.js":       `export default (pi) => pi.registerCommand("ask-me", { handler: async (_, ctx) => { await ctx.ui.confirm("Sure?", ""); pi.setSessionName("a new name"); } });`,
		"home/.config/hookline/settings.json": `{"permissions":{"allow":["EnterWorktree","mcp__asker__ask","TaskCreate","TaskUpdate"]}}`,
		"home/.claude/settings.json":          settingsForEvery(t),
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	home, log := filepath.Join(dir, "home"), filepath.Join(dir, "log")
	for _, d := range []string{log, filepath.Join(home, "wt")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "hookline", "rpc", "--init", "--team", "--trust-project", "--model", "script:../turns.yaml")
	cmd.Dir = filepath.Join(dir, "project")
	cmd.Env = append(os.Environ(), "HOME="+home, "EVENTS="+log, "HOOKLINE_MANAGED_DIR="+filepath.Join(dir, "managed"), "GIT_CONFIG_GLOBAL="+os.DevNull,
		"XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=", "HOOKLINE_MODEL=", "ANTHROPIC_API_KEY=", "OPENAI_API_KEY=", "GEMINI_API_KEY=")
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		if t.Failed() {
			t.Logf("stderr: %s", regexp.MustCompile(`(?m)^info: .*\n`).ReplaceAllString(said.String(), ""))
		}
	}()
	c := &rpcClient{t: t, in: in, lines: bufio.NewScanner(out)}
	c.lines.Buffer(nil, 64<<20)
	everythingThatHappens(t, c, dir)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for c.lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the command ended with %v", err)
	}
	checkPayloads(t, log)
}

// everythingThatHappens drives the agent through all situations.
func everythingThatHappens(t *testing.T, c *rpcClient, dir string) {
	t.Helper()
	step := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Errorf("%s did not go as it should", what)
		}
	}
	ends := func(text, end string) {
		t.Helper()
		got := c.prompt(text)
		step(fmt.Sprintf("%q, which ended %s,", text, got), got == end)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	do := func(req map[string]any) {
		t.Helper()
		m := c.do(req)
		step(fmt.Sprint(req, ": ", m), m["success"] == true && m["blocked"] != true)
	}
	ends("everything", "done")
	ends("!echo by hand", "done")
	ends("/greet who=you", "done")
	step("a failing model", strings.Contains(c.prompt("fail"), "no such key"))
	ends("helpers", "done")
	ends("server", "done")
	do(map[string]any{"type": "set_permission_mode", "mode": "plan"})
	ends("plan", "done")
	do(map[string]any{"type": "set_permission_mode", "mode": "default"})
	middle := c.leaf()
	ends("once more", "done")
	do(map[string]any{"type": "navigate", "entry": middle, "summarize": true})
	do(map[string]any{"type": "rewind_files", "entry": middle, "dry_run": true})
	do(map[string]any{"type": "branch", "entry": middle})
	do(map[string]any{"type": "compact", "instructions": "in French"})
	ends("again", "done")
	ends("long", "done")
	do(map[string]any{"type": "set_model", "model": "script:" + filepath.Join(dir, "turns.yaml")})
	do(map[string]any{"type": "prompt", "text": "/add-dir " + filepath.Join(dir, "other")})
	write("project/watched.txt", "new")
	ends("the file is there", "done")
	write("home/.claude/settings.json", settingsForEvery(t)+"\n") // hooks that were others would not run
	ends("the settings are others", "done")
	ends("/ask-me", "done")
	do(map[string]any{"type": "new_session"})
	step("a compaction of nothing", c.do(map[string]any{"type": "compact"})["success"] != true)
}

// settingsForEvery is a settings file with a hook on every event, which writes the
// payload into a file of its own.
func settingsForEvery(t *testing.T) string {
	t.Helper()
	hooks := map[string]any{}
	for _, ev := range hook.Events() {
		command := `cat > "$(mktemp "$EVENTS/` + ev.String() + `.XXXXXX")"`
		switch ev {
		case hook.EventSessionStart:
			command += `; echo '{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["watched.txt"]}}'`
		case hook.EventWorktreeCreate:
			command += `; echo "$HOME/wt"`
		}
		hooks[ev.String()] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": command}}}}
	}
	b, err := json.Marshal(map[string]any{"hooks": hooks})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkPayloads looks for a payload of every event.
func checkPayloads(t *testing.T, dir string) {
	t.Helper()
	for _, ev := range hook.Events() {
		patterns, known := eventPayloads[ev]
		if !known {
			t.Errorf("eventPayloads in everyevent_payloads_test.go says nothing of %v", ev)
			continue
		}
		names, err := filepath.Glob(filepath.Join(dir, ev.String()+".*"))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		found := false
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			all = append(all, text)
			for _, common := range []string{`"hook_event_name":"` + ev.String() + `"`, `"session_id":"[^"]`, `"cwd":"[^"]`} {
				if !regexp.MustCompile(common).MatchString(text) {
					t.Errorf("%v: %s is not in %s", ev, common, text)
				}
			}
			fits := true
			for _, p := range patterns {
				fits = fits && regexp.MustCompile(p).MatchString(text)
			}
			found = found || fits
		}
		switch {
		case len(all) == 0:
			t.Errorf("%v did not fire: nothing in everythingThatHappens brings it about", ev)
		case !found:
			t.Errorf("%v: no payload has %q:\n%s", ev, patterns, strings.Join(all, "\n"))
		}
	}
}
