package worker_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// fakeLines is a worker that denies everything.
func fakeLines() {
	fmt.Println(`{"type":"hello","protocol":1,"name":"fake","concurrency":2,"hooks":[` +
		`{"event":"PreToolUse","name":"no rm","matcher":"Bash","guard":true,"timeout_ms":1500,"priority":7},` +
		`{"event":"Stop","timeout_ms":0,"on_failure":"open"},` +
		`{"event":"PostToolUse","observe":true,"once":true},` +
		`{"event":"PreTolUse"},` +
		`{"event":"PreToolUse","matcher":"a(b"}]}`)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		m := hook.RawJSON(in.Text())
		if m.String("type") == "call" {
			id, _ := m.Int("id")
			index, _ := m.Int("hook")
			fmt.Printf("{\"type\":\"result\",\"id\":%d,\"decision\":\"deny\",\"reason\":\"hook %d\"}\n", id, index)
		}
	}
}

// rpc is what the fake extension reads.
type rpc struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		Event        string         `json:"event"`
		Context      jsontext.Value `json:"context"`
		Payload      jsontext.Value `json:"payload"`
		Extension    jsontext.Value `json:"extension"`
		Capabilities struct {
			Events []string `json:"events"`
		} `json:"capabilities"`
		ID jsontext.Value `json:"id"`
	} `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

// fakeExtension is an extension. What it answers is in the member "answer" of the tool's
// input or the prompt, and otherwise by its mode.
func fakeExtension(mode string) {
	in := bufio.NewReader(os.Stdin)
	for {
		m, ok := readFrame(in)
		if !ok {
			return
		}
		switch m.Method {
		case "extension.initialize":
			greet(mode, m)
		case "extension.event.handle":
			handleEvent(in, m)
		}
	}
}

func readFrame(in *bufio.Reader) (m rpc, ok bool) {
	length := 0
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return m, false
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if v, found := strings.CutPrefix(line, "Content-Length: "); found {
			length, _ = strconv.Atoi(v)
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return m, false
	}
	if err := json.Unmarshal(body, &m); err != nil {
		fmt.Fprintln(os.Stderr, "bad frame:", err)
		os.Exit(9)
	}
	return m, true
}

func writeFrame(format string, args ...any) {
	body := fmt.Sprintf(format, args...)
	fmt.Printf("content-length:%d\r\nX-Other: 1\r\n\r\n%s", len(body), body)
}

func greet(mode string, m rpc) {
	switch mode {
	case "refuses":
		writeFrame(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"wrong version"}}`, m.ID)
		return
	}
	fmt.Print("Starting the extension...\n\nnote: this is not a header\n") // printed by accident
	var names []string
	for _, ev := range append(m.Params.Capabilities.Events, "agent.init", "tool.call") {
		timeout := ""
		if ev == "turn.end" {
			timeout = `,"timeoutInSec":1.5`
		}
		if ev == "session.end" {
			timeout = `,"timeoutInSec":0`
		}
		names = append(names, fmt.Sprintf(`{"event":%q,"priority":%d%s}`, ev, len(names), timeout))
	}
	writeFrame(`{"jsonrpc":"2.0","id":%s,"result":{"name":"ext","version":"1.0","tools":[{"name":"t"}],"subscriptions":[%s],"extra":%s}}`,
		m.ID, strings.Join(names, ","), m.Params.Extension)
}

func handleEvent(in *bufio.Reader, m rpc) {
	payload := hook.RawJSON(m.Params.Payload)
	tool, _ := payload.Get("tool")
	input, _ := tool.Get("input")
	do := input.String("answer")
	if do == "" {
		do = payload.String("message")
	}
	switch {
	case do == "echo":
		all, _ := json.Marshal(string(m.Params.Context) + " " + payload.Raw())
		writeFrame(`{"jsonrpc":"2.0","id":%s,"result":{"block":{"reason":%s}}}`, m.ID, all)
	case do == "hang":
		time.Sleep(time.Minute)
	case do == "yield":
		for {
			c, ok := readFrame(in)
			if !ok {
				return
			}
			if c.Method == "$/cancelRequest" && string(c.Params.ID) == string(m.ID) {
				writeFrame(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"taken back"}}`, m.ID)
				return
			}
		}
	case do == "fail":
		writeFrame(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"it broke"}}`, m.ID)
	case do == "garbage":
		fmt.Print("Content-Length: many\r\n\r\n")
	case strings.HasPrefix(do, "kodelet."):
		method, params, _ := strings.Cut(do, " ")
		writeFrame(`{"jsonrpc":"2.0","method":"kodelet.ui.widget.frame","params":{}}`)
		writeFrame(`{"jsonrpc":"2.0","id":5,"parentId":%s,"method":%q,"params":%s}`, m.ID, method, params)
		r, _ := readFrame(in)
		all, _ := json.Marshal(string(r.Result) + string(r.Error))
		writeFrame(`{"jsonrpc":"2.0","id":%s,"result":{"block":{"reason":%s}}}`, m.ID, all)
	case strings.HasPrefix(do, "{"):
		writeFrame(`{"id":%s,"result":%s}`, m.ID, do) // without jsonrpc, which kodelet does not ask for
	case m.Params.Event == "agent.end":
		writeFrame(`{"jsonrpc":"2.0","id":%s,"result":{"followUpMessages":["go on"]}}`, m.ID)
	case m.Params.Event == "tool.result":
		output, _ := tool.Get("output")
		meta, _ := output.Get("metadata")
		_ = meta.Set("output", "redacted")
		_ = output.Set("metadata", meta)
		writeFrame(`{"jsonrpc":"2.0","id":%s,"result":{"output":%s}}`, m.ID, output.Raw())
	default:
		writeFrame(`{"jsonrpc":"2.0","id":%s,"result":null}`, m.ID)
	}
}
