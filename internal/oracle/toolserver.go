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
// a text, list with two, count with structured content, and fail with an error; ask asks the
// person for a name and says what came of it.
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
			for _, name := range []string{"say", "list", "count", "fail", "ask"} {
				tools = append(tools, object{"name": name, "description": "a tool", "inputSchema": object{"type": "object"}})
			}
			result["tools"] = tools
		case "tools/call":
			result = toolResult(asked.Params.Name)
			if asked.Params.Name == "ask" {
				result = text(ask(lines, out))
			}
		}
		line, _ := plainJSON(object{"jsonrpc": "2.0", "id": asked.ID, "result": result})
		fmt.Fprintf(out, "%s", line)
	}
	return 0
}

// ask asks for a name, and returns what was answered.
func ask(lines *bufio.Scanner, out io.Writer) string {
	schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"number"}},"required":["name"]}`)
	line, _ := plainJSON(object{"jsonrpc": "2.0", "id": "asked", "method": "elicitation/create", "params": object{"message": "MARK-WHO", "requestedSchema": schema}})
	fmt.Fprintf(out, "%s", line)
	for lines.Scan() {
		var said struct {
			ID     any
			Result struct {
				Action  string
				Content json.RawMessage
			}
		}
		if json.Unmarshal(lines.Bytes(), &said) == nil && said.ID == "asked" {
			return fmt.Sprintf("MARK-SAID %s %s", said.Result.Action, said.Result.Content)
		}
	}
	return ""
}

// text is a result of these texts.
func text(texts ...string) object {
	content := []object{}
	for _, s := range texts {
		content = append(content, object{"type": "text", "text": s})
	}
	return object{"content": content}
}

func toolResult(tool string) object {
	switch tool {
	case "list":
		return text("one", "two")
	case "count":
		counted := text(`{"n":2}`)
		counted["structuredContent"] = object{"n": 2}
		return counted
	case "fail":
		failed := text("it failed")
		failed["isError"] = true
		return failed
	}
	return text("said")
}
