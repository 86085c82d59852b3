package oracle

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// IsToolServer reports whether this process was started as the MCP server of a room: its
// command is the program itself with the word oracle-tools.
func IsToolServer(args []string) bool { return len(args) == 2 && args[1] == "oracle-tools" }

// RunToolServer is an MCP server with a tool for each kind of result: say answers with
// a text, list with two, count with structured content, and fail with an error.
func RunToolServer(in io.Reader, out io.Writer) int {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name            string
				ProtocolVersion string
			}
		}
		if json.Unmarshal(lines.Bytes(), &asked) != nil || asked.ID == nil {
			continue
		}
		result := object{}
		switch asked.Method {
		case "initialize":
			result = object{"protocolVersion": asked.Params.ProtocolVersion, "serverInfo": object{"name": "toy", "version": "1"}, "capabilities": object{"tools": object{}}}
		case "tools/list":
			tools := []object{}
			for _, name := range []string{"say", "list", "count", "fail"} {
				tools = append(tools, object{"name": name, "description": "a tool", "inputSchema": object{"type": "object"}})
			}
			result["tools"] = tools
		case "tools/call":
			result = toolResult(asked.Params.Name)
		}
		line, _ := plainJSON(object{"jsonrpc": "2.0", "id": asked.ID, "result": result})
		fmt.Fprintf(out, "%s", line)
	}
	return 0
}

func toolResult(tool string) object {
	text := func(s string) object { return object{"type": "text", "text": s} }
	switch tool {
	case "list":
		return object{"content": []object{text("one"), text("two")}}
	case "count":
		return object{"content": []object{text(`{"n":2}`)}, "structuredContent": object{"n": 2}}
	case "fail":
		return object{"content": []object{text("it failed")}, "isError": true}
	}
	return object{"content": []object{text("said")}}
}
