package acpproxy_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/bridge/acpproxy"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// conductor is what starts the proxy in a chain. Its one connection has the client's and the
// agent's messages, of which those of the agent are wrapped.
type conductor struct {
	*end
	done chan error
}

func newConductor(t *testing.T, register func(*hook.Registry)) *conductor {
	reg := hook.NewRegistry()
	register(reg)
	engine := hook.New(reg)
	fromConductor, out := io.Pipe()
	in, toConductor := io.Pipe()
	c := &conductor{newEnd(t, in, out), make(chan error, 1)}
	s := &stage{t: t, told: make(chan string, 100), lost: make(chan string, 100)}
	client, agent := acpproxy.Chain(jsonrpc.Lines(fromConductor, toConductor))
	go func() {
		c.done <- acpproxy.Run(context.Background(), acpproxy.Options{
			Open: func(context.Context, string) (acpproxy.Hooks, error) { return s.hooks(reg, engine), nil },
		}, client, agent)
	}()
	t.Cleanup(func() {
		_ = out.Close()
		_ = in.Close()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// id is the id of a message that was read.
func id(message string) string {
	raw, _ := hook.RawJSON(message).Get("id")
	return raw.Raw()
}

// begin leads the chain to an open session.
func (c *conductor) begin() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"proxy/initialize","params":{"protocolVersion":1}}`)
	asked := c.gets(`"proxy/successor"`, `"params":{"method":"initialize","params":{"protocolVersion":1}}`)
	go c.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentInfo":{"name":"x","version":"1"}}}`, id(asked))
	c.gets(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1`)
	go c.send(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`)
	asked = c.gets(`"method":"session/new"`, `"cwd":"/p"`)
	go c.send(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s"}}`, id(asked))
	c.gets(`"id":2,"result":{"sessionId":"s"}`)
	c.says("Hooks can stop what")
}

func TestAProxyInAChain(t *testing.T) {
	c := newConductor(t, func(reg *hook.Registry) {
		onTool(reg, func(in *hook.PreToolUse) hook.Result {
			if in.ToolInput.String("file_path") == "/p/no" {
				return hook.Deny("not that file")
			}
			return hook.None()
		})
	})
	c.begin()
	go c.send("%s", prompt("3", "hi"))
	asked := c.gets(`"proxy/successor"`, `"method":"session/prompt"`, `"text":"hi"`)
	write := `{"jsonrpc":"2.0","id":%s,"method":"proxy/successor","params":{"method":"fs/write_text_file","params":{"sessionId":"s","path":"/p/%s","content":"x"}}}`
	go c.send(write, `"w1"`, "no")
	c.gets(`"id":"w1","error"`, "not that file")
	go c.send(write, `"w2"`, "yes")
	inner := c.gets(`"method":"fs/write_text_file"`, `"path":"/p/yes"`)
	if strings.Contains(inner, "successor") || id(inner) == id(asked) {
		t.Errorf("the client gets %s", inner)
	}
	go c.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id(inner))
	c.want(`{"jsonrpc":"2.0","id":"w2","result":{}}`)
	go c.send(`{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ok"}}}}}`)
	c.gets(`"method":"session/update","params":{"sessionId":"s"`, `"text":"ok"`)
	go c.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}`)
	c.want(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id(asked) + `}}`)
	go c.send(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"cancelled"}}`, id(asked))
	c.gets(`"id":3,"result":{"stopReason":"cancelled"}`)
	_ = c.w.Close()
	if err := <-c.done; err != nil {
		t.Error(err)
	}
}

func TestWhatAChainRefuses(t *testing.T) {
	c := newConductor(t, func(reg *hook.Registry) { onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.None() }) })
	for _, m := range [][2]string{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`, `"id":1,"error"`},
		{`{"jsonrpc":"2.0","id":1,"method":"proxy/successor","method":"x"}`, `"error"`},
		{`[]`, `"error"`},
	} {
		if _, err := io.WriteString(c.w, m[0]+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := c.r.ReadString('\n')
		if err != nil || !strings.Contains(line, m[1]) {
			t.Errorf("%s is answered %s, error %v", m[0], line, err)
		}
	}
	c.begin()
	go c.send("%s", prompt("3", "hi"))
	c.gets(`"method":"session/prompt"`)
	_ = c.w.CloseWithError(errors.New("torn")) // the conductor dies, and may read no more
	go func() { _, _ = io.Copy(io.Discard, c.r) }()
	if err := <-c.done; err == nil {
		t.Error("it ends as if all were well")
	}
}
