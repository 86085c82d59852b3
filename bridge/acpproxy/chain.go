package acpproxy

import (
	"fmt"
	"io"
	"sync"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// The methods of the protocol's draft on chains of proxies.
const (
	methodProxyInitialize = "proxy/initialize"
	methodSuccessor       = "proxy/successor"
)

// maxQueued bounds the messages for one side that have not been taken yet.
const maxQueued = 1024

// Chain takes a connection to a conductor apart, which starts programs one behind another as
// the protocol's draft on chains of proxies says: the client is what stands before this
// program, and the agent what stands behind it. Messages of the agent, and to it, are wrapped
// there. What is not a message, or is one for the last program of a chain, is refused.
func Chain(conductor jsonrpc.Conn) (client, agent jsonrpc.Conn) {
	c := &chain{conn: conductor, asked: map[string]question{}, given: map[string]*link{}, over: make(chan struct{})}
	c.client = &link{chain: c, queue: make(chan []byte, maxQueued), end: make(chan struct{})}
	c.agent = &link{chain: c, queue: make(chan []byte, maxQueued), end: make(chan struct{})}
	go c.read()
	return c.client, c.agent
}

type chain struct {
	conn          jsonrpc.Conn
	client, agent *link
	over          chan struct{} // closed when the connection has ended
	once          sync.Once

	mu      sync.Mutex
	asked   map[string]question // requests to the conductor, by the ids that they have there
	given   map[string]*link    // requests of the conductor that have no answer yet
	counter int
	err     error // why there are no more messages
}

// question is a request of one of the sides, which have ids of their own.
type question struct {
	of        *link
	id, rawID string
}

// link is one side of a chain.
type link struct {
	*chain
	queue chan []byte
	end   chan struct{} // closed when nothing more comes from this side
	once  sync.Once
}

// stop says that nothing more comes from this side.
func (l *link) stop() { l.once.Do(func() { close(l.end) }) }

// Read returns the next message of this side. What came before its end is read before it.
func (l *link) Read() ([]byte, error) {
	select {
	case raw := <-l.queue:
		return raw, nil
	case <-l.end:
	}
	select {
	case raw := <-l.queue:
		return raw, nil
	default:
		l.mu.Lock()
		defer l.mu.Unlock()
		return nil, l.err
	}
}

// CloseWrite ends this side, too: there is one connection for both.
func (l *link) CloseWrite() error {
	if l == l.agent {
		l.stop()
	}
	return nil
}

// Close ends the connection.
func (l *link) Close() error {
	l.stop()
	err := l.conn.Close()
	l.chain.once.Do(func() { close(l.over) })
	return err
}

// read takes messages of the conductor until there are no more. The agent's side ends after
// the client's.
func (c *chain) read() {
	for {
		raw, err := c.conn.Read()
		if err == nil {
			err = c.take(raw)
		}
		if err != nil {
			c.mu.Lock()
			c.err = err
			c.mu.Unlock()
			c.client.stop()
			if err != io.EOF {
				c.agent.stop()
			}
			return
		}
	}
}

// take hands a message of the conductor to the side that it is for.
func (c *chain) take(raw []byte) error {
	m := jsonrpc.Parse(raw)
	switch {
	case m.Response():
		return c.answered(&m)
	case !m.Clear() || m.Method == "":
		return c.conn.Write(jsonrpc.Failure(orNull(m.RawID), jsonrpc.CodeInvalidRequest, "hookline: this is not one JSON-RPC message that is read alike by everybody"))
	case m.Method == methodInitialize && m.Request():
		return c.conn.Write(jsonrpc.Failure(m.RawID, jsonrpc.CodeInvalidRequest, "hookline: it is a proxy, and the conductor has put it where the agent belongs"))
	}
	to := c.client
	switch m.Method {
	case methodProxyInitialize:
		raw = envelope(m.RawID, methodInitialize, m.Content())
	case methodSuccessor:
		params, _ := m.Content().Get("params")
		if params.Raw() == "null" {
			params = hook.JSON{}
		}
		raw, to = envelope(m.RawID, m.Content().String("method"), params), c.agent
	case methodCancelRequest:
		id, _ := m.Content().Get("requestId")
		c.mu.Lock()
		to = c.given[jsonrpc.Canonical([]byte(id.Raw()))]
		c.mu.Unlock()
		if to == nil {
			return nil // it has its answer
		}
	}
	if m.Request() {
		c.mu.Lock()
		c.given[m.ID] = to
		c.mu.Unlock()
	}
	return c.hand(to, raw)
}

func (c *chain) hand(to *link, raw []byte) error {
	select {
	case to.queue <- raw:
		return nil
	case <-c.over:
		return io.EOF
	}
}

// answered hands an answer of the conductor to the side that asked.
func (c *chain) answered(m *jsonrpc.Message) error {
	c.mu.Lock()
	q, ok := c.asked[m.ID]
	delete(c.asked, m.ID)
	c.mu.Unlock()
	if !ok {
		return nil
	}
	kind, body := "result", m.Content().Raw()
	if m.Failed {
		kind = "error"
	}
	return c.hand(q.of, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%q:%s}`, q.rawID, kind, orNull(body)))
}

// Write sends a message to this side.
func (l *link) Write(raw []byte) error {
	m := jsonrpc.Parse(raw)
	params := m.Content()
	switch {
	case m.Response():
		l.mu.Lock()
		delete(l.given, m.ID)
		l.mu.Unlock()
		return l.conn.Write(raw)
	case m.Doubtful || m.Method == "":
		return nil // the conductor sent nothing of the kind
	case m.Method == methodCancelRequest:
		id, ok := l.idThere(params)
		if !ok {
			return nil
		}
		return l.conn.Write(jsonrpc.Notification(methodCancelRequest, hook.RawJSON(`{"requestId":`+id+`}`)))
	}
	id := ""
	if m.Request() {
		l.mu.Lock()
		l.counter++
		id = fmt.Sprintf(`"hookline-%d"`, l.counter)
		l.asked[id] = question{l, m.ID, m.RawID}
		l.mu.Unlock()
	}
	if l == l.client {
		return l.conn.Write(envelope(id, m.Method, params))
	}
	wrapped := hook.MustJSON(map[string]string{"method": m.Method})
	if !params.IsZero() {
		if err := wrapped.Set("params", params); err != nil {
			return fmt.Errorf("wrap a message for the conductor: %w", err)
		}
	}
	return l.conn.Write(envelope(id, methodSuccessor, wrapped))
}

// idThere is the id that a request of this side's has at the conductor, of one that is
// cancelled.
func (l *link) idThere(params hook.JSON) (id string, ok bool) {
	raw, _ := params.Get("requestId")
	l.mu.Lock()
	defer l.mu.Unlock()
	for there, q := range l.asked {
		if q.of == l && q.id == jsonrpc.Canonical([]byte(raw.Raw())) {
			return there, true
		}
	}
	return "", false
}

// envelope makes a request, or a notification when it has no id.
func envelope(rawID, method string, params hook.JSON) []byte {
	out := []byte(`{"jsonrpc":"2.0"`)
	if rawID != "" {
		out = append(append(out, `,"id":`...), rawID...)
	}
	out = append(append(out, `,"method":`...), hook.MustJSON(method).Raw()...)
	if !params.IsZero() {
		out = append(append(out, `,"params":`...), params.Raw()...)
	}
	return append(out, '}')
}

func orNull(raw string) string {
	if raw == "" {
		return "null"
	}
	return raw
}
