package mcpproxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/bridge/mcpproxy"
)

// remote is a connection to a server that the test plays, or to one of the SDK.
type remote struct {
	jsonrpc.Conn
	t    *testing.T
	told chan string
}

func newRemote(t *testing.T, h http.Handler) *remote {
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	r := &remote{t: t, told: make(chan string, 10)}
	r.Conn = mcpproxy.HTTP(context.Background(), mcpproxy.HTTPOptions{
		URL: web.URL, Headers: map[string]string{"Authorization": "Bearer x"}, Notify: func(text string) { r.told <- text },
	})
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func (r *remote) send(text string) {
	r.t.Helper()
	if err := r.Write([]byte(text)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *remote) want(parts ...string) {
	r.t.Helper()
	msg, err := r.Read()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, part := range parts {
		if !strings.Contains(string(msg), part) {
			r.t.Errorf("%q is not in %s", part, msg)
		}
	}
}

func (r *remote) wantEnd() {
	r.t.Helper()
	if msg, err := r.Read(); !errors.Is(err, io.EOF) {
		r.t.Errorf("there is %s, error %v", msg, err)
	}
}

const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`

func TestASessionOverHTTP(t *testing.T) {
	server := echoServer()
	r := newRemote(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	r.want(`"id":1,`, `"protocolVersion":"2025-06-18"`)
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	r.send(ping)
	r.want(`"id":7,`, `"result"`)
	heard := make(chan struct{})
	var saying sync.WaitGroup
	saying.Go(func() { // beside all requests, which nobody hears at first
		for ss := range server.Sessions() {
			for {
				_ = ss.NotifyProgress(t.Context(), &sdk.ProgressNotificationParams{ProgressToken: "p", Message: "half"})
				select {
				case <-heard:
					return
				case <-time.After(time.Millisecond):
				}
			}
		}
	})
	r.want(`"half"`)
	close(heard)
	saying.Wait()
	if err := r.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	for end := false; !end; { // after what was said more than once
		_, err := r.Read()
		end = errors.Is(err, io.EOF)
	}
	for range server.Sessions() {
		t.Error("the server still has the session")
	}
	if err := r.Write([]byte(ping)); err == nil {
		t.Error("something is written after the end")
	}
}

func TestHTTPKeepsBytes(t *testing.T) {
	r := newRemote(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if string(body) != `{"jsonrpc":"2.0", "id":1.0, "method":"x", "extra":1e3}` || req.Header.Get("Authorization") != "Bearer x" {
			t.Errorf("the server got %s", body)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, "{\"id\":1,\r\n \"result\":{\"a\":1.0,\"u\":\"\\u0041\xff\"}}\n")
	}))
	r.send(`{"jsonrpc":"2.0", "id":1.0, "method":"x", "extra":1e3}`)
	if msg, _ := r.Read(); string(msg) != `{"id":1,   "result":{"a":1.0,"u":"\u0041`+"\xff\"}}" {
		t.Errorf("the client got %q", msg)
	}
}

// TestHTTPTakesAStreamUpAgain has a server that ends a stream and goes on with it when it is
// asked, as the protocol wants it of one that polls.
func TestHTTPTakesAStreamUpAgain(t *testing.T) {
	r := newRemote(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch at := req.Header.Get("Last-Event-ID"); {
		case req.Method == http.MethodPost:
			fmt.Fprint(w, ": hello\n\nid: a\nretry: 1\ndata:\n\n")
		case req.Method == http.MethodGet && at == "a":
			fmt.Fprint(w, "id: b\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"method\":\"notifications/x\"}\r\n\r\n")
		case req.Method == http.MethodGet && at == "b":
			fmt.Fprint(w, "event: message\nid: c\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n")
		default:
			t.Errorf("%s at %q", req.Method, at)
		}
	}))
	r.send(ping)
	r.want(`{"jsonrpc":"2.0", "method":"notifications/x"}`)
	r.want(`"id":7,"result":{}`)
	_ = r.CloseWrite()
	r.wantEnd()
}

// TestHTTPAnswersWhatFails says what the client gets when the server does not answer.
func TestHTTPAnswersWhatFails(t *testing.T) {
	for name, c := range map[string]struct {
		status            int
		kind, body, where string
		want              string
	}{
		"a fault":           {status: 400, kind: "application/json", body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"no","data":[1]}}`, want: `{"jsonrpc":"2.0","id":7,"error":{"code":-32004,"message":"no","data":[1]}}`},
		"a status":          {status: 500, kind: "text/plain", body: "out of order", want: "it answers 500 Internal Server Error: out of order"},
		"no page for it":    {status: 404, kind: "text/html", body: "<h1>no</h1>", want: `it answers 404 Not Found"`},
		"a login":           {status: 401, want: "--header"},
		"another place":     {status: 307, where: "http://example.com/", want: "it has moved to http://example.com/"},
		"nothing":           {status: 202, want: "without an answer"},
		"a web page":        {status: 200, kind: "text/html", body: "<h1>hi</h1>", want: "without an answer"},
		"half an event":     {status: 200, kind: "text/event-stream", body: `data: {"jsonrpc":"2.0","id":7,"result":{}}`, want: "without an answer"},
		"a stream, no more": {status: 200, kind: "text/event-stream", body: ": x\n\n", want: "without an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRemote(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				if c.where != "" {
					w.Header().Set("Location", c.where)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			r.send(ping)
			r.want(`"id":7,"error"`, c.want)
		})
	}
	web := httptest.NewServer(nil)
	web.Close()
	conn := mcpproxy.HTTP(t.Context(), mcpproxy.HTTPOptions{URL: web.URL, Notify: func(string) {}})
	defer func() { _ = conn.Close() }()
	_ = conn.Write([]byte(ping))
	if msg, err := conn.Read(); err != nil || !strings.Contains(string(msg), "refused") {
		t.Errorf("the client got %s, error %v", msg, err)
	}
}

// TestASessionThatTheServerForgot ends the connection, as the end of a server does that was
// started.
func TestASessionThatTheServerForgot(t *testing.T) {
	var calls atomic.Int32
	r := newRemote(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if calls.Add(1); req.Header.Get("Mcp-Session-Id") != "" {
			http.NotFound(w, req)
			return
		}
		w.Header().Set("Mcp-Session-Id", "s1")
		w.WriteHeader(http.StatusAccepted)
	}))
	r.send(`{"jsonrpc":"2.0","method":"notifications/a"}`)
	r.send(`{"jsonrpc":"2.0","method":"notifications/b"}`)
	r.wantEnd()
	if text := <-r.told; !strings.Contains(text, "ended the session") || calls.Load() != 2 {
		t.Errorf("the person is told %q after %d requests", text, calls.Load())
	}
}

// TestACancelledCallOfTheNewestVersion ends the request that is its call.
func TestACancelledCallOfTheNewestVersion(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	r := newRemote(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Mcp-Method") == "notifications/cancelled" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if req.Header.Get("Mcp-Name") != "write" || req.Header.Get("Mcp-Protocol-Version") != "2026-07-28" {
			t.Errorf("the server got %v", req.Header)
		}
		_, _ = io.Copy(io.Discard, req.Body) // or the end is not seen
		close(begun)
		<-req.Context().Done()
		close(ended)
	}))
	r.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"write",` + modern + `}}`)
	<-begun
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,` + modern + `}}`)
	r.want(`"id":7,"error"`)
	<-ended
}

// TestTheStreamBesideAllRequests has servers that have none, or something else in its place.
func TestTheStreamBesideAllRequests(t *testing.T) {
	for kind, told := range map[string]string{"": "", "text/html": `it answers "text/html" where a stream`} {
		asked, refused := make(chan struct{}, 10), make(chan struct{})
		r := newRemote(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			switch {
			case strings.Contains(string(body), "initialized"):
				w.WriteHeader(http.StatusAccepted)
			case strings.Contains(string(body), "ping"):
				<-refused
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{"jsonrpc":"2.0","id":2,"result":{}}`)
			case req.Method == http.MethodPost:
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`)
			case kind == "":
				defer close(refused)
				asked <- struct{}{}
				w.WriteHeader(http.StatusMethodNotAllowed)
				_ = http.NewResponseController(w).Flush()
			default:
				asked <- struct{}{}
				w.Header().Set("Content-Type", kind)
				fmt.Fprint(w, "retry: 0\n\n")
			}
		}))
		r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
		r.want(`"id":1,`)
		r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		<-asked
		if told == "" { // it has heard of that when a request that was sent later is answered
			r.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			r.want(`"id":2,`)
			_ = r.CloseWrite()
			r.wantEnd()
			close(r.told)
		}
		if text := <-r.told; told == "" && text != "" || !strings.Contains(text, told) {
			t.Errorf("%q: the person is told %q", kind, text)
		}
	}
}
