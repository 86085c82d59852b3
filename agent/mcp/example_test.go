package mcp_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/agent/mcp"
)

func Example() {
	servers, err := mcp.ParseConfig([]byte(`{
  "mcpServers": {
    "files": {"command": "mcp-files", "args": ["--root", "."]},
    "issues": {"type": "http", "url": "https://example.com/mcp"}
  }
}`), ".mcp.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := mcp.New(mcp.Options{
		Servers: servers,
		Trusted: func(s mcp.Server) bool { return false }, // nothing starts before a person has agreed
	})
	defer m.Close()
	for _, st := range m.Status() {
		fmt.Println(st.Name, st.State)
	}
	// Output:
	// files untrusted
	// issues untrusted
}
