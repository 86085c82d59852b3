package agentsdk_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

const (
	toServer = `"subtype":"mcp_message"`
	calcs    = `{"type":"control_request","request_id":"i","request":{"subtype":"initialize","hooks":null,"sdkMcpServers":["calc"]}}`
)

// serve answers for the program's MCP server calc, as both SDKs do, and returns the method
// that was called. The second call of its tool fails.
func (p *program) serve(ask hook.JSON, calls *int) string {
	p.t.Helper()
	request, _ := ask.Get("request")
	message, _ := request.Get("message")
	id, isCall := message.Get("id")
	method := message.String("method")
	result := map[string]string{
		"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"calc","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}]}`,
		"tools/call": `{"content":[{"type":"text","text":"sum 42"}]}`,
	}[method]
	if method == "tools/call" {
		*calls++
	}
	switch {
	case request.String("server_name") != "calc":
		p.t.Errorf("it asks %s", ask.Raw())
	case *calls == 2 && method == "tools/call":
		p.respond(ask, `"subtype":"error","error":"calc is broken"`)
	case !isCall:
		p.answer(ask, `{"mcp_response":{"jsonrpc":"2.0","result":{}}}`)
	case result == "":
		p.answer(ask, `{"mcp_response":{"jsonrpc":"2.0","id":`+id.Raw()+`,"error":{"code":-32601,"message":"there is no `+method+`"}}}`)
	default:
		p.answer(ask, `{"mcp_response":{"jsonrpc":"2.0","id":`+id.Raw()+`,"result":`+result+`}}`)
	}
	return method
}

// The program's MCP servers are reached over its own lines, in both directions; calls are
// asked about and interrupted as any.
func TestServersInTheProgram(t *testing.T) {
	add := "  - tool_calls: [{name: mcp__calc__add, input: {}}]\n"
	p := start(t, "turns:\n"+add+add+"  - text: done\n"+add, calcs)
	calls := 0
	until := func(text, method string) hook.JSON { // or until the server's method is called
		for line := range p.lines {
			switch raw := line.Raw(); {
			case strings.Contains(raw, `"method":"`+method) && method != "", strings.Contains(raw, text):
				return line
			case strings.Contains(raw, toServer):
				p.serve(line, &calls)
			case strings.Contains(raw, permission):
				p.answer(line, `{"behavior":"allow"}`)
			}
		}
		t.Fatalf("neither %s nor %s", text, method)
		return hook.JSON{}
	}
	p.prompt("go")
	until(result, "")
	if told := p.told(); calls != 2 || !strings.Contains(told, "sum 42") || !strings.Contains(told, "the MCP server calc of the program: the program answers: calc is broken") {
		t.Errorf("after %d calls the model was told %s", calls, told)
	}
	p.say(`{"type":"control_request","request_id":"m","request":{"subtype":"mcp_message","server_name":"calc","message":{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}}}`)
	p.serve(until("nothing else", "tools/list"), &calls)
	for want, answer := range map[string]string{
		`{"action":"accept","content":{"name":"x"}}`: `"subtype":"success","response":{"action":"accept","content":{"name":"x"}}`,
		`{"action":"cancel"}`:                        `"subtype":"success","response":{"action":"cancel"}`,
		`{"action":"decline"}`:                       `"subtype":"error","error":"Unsupported control request subtype: elicitation"`,
		`the program's answer is none`:               `"subtype":"success","response":{"action":"maybe"}`,
	} {
		p.say(`{"type":"control_request","request_id":"e","request":{"subtype":"mcp_message","server_name":"calc","message":{"jsonrpc":"2.0","id":"q","method":"elicitation/create",` +
			`"params":{"message":"who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"number"}}}}}}}`)
		ask := until(`"subtype":"elicitation"`, "")
		for _, member := range []string{`"mcp_server_name":"calc"`, `"message":"who?"`, `"mode":"form"`, `"requested_schema":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"number"}}}`, `"property_order":["name","age"]`} {
			if !strings.Contains(ask.Raw(), member) {
				t.Errorf("no %s in %s", member, ask.Raw())
			}
		}
		p.respond(ask, answer)
		reply := until(`"id":"q"`, "")
		if !strings.Contains(reply.Raw(), want) {
			t.Errorf("the server is told %s, not %s", reply.Raw(), want)
		}
		p.answer(reply, `{"mcp_response":{"jsonrpc":"2.0","result":{}}}`)
	}
	p.prompt("again")
	until("nothing else", "tools/call")
	p.say(`{"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}}`)
	if end := until(result, ""); end.String("end") != "interrupted" {
		t.Error(end.Raw())
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// A question about a file outside of the project says which it is.
func TestAFileOutside(t *testing.T) {
	file := filepath.Join(t.TempDir(), "outside")
	p := start(t, "turns:\n  - tool_calls: [{name: Write, input: {file_path: "+file+", content: x}}]\n  - text: done\n", beginning)
	p.prompt("go")
	ask := p.until(permission)
	if request, _ := ask.Get("request"); request.String("blocked_path") != file || request.String("decision_reason_type") != "workingDir" {
		t.Errorf("it asks %s", ask.Raw())
	}
	p.answer(ask, `{"behavior":"deny","message":"no"}`)
	p.until(result)
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// A task of a subagent that the program stops ends, and takes its question back; the agent
// goes on.
func TestStoppedTask(t *testing.T) {
	p := start(t, "turns:\n  - tool_calls: [{name: Agent, input: {description: look, prompt: look, subagent_type: looker}}]\n"+
		"  - tool_calls: [{name: Bash, input: {command: touch original}}]\n  - text: done\n",
		`{"type":"control_request","request_id":"i","request":{"subtype":"initialize","agents":{"looker":{"description":"Looks.","prompt":"You look."}}}}`)
	p.prompt("go")
	task := p.until(`"subtype":"task_started"`).String("task_id")
	ask := p.until(permission)
	p.say(`{"type":"control_request","request_id":"r","request":{"subtype":"stop_task","task_id":"` + task + `"}}`)
	var seen []string
	for _, text := range []string{
		`"type":"control_cancel_request","request_id":"` + ask.String("request_id"), `"request_id":"r","response":{}`,
		`"subtype":"task_notification","task_id":"` + task, `"status":"stopped"`, `"result":"done"`,
	} {
		if !slices.ContainsFunc(seen, func(line string) bool { return strings.Contains(line, text) }) {
			for line := range p.lines {
				seen = append(seen, line.Raw())
				if strings.Contains(line.Raw(), text) {
					break
				}
			}
		}
	}
	if len(seen) == 0 || !strings.Contains(seen[len(seen)-1], `"result":"done"`) || p.exists("original") {
		t.Error(strings.Join(seen, "\n"))
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// A thousand prompts wait and no more; what the program wants nobody knows then, so that
// none of them is worked on, and the one that runs is ended.
func TestFloodOfPrompts(t *testing.T) {
	p := start(t, touch, beginning)
	p.prompt("go")
	p.until(permission)
	for range 1001 {
		p.prompt("more")
	}
	if end := p.until(result); end.String("end") != "interrupted" {
		t.Error(end.Raw())
	}
	if err := p.end(); err == nil || !strings.Contains(err.Error(), "1000 prompts wait") || p.exists("original") || strings.Contains(p.told(), "more") {
		t.Error(err)
	}
}

// Requests beyond 64 at once are refused, and those of an id that is worked on; one that the
// program takes back ends, the others when it goes.
func TestFloodOfRequests(t *testing.T) {
	p := start(t, "turns: [{text: one}]", strings.Replace(guarding(""), "PreToolUse", "PreModelSwitch", 1))
	ask := func(id int) {
		p.say(fmt.Sprintf(`{"type":"control_request","request_id":"r%d","request":{"subtype":"set_model"}}`, id))
	}
	for id := range 64 {
		ask(id)
		p.until(callback)
	}
	ask(7)
	p.until(`"request_id":"r7","error":"the request r7 is being worked on already"`)
	ask(64)
	p.until(`"request_id":"r64","error":"64 requests are worked on already"`)
	p.say(`{"type":"control_cancel_request","request_id":"r5"}`)
	if got := p.until(`"response":{"subtype":"error","request_id":"r5"`).Raw(); !strings.Contains(got, "the program took the request back") {
		t.Error(got)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}
