package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/agent/mcp"
)

func TestParseConfig(t *testing.T) {
	text := `{
  "mcpServers": {
    "files": {"command": "mcp-files", "args": ["--root", "${HOME}"], "env": {"TOKEN": "${TOKEN:-none}"}},
    "bad": {"command": "x", "comand": 1},
    "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${KEY}"}},
    "implied": {"url": "${BASE}/mcp"},
    "worse": {
      "command": ["x"]
    },
    "we b": {"type": "sse", "url": "http://127.0.0.1/"},
    "we_b": {"command": "y"}
  },
  "other": {}
}`
	got, err := mcp.ParseConfig([]byte(text), "x.json")
	want := []mcp.Server{
		{Name: "files", File: "x.json", Line: 3, Type: "stdio", Command: "mcp-files", Args: []string{"--root", "${HOME}"}, Env: map[string]string{"TOKEN": "${TOKEN:-none}"}},
		{Name: "web", File: "x.json", Line: 5, Type: "http", URL: "https://example.com/mcp", Headers: map[string]string{"Authorization": "Bearer ${KEY}"}},
		{Name: "implied", File: "x.json", Line: 6, Type: "http", URL: "${BASE}/mcp"},
		{Name: "we b", File: "x.json", Line: 10, Type: "sse", URL: "http://127.0.0.1/"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, w := range []string{
		`x.json:4:29: server "bad": unknown field "comand"; there are type, command, args, env, url and headers`,
		`x.json:8:18: server "worse": "command" must not be an array`,
		`x.json:13:3: unknown field "other"; want mcpServers`,
		`x.json:11:1: server "we_b": its tools would be named like those of server "we b"`,
	} {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%q is not in\n%v", w, err)
		}
	}
}

func TestParseConfigMistakes(t *testing.T) {
	tests := []struct{ text, want string }{
		{``, "f:1:1: "},
		{`[]`, "f:1:1: want an object, not an array"},
		{`{"mcpServers": null}`, "f:1:16: want an object, not null"},
		{`{"mcpServers": {"a": {}}}`, `server "a": command is missing`},
		{`{"mcpServers": {"a": null}}`, `server "a": command is missing`},
		{`{"mcpServers": {"a": []}}`, `server "a": want an object, not an array`},
		{`{"mcpServers": {"a": {"command":"x","command":"y"}}}`, "f:1:37: "},
		{`{"mcpServers": {"a": {"command":"x"}, "a": {"command":"y"}}}`, "f:1:"},
		{`{"mcpServers": {"a": {"Command":"x"}}}`, `unknown field "Command"`},
		{`{"mcpServers": {"a": {"command":"x","url":"http://y"}}}`, "neither url nor headers"},
		{`{"mcpServers": {"a": {"type":"http","url":"http://y","args":[]}}}`, "no command, args or env"},
		{`{"mcpServers": {"a": {"type":"http"}}}`, "url is missing"},
		{`{"mcpServers": {"a": {"type":"http","url":"file:///x"}}}`, "must be an http or https address"},
		{`{"mcpServers": {"a": {"type":"http","url":"http://u:p@x"}}}`, "no user name or password"},
		{`{"mcpServers": {"a": {"type":"carrier-pigeon"}}}`, "there are stdio, http and sse"},
		{`{"mcpServers": {"a__b": {"command":"x"}}}`, "no \"__\""},
		{`{"mcpServers": {"": {"command":"x"}}}`, "1 to 64 characters"},
		{`{"mcpServers": {"a": {"command":"x","env":{"A=B":"c"}}}}`, "can not be the name of a variable"},
		{"{\"mcpServers\": {}}\n x", "f:2:"},
		{"{\"mcpServers\": {\n\"a\": {\"command\": \"\xff\"}}}", "f:2:"},
		{`{"mcpServers": {"a": {"command":"x"},}}`, "f:1:3"},
	}
	for _, tt := range tests {
		got, err := mcp.ParseConfig([]byte(tt.text), "f")
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(got) != 0 {
			t.Errorf("%s: got %v, %v; want %q", tt.text, got, err, tt.want)
		}
	}
	if got, err := mcp.ParseConfig([]byte("\ufeff{}"), "f"); err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestExpand(t *testing.T) {
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"A": "1", "EMPTY": "", "BASE": "https://x"}[name]
		return v, ok
	}
	s := mcp.Server{
		Name: "s", Type: "stdio", Command: "${A}/bin", Args: []string{"$A", "${B:-two}", "${EMPTY:-x}", "${A}${A}"},
		Env: map[string]string{"K": "${A}"},
	}
	got, err := s.Expand(env)
	if err != nil || got.Command != "1/bin" || fmt.Sprint(got.Args) != "[$A two  11]" || got.Env["K"] != "1" || s.Args[3] != "${A}${A}" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := (mcp.Server{Name: "s", Type: "stdio", Command: "${NO}", Args: []string{"${NEITHER}", "${NO}"}}).Expand(env); err == nil || err.Error() != `server "s": not set: NEITHER, NO` {
		t.Errorf("got %v", err)
	}
	if got, err := (mcp.Server{Name: "s", Type: "http", URL: "${BASE}/mcp"}).Expand(env); err != nil || got.URL != "https://x/mcp" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := (mcp.Server{Name: "s", Type: "http", URL: "${A}/mcp"}).Expand(env); err == nil {
		t.Error("a url without a host was taken")
	}
}

func TestToolName(t *testing.T) {
	tests := []struct{ server, tool, want string }{
		{"git", "status", "mcp__git__status"},
		{"my server", "a.b/c", "mcp__my_server__a_b_c"},
	}
	for _, tt := range tests {
		if got := mcp.ToolName(tt.server, tt.tool); got != tt.want {
			t.Errorf("got %s", got)
		}
	}
	a, b := mcp.ToolName("s", strings.Repeat("x", 100)+"a"), mcp.ToolName("s", strings.Repeat("x", 100)+"b")
	if len(a) != 64 || len(b) != 64 || a == b {
		t.Errorf("got %s and %s", a, b)
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, s := range []string{
		`{"mcpServers":{"a":{"command":"x","args":["y"],"env":{"k":"v"}}}}`, `{"mcpServers":{"a":{"type":"http","url":"http://x"}}}`,
		`{"mcpServers":{"a":{"url":"${X}"}}}`, `{}`, `[`, `{"mcpServers":{"\u0000":{}}}`, "\ufeff{}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		servers, err := mcp.ParseConfig(data, "f")
		names := make(map[string]bool)
		for _, s := range servers {
			if n := mcp.ToolName(s.Name, "t"); names[n] {
				t.Errorf("two servers make tools called %s", n)
			} else {
				names[n] = true
			}
			if s.Command == "" && s.URL == "" {
				t.Errorf("server %+v has nothing to start", s)
			}
		}
		if err != nil && !strings.Contains(err.Error(), "f:") {
			t.Errorf("no place in %v", err)
		}
	})
}
