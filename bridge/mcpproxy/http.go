package mcpproxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
)

// HTTPOptions say how a server is reached.
type HTTPOptions struct {
	URL     string
	Headers map[string]string // sent with every request
	// Notify is told what goes wrong with messages that have no answer. It may be called by
	// several goroutines.
	Notify func(text string)
}

// farewell is how long the server may take to end its session.
const farewell = 2 * time.Second

// httpConn is a Conn whose messages are requests over HTTP. Each is posted by a goroutine of
// its own, which hands over what comes back.
type httpConn struct {
	HTTPOptions
	client   *http.Client
	ctx      context.Context // of all requests
	cancel   context.CancelFunc
	incoming chan []byte
	over     chan struct{} // closed when nothing more comes

	mu               sync.Mutex
	closed           bool                          // nothing more is posted
	posted           map[string]context.CancelFunc // requests, by their id
	session, version string                        // as the server has said
	posts, listening sync.WaitGroup                // added to with mu held, while it is not closed
}

// HTTP returns a Conn to a server that is reached by streamable HTTP. Messages stay as they
// are, but for line breaks between their tokens, which become blanks. A request that does not
// reach the server, or that the server leaves unanswered, is answered with an error. There
// are no more messages when the server has ended its session.
func HTTP(ctx context.Context, o HTTPOptions) jsonrpc.Conn {
	h := &httpConn{HTTPOptions: o, incoming: make(chan []byte), over: make(chan struct{}), posted: map[string]context.CancelFunc{}}
	h.ctx, h.cancel = context.WithCancel(ctx)
	h.client = &http.Client{
		Transport: http.DefaultTransport.(*http.Transport).Clone(),
		// Another place would get the headers, which may be secrets.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return h
}

func (h *httpConn) Read() ([]byte, error) {
	select {
	case msg := <-h.incoming:
		return msg, nil
	case <-h.over:
		return nil, io.EOF
	}
}

// Write returns when a request is on its way, and when the server has taken what is none: so
// the server gets messages in their order.
func (h *httpConn) Write(raw []byte) error {
	m := jsonrpc.Parse(raw)
	ctx, cancel := context.WithCancel(h.ctx)
	sent := make(chan struct{})
	sending := sync.OnceFunc(func() { close(sent) })
	if m.Request() {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sending() }})
	}
	open := h.ifOpen(func() {
		if m.Request() {
			h.posted[m.ID] = cancel
		}
		h.posts.Go(func() {
			defer cancel()
			err := h.exchange(ctx, &m)
			sending()
			h.conclude(&m, err)
		})
	})
	if !open {
		cancel()
		return io.ErrClosedPipe
	}
	<-sent
	return nil
}

// ifOpen calls f with the lock, unless nothing more is posted.
func (h *httpConn) ifOpen(f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		f()
	}
	return !h.closed
}

// conclude does what is left to do when a message was posted.
func (h *httpConn) conclude(m *jsonrpc.Message, err error) {
	h.mu.Lock()
	delete(h.posted, m.ID)
	h.mu.Unlock()
	status, _ := errors.AsType[*statusError](err)
	switch {
	case err == nil:
		h.followUp(m)
	case m.Request() && status != nil && !status.fault.IsZero():
		h.hand([]byte(`{"jsonrpc":"2.0","id":`+m.RawID+`,"error":`+status.fault.Raw()+`}`), nil)
	case m.Request():
		h.hand(jsonrpc.Failure(m.RawID, jsonrpc.CodeGone, "hookline: "+err.Error()), nil)
	default:
		h.tell(err)
	}
}

// followUp does what a message that has no answer means for the connection.
func (h *httpConn) followUp(m *jsonrpc.Message) {
	h.ifOpen(func() {
		switch {
		case m.Method == "notifications/initialized" && h.version != "" && h.version < roundsSince:
			h.listening.Go(func() { h.tell(h.stream(h.ctx, nil, nil)) })
		case m.Method == methodCancelled && versionOf(m.Content()) >= roundsSince:
			id, _ := m.Content().Get("requestId")
			if cancel := h.posted[jsonrpc.Canonical([]byte(id.Raw()))]; cancel != nil {
				cancel() // the end of its request is what cancels a call there
			}
		}
	})
}

// tell tells the person of an error, unless it is that of the connection's end.
func (h *httpConn) tell(err error) {
	if err != nil && h.ctx.Err() == nil {
		h.Notify("MCP server " + h.URL + ": " + err.Error())
	}
}

// CloseWrite lets what is posted finish, and ends the session then.
func (h *httpConn) CloseWrite() error {
	h.ifOpen(func() {
		h.closed = true
		go func() {
			h.posts.Wait()
			h.cancel()
			h.listening.Wait()
			h.leave()
			h.client.CloseIdleConnections()
			close(h.over)
		}()
	})
	return nil
}

// leave ends the session, if the server has one.
func (h *httpConn) leave() {
	if h.session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.ctx), farewell)
	defer cancel()
	if resp, err := h.do(ctx, http.MethodDelete, nil, ""); err == nil { // it need not be able to
		_ = resp.Body.Close()
	}
}

func (h *httpConn) Close() error {
	h.cancel()
	_ = h.CloseWrite()
	<-h.over
	return nil
}
