package mcpproxy

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

const (
	maxResumes  = 5           // attempts in a row to take up a stream that broke off
	resumeDelay = time.Second // before each, unless the server says how long
	maxPause    = time.Minute // before a stream without messages is asked for again
	maxFault    = 1 << 20     // of what a server says of a request that failed, in bytes

	headerSession = "Mcp-Session-Id"
)

// errUnanswered says that a server has not done what it is there for.
var errUnanswered = errors.New("the server has left the request without an answer")

// exchange posts a message and hands over what comes back. It returns an error when a
// request has no answer.
func (h *httpConn) exchange(ctx context.Context, m *jsonrpc.Message) error {
	resp, err := h.do(ctx, http.MethodPost, m, "")
	if err != nil {
		return err
	}
	if mediaType(resp) == "text/event-stream" {
		return h.stream(ctx, m, resp)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, jsonrpc.MaxMessage+1))
	switch {
	case err != nil:
		return fmt.Errorf("read the server's answer: %w", err)
	case len(body) > jsonrpc.MaxMessage:
		return jsonrpc.ErrTooLong
	case mediaType(resp) == "application/json" && len(body) > 0 && h.hand(body, m), !m.Request():
		return nil
	}
	return errUnanswered
}

func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind
}

// hand hands over a message of the server, and reports whether it answers m.
func (h *httpConn) hand(raw []byte, m *jsonrpc.Message) bool {
	raw = bytes.TrimSpace(raw)
	for i, b := range raw {
		if b == '\n' || b == '\r' { // texts hold none
			raw[i] = ' '
		}
	}
	got := jsonrpc.Parse(raw)
	answers := m != nil && got.Response() && got.ID == m.ID
	if answers && m.Method == methodInitialize {
		h.mu.Lock()
		h.version = got.Content().String("protocolVersion")
		h.mu.Unlock()
	}
	select {
	case h.incoming <- raw:
	case <-h.ctx.Done():
	}
	return answers
}

// statusError is an answer over HTTP that says that a request failed.
type statusError struct {
	code   int
	status string
	text   string    // what the server says
	fault  hook.JSON // or the error that it answers
}

func (e *statusError) Error() string {
	text := "it answers " + e.status
	if e.text != "" {
		text += ": " + e.text
	}
	if e.code == http.StatusUnauthorized {
		text += `; give what it wants with --header, such as --header 'Authorization: Bearer ${TOKEN}'`
	}
	return text
}

// do sends a request, and returns what the server makes of it unless that is an error. Of a
// stream that is taken up again, last is the id of its last event.
func (h *httpConn) do(ctx context.Context, method string, m *jsonrpc.Message, last string) (*http.Response, error) {
	var body io.Reader
	if m != nil {
		body = bytes.NewReader(m.Raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, h.URL, body)
	if err != nil {
		return nil, err
	}
	h.setHeaders(req.Header, m, last)
	resp, err := h.client.Do(req)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	lost := resp.StatusCode == http.StatusNotFound && h.session != ""
	switch {
	case lost:
		h.session = ""
	case h.session == "":
		h.session = resp.Header.Get(headerSession)
	}
	h.mu.Unlock()
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	if lost { // as when a server ends that was started
		h.tell(errors.New("it has ended the session"))
		h.cancel()
		_ = h.CloseWrite()
	}
	return nil, faultOfStatus(resp)
}

func faultOfStatus(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxFault))
	e := &statusError{code: resp.StatusCode, status: resp.Status}
	if to := resp.Header.Get("Location"); to != "" {
		e.text = "it has moved to " + to
	} else if got := jsonrpc.Parse(body); got.Failed && got.Clear() {
		e.fault = got.Content()
		e.text = e.fault.String("message")
	} else if strings.HasPrefix(mediaType(resp), "text/plain") {
		const most = 300
		e.text = strings.ToValidUTF8(string(body[:min(len(body), most)]), "")
	}
	return e
}

func (h *httpConn) setHeaders(header http.Header, m *jsonrpc.Message, last string) {
	h.mu.Lock()
	session, version := h.session, h.version
	h.mu.Unlock()
	header.Set("Accept", "text/event-stream")
	if m != nil {
		header.Set("Accept", "application/json, text/event-stream")
		header.Set("Content-Type", "application/json")
		version = cmp.Or(versionOf(m.Content()), version)
	}
	if m != nil && m.Method != "" && version >= roundsSince {
		header.Set("Mcp-Method", m.Method)
		switch m.Method {
		case methodCall, methodPrompt:
			header.Set("Mcp-Name", m.Content().String("name"))
		case methodRead:
			header.Set("Mcp-Name", m.Content().String("uri"))
		}
	}
	for name, value := range map[string]string{headerSession: session, "Mcp-Protocol-Version": version, "Last-Event-ID": last} {
		if value != "" {
			header.Set(name, value)
		}
	}
	for name, value := range h.Headers {
		header.Set(name, value)
	}
}

// place is where a stream of events is.
type place struct {
	last  string        // the id of the last event
	delay time.Duration // before it is taken up again
	idle  int           // how often in a row it was of no use
}

// pause is how long to wait before a stream is taken up again: as long as the server says of
// one that was of use, and longer and longer when it ends at once each time.
func (at *place) pause() time.Duration {
	if at.idle == 0 {
		return at.delay
	}
	return min(max(at.delay, resumeDelay)<<min(at.idle-1, 10), max(at.delay, maxPause))
}

// stream hands over the messages of a stream, which it takes up again where it breaks off
// until it has answered m. Without m it is the one beside all requests, which a server need
// not have.
func (h *httpConn) stream(ctx context.Context, m *jsonrpc.Message, resp *http.Response) (err error) {
	at := place{delay: resumeDelay}
	for failures := 0; failures < maxResumes; failures++ {
		events, begun := 0, time.Now()
		if resp == nil {
			resp, err = h.do(ctx, http.MethodGet, nil, at.last)
		}
		if status, refused := errors.AsType[*statusError](err); refused {
			if m == nil && status.code/100 == 4 {
				return nil
			}
			return err
		}
		if err == nil {
			var answered bool
			if kind := mediaType(resp); kind != "text/event-stream" {
				_ = resp.Body.Close()
				return fmt.Errorf("it answers %q where a stream of its messages was asked for", kind)
			}
			if events, answered, err = h.events(resp, m, &at); answered {
				return nil
			}
			if events > 0 || m == nil && err == nil {
				failures = 0
			}
			resp = nil
		}
		if m != nil && at.last == "" {
			return cmp.Or(err, errUnanswered)
		}
		if at.idle++; events > 0 || time.Since(begun) > maxPause {
			at.idle = 0
		}
		select {
		case <-time.After(at.pause()):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("a stream of its messages broke off %d times: %w", maxResumes, cmp.Or(err, errUnanswered))
}

// events hands over the messages of a stream until it ends. It returns how many events there
// were and whether one of them answers m.
func (h *httpConn) events(resp *http.Response, m *jsonrpc.Message, at *place) (n int, answered bool, err error) {
	defer func() { _ = resp.Body.Close() }()
	r := bufio.NewReaderSize(resp.Body, 64<<10)
	var data []byte
	fields := false // the event has a field
	for {
		line, err := jsonrpc.ReadLine(r)
		if errors.Is(err, io.EOF) {
			return n, answered, nil // an event that has no end is none
		}
		if err != nil {
			return n, answered, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if fields {
				n++
			}
			fields = false
			if len(bytes.TrimSpace(data)) > 0 {
				answered = h.hand(data, m) || answered
			}
			data = nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		fields = fields || len(field) > 0 // else it is a comment
		switch string(field) {
		case "data":
			if len(data)+len(value) > jsonrpc.MaxMessage {
				return n, answered, jsonrpc.ErrTooLong
			}
			data = append(append(data, value...), '\n')
		case "id":
			at.last = string(value)
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				at.delay = time.Duration(ms) * time.Millisecond
			}
		}
	}
}
