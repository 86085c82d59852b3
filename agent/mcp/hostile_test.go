package mcp_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent/mcp"
)

// rawServer is a server that speaks the protocol by hand, so that it can break it.
// Its one tool, "do", is called with what the server is to do wrong.
func rawServer() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	answer := func(id any, result string) {
		b, _ := json.Marshal(id) // it came as JSON
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", b, result)
		out.Flush()
	}
	for in.Scan() {
		var m struct {
			ID     any    `json:"id"`
			Method string `json:"method"`
			Params struct {
				Version   string            `json:"protocolVersion"`
				Arguments map[string]string `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		switch m.Method {
		case "initialize":
			answer(m.ID, `{"protocolVersion":"`+m.Params.Version+`","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"raw","version":"1"}}`)
		case "tools/list":
			answer(m.ID, `{"tools":[{"name":"do","inputSchema":{"type":"object"}}]}`)
		case "tools/call":
			misbehave(out, m.Params.Arguments["what"])
			answer(m.ID, `{"content":[{"type":"text","text":"done"}]}`)
		default:
			answer(m.ID, `{}`)
		}
	}
}

func misbehave(out *bufio.Writer, what string) {
	defer out.Flush()
	switch what {
	case "log":
		for i := range 1_000 {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line %d"}}`+"\n", i)
		}
	case "list":
		for range 500 {
			out.WriteString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		}
	case "progress":
		for i := range 500 {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":%d}}`+"\n", i)
		}
	case "line": // one that never ends
		block := strings.Repeat("x", 1<<20)
		out.WriteString(`{"jsonrpc":"2.0","id":77,"result":{"content":[{"type":"text","text":"`)
		for {
			if _, err := out.WriteString(block); err != nil {
				os.Exit(0)
			}
		}
	case "json":
		out.WriteString("{\"jsonrpc\": nope}\n")
	case "words":
		out.WriteString("Traceback (most recent call last):\n")
	case "stray":
		out.WriteString(`{"jsonrpc":"2.0","id":4711,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"what?"}}` + "\n")
	case "shape":
		out.WriteString(`{"jsonrpc":"2.0","method":"notifications/progress","params":[1]}` + "\n" + `[]` + "\n")
	}
}

// Whatever a server sends, a call comes to an end, and the server can be used again.
func TestServersThatBreakTheProtocol(t *testing.T) {
	for what, works := range map[string]bool{
		"nothing": true, "log": true, "list": true, "progress": true, "stray": true,
		"line": false, "json": false, "words": false, "shape": false,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			m := start(t, mcp.Options{Servers: []mcp.Server{childServer(t, "srv", "raw")}, Backoff: 10 * time.Millisecond, CallTimeout: 30 * time.Second})
			wait(t, m)
			r, err := run(t, find(t, m, "mcp__srv__do"), `{"what":"`+what+`"}`)
			if works != (err == nil) || works && r.Text() != "done" {
				t.Errorf("%q, %v", r.Text(), err)
			}
			eventually(t, "a call that goes well", func() bool {
				for _, tl := range m.Tools() {
					if r, err := run(t, tl, `{"what":"nothing"}`); err == nil && r.Text() == "done" {
						return true
					}
				}
				return false
			})
		})
	}
}

func TestEndlessAnswerOverHTTP(t *testing.T) {
	for _, typ := range []string{"application/json", "text/event-stream"} {
		t.Run(typ, func(t *testing.T) {
			sent := 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", typ)
				block := []byte(strings.Repeat("x\n", 1<<19))
				if typ == "text/event-stream" {
					block = []byte(strings.Repeat("x", 1<<20))
					_, _ = w.Write([]byte("event: message\ndata: "))
				}
				for sent = 0; sent < 1<<10; sent++ {
					if _, err := w.Write(block); err != nil {
						return // as it should be
					}
				}
			}))
			defer srv.Close()
			m := start(t, mcp.Options{Servers: []mcp.Server{{Name: "s", Type: "http", URL: srv.URL}}, StartTimeout: 30 * time.Second})
			if err := m.Wait(t.Context()); err == nil || strings.Contains(err.Error(), "did not answer") {
				t.Errorf("%v", err)
			}
			m.Close()
			srv.Close()
			if sent >= 1<<10 {
				t.Error("a gigabyte was read")
			}
		})
	}
}

func TestChangedServerIsNotStartedAgain(t *testing.T) {
	var changed atomic.Bool
	m := start(t, mcp.Options{
		Servers: []mcp.Server{childServer(t, "srv", "serve")}, Backoff: time.Millisecond,
		Trusted: func(mcp.Server) bool { return !changed.Load() },
	})
	wait(t, m)
	echo := find(t, m, "mcp__srv__echo")
	changed.Store(true)
	if _, err := run(t, find(t, m, "mcp__srv__exit"), `{}`); err == nil {
		t.Error("a call survived its server")
	}
	eventually(t, "the server is given up", func() bool {
		_, err := run(t, echo, `{"text":"back"}`)
		return err != nil && strings.Contains(err.Error(), "has not been approved")
	})
}
