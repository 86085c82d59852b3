package agentsdk

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// transports are the connections to the MCP servers that the program has in itself, by
// their names.
type transports struct {
	mu   sync.Mutex
	open map[string]*connection
}

// connection carries the messages of one of them, as requests of either side.
type connection struct {
	s      *Server
	name   string
	in     chan jsonrpc.Message
	ctx    context.Context
	cancel context.CancelFunc

	mu   sync.Mutex // nothing is begun while it is being closed
	work sync.WaitGroup
}

// transport opens a connection.
func (s *Server) transport(name string) sdk.Transport { return connecting{s, name} }

type connecting struct {
	s    *Server
	name string
}

// Connect returns the connection, which outlives the context.
func (c connecting) Connect(context.Context) (sdk.Connection, error) {
	out := &connection{s: c.s, name: c.name, in: make(chan jsonrpc.Message, 64)}
	out.ctx, out.cancel = context.WithCancel(context.Background())
	t := &c.s.transports
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = map[string]*connection{}
	}
	t.open[c.name] = out
	return out, nil
}

// SessionID returns "": there is none.
func (c *connection) SessionID() string { return "" }

// Close ends what waits for the program.
func (c *connection) Close() error {
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	c.work.Wait()
	return nil
}

// Read waits for a message of the server.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.in:
		return m, nil
	case <-c.ctx.Done():
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write sends a message to the server. The program's answer has the server's, which Read
// returns.
func (c *connection) Write(_ context.Context, m jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encoding a message for the MCP server %s: %w", c.name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return io.ErrClosedPipe
	}
	c.work.Go(func() {
		out, err := c.s.ask(c.ctx, struct {
			Subtype string         `json:"subtype"`
			Server  string         `json:"server_name"`
			Message jsontext.Value `json:"message"`
		}{"mcp_message", c.name, raw})
		request, ok := m.(*jsonrpc.Request)
		if !ok || !request.IsCall() {
			return
		}
		var reply jsonrpc.Message
		if err == nil {
			answer, _ := out.Get("mcp_response")
			reply, err = jsonrpc.DecodeMessage([]byte(answer.Raw()))
		}
		if err != nil {
			reply = &jsonrpc.Response{ID: request.ID, Error: fmt.Errorf("the MCP server %s of the program: %w", c.name, err)}
		}
		c.deliver(reply)
	})
	return nil
}

func (c *connection) deliver(m jsonrpc.Message) {
	select {
	case c.in <- m:
	case <-c.ctx.Done():
	}
}

// fromServer takes a message that one of the program's servers sends by itself.
func (s *Server) fromServer(name string, raw jsontext.Value) error {
	s.transports.mu.Lock()
	c := s.transports.open[name]
	s.transports.mu.Unlock()
	if c == nil {
		return fmt.Errorf("there is no connection to an MCP server %q of the program", name)
	}
	m, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return fmt.Errorf("a message of the MCP server %s: %w", name, err)
	}
	c.deliver(m)
	return nil
}
