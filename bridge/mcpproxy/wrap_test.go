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

func TestUnwrapGivesTheFileBack(t *testing.T) {
	out, wrapped, left, err := mcpproxy.Wrap([]byte(file), "/bin/hookline")
	if err != nil || string(out) != wrappedFile || !slices.Equal(wrapped, []string{"files", "bare", "empty", "blank"}) || len(left) != 1 || left[0].Name != "web" {
		t.Fatalf("wrapped %v, left %v, error %v:\n%s", wrapped, left, err, out)
	}
	twice, wrapped, _, err := mcpproxy.Wrap(out, "/bin/hookline")
	if err != nil || string(twice) != wrappedFile || len(wrapped) > 0 {
		t.Errorf("wrapped again %v, error %v:\n%s", wrapped, err, twice)
	}
	back, unwrapped, err := mcpproxy.Unwrap(out)
	if err != nil || string(back) != file || len(unwrapped) != 4 {
		t.Errorf("unwrapped %v, error %v:\n%s", unwrapped, err, back)
	}
}

func TestWrapRefusesWhatItCannotRead(t *testing.T) {
	for _, src := range []string{"", "[]", "{", `{"x": 1}`, `{"mcpServers": []}`, `{"mcpServers": {"a": 1}}`, `{"mcpServers": {"a": {"command": 1}}}`, `{"mcpServers": {}, "mcpServers": {}}`} {
		if _, _, _, err := mcpproxy.Wrap([]byte(src), "h"); err == nil {
			t.Errorf("%s: no error", src)
		}
	}
	_, _, left, err := mcpproxy.Wrap([]byte(`{"servers": {"a": {"command": "x", "args": "y"}}}`), "h")
	if err != nil || len(left) != 1 {
		t.Errorf("left %v, error %v", left, err)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add([]byte(file))
	f.Add([]byte(`{"servers":{"a":{"command":"x"}}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		out, _, _, err := mcpproxy.Wrap(src, "/bin/hookline")
		if err != nil {
			return
		}
		first, _, err := mcpproxy.Unwrap(src) // what was wrapped before stays so
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := mcpproxy.Unwrap(out)
		if err != nil || string(back) != string(first) {
			t.Errorf("error %v: %q became %q and %q", err, src, out, back)
		}
	})
}
