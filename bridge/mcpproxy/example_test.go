package mcpproxy_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/bridge/mcpproxy"
)

func ExampleWrap() {
	out, wrapped, _, err := mcpproxy.Wrap(".mcp.json", []byte(`{"mcpServers": {"files": {"command": "npx", "args": ["server-files"]}}}`), "/usr/bin/hookline")
	fmt.Println(string(out), wrapped, err)
	// Output:
	// {"mcpServers": {"files": {"command": "/usr/bin/hookline", "args": ["mcp", "--name", "files", "--", "npx", "server-files"]}}} [files] <nil>
}
