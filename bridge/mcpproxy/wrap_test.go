package mcpproxy_test

import (
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/bridge/mcpproxy"
)

const file = `{
  // the servers of this project
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": [
        "-y", // no questions
        "server-files",
      ],
      "env": {"TOKEN": "x"}
    },
    "bare": {"command": "bare-server"},
    "empty": {"command": "s", "args": []},
    "web": {"type": "http", "url": "https://example.com/mcp"},
    "blank": { "args" : [ "a" ] , "command" : "t \"q\"" }
  }
}
`

const wrappedFile = `{
  // the servers of this project
  "mcpServers": {
    "files": {
      "command": "/bin/hookline",
      "args": [
        "mcp", "--name", "files", "--", "npx", "-y", // no questions
        "server-files",
      ],
      "env": {"TOKEN": "x"}
    },
    "bare": {"command": "/bin/hookline", "args": ["mcp", "--name", "bare", "--", "bare-server"]},
    "empty": {"command": "/bin/hookline", "args": [ "mcp", "--name", "empty", "--", "s"]},
    "web": {"type": "http", "url": "https://example.com/mcp"},
    "blank": { "args" : [ "mcp", "--name", "blank", "--", "t \"q\"", "a" ] , "command" : "/bin/hookline" }
  }
}
`

const codexFile = `model = "o3" # stays
[mcp_servers.files]
  command = 'C:\npx' # raw
  args = [
    "-y", # no questions
    "server-files",
  ]
env = { TOKEN = "x" }

[mcp_servers."bare one"]
	command = "bare-server" # said
[mcp_servers."bare one".env]
command = "not this one"

[mcp_servers]
empty = { args = [], command = "s" }
inline = {command = "t"}
dotted . command = "u"
web.url = "https://example.com/mcp"

[[other]]
command = "nor this one"
`

const wrappedCodexFile = `model = "o3" # stays
[mcp_servers.files]
  command = "/bin/hookline" # raw
  args = [
    "mcp", "--name", "files", "--", 'C:\npx', "-y", # no questions
    "server-files",
  ]
env = { TOKEN = "x" }

[mcp_servers."bare one"]
	command = "/bin/hookline"
	args = ["mcp", "--name", "bare one", "--", "bare-server"] # said
[mcp_servers."bare one".env]
command = "not this one"

[mcp_servers]
empty = { args = [ "mcp", "--name", "empty", "--", "s"], command = "/bin/hookline" }
inline = {command = "/bin/hookline", args = ["mcp", "--name", "inline", "--", "t"]}
dotted . command = "/bin/hookline"
dotted . args = ["mcp", "--name", "dotted", "--", "u"]
web.url = "https://example.com/mcp"

[[other]]
command = "nor this one"
`

func TestUnwrapGivesTheFileBack(t *testing.T) {
	for name, c := range map[string]struct {
		src, want string
		names     []string
	}{
		"servers.json": {file, wrappedFile, []string{"files", "bare", "empty", "blank"}},
		"config.toml":  {codexFile, wrappedCodexFile, []string{"files", "bare one", "empty", "inline", "dotted"}},
	} {
		out, wrapped, left, err := mcpproxy.Wrap(name, []byte(c.src), "/bin/hookline")
		if err != nil || string(out) != c.want || !slices.Equal(wrapped, c.names) || len(left) != 1 || left[0].Name != "web" {
			t.Fatalf("wrapped %v, left %v, error %v:\n%s", wrapped, left, err, out)
		}
		twice, wrapped, _, err := mcpproxy.Wrap(name, out, "/bin/hookline")
		if err != nil || string(twice) != c.want || len(wrapped) > 0 {
			t.Errorf("wrapped again %v, error %v:\n%s", wrapped, err, twice)
		}
		back, unwrapped, err := mcpproxy.Unwrap(name, out)
		if err != nil || string(back) != c.src || !slices.Equal(unwrapped, c.names) {
			t.Errorf("unwrapped %v, error %v:\n%s", unwrapped, err, back)
		}
	}
}

func TestWrapRefusesWhatItCannotRead(t *testing.T) {
	for _, src := range []string{"", "[]", "{", `{"x": 1}`, `{"mcpServers": []}`, `{"mcpServers": {"a": 1}}`, `{"mcpServers": {"a": {"command": 1}}}`, `{"mcpServers": {}, "mcpServers": {}}`} {
		if _, _, _, err := mcpproxy.Wrap("servers.json", []byte(src), "h"); err == nil {
			t.Errorf("%s: no error", src)
		}
	}
	for _, src := range []string{"", "[", "a = 1", "mcp_servers = 1", "[mcp_servers.a]\ncommand = 1", "[mcp_servers.a]\nargs = 1", "[[mcp_servers]]\ncommand = 'x'", "[mcp_servers.a]\ncommand = 'x'\ncommand = 'y'"} {
		if _, _, _, err := mcpproxy.Wrap("config.toml", []byte(src), "h"); err == nil {
			t.Errorf("%s: no error", src)
		}
	}
	for _, src := range []string{"", "[", "a = 1", "mcp_servers = 1", "[mcp_servers.a]\ncommand = 1", "[mcp_servers.a]\nargs = 1", "[[mcp_servers]]\ncommand = 'x'", "[mcp_servers.a]\ncommand = 'x'\ncommand = 'y'"} {
		if _, _, _, err := mcpproxy.Wrap("config.toml", []byte(src), "h"); err == nil {
			t.Errorf("%s: no error", src)
		}
	}
	_, _, left, err := mcpproxy.Wrap("servers.json", []byte(`{"servers": {"a": {"command": "x", "args": "y"}}}`), "h")
	if err != nil || len(left) != 1 {
		t.Errorf("left %v, error %v", left, err)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("servers.json", []byte(file))
	f.Add("servers.json", []byte(`{"servers":{"a":{"command":"\u0078"}}}`))
	f.Add("config.toml", []byte(codexFile))
	f.Add("config.toml", []byte("mcp_servers.a.command='x'\r\n"))
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		out, _, _, err := mcpproxy.Wrap(name, src, "/bin/hookline")
		if err != nil {
			return
		}
		first, _, err := mcpproxy.Unwrap(name, src) // what was wrapped before stays so
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := mcpproxy.Unwrap(name, out)
		if err != nil || string(back) != string(first) {
			t.Errorf("error %v: %q became %q and %q", err, src, out, back)
		}
	})
}
