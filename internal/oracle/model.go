package oracle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// Request is one conversation that the model was sent.
type Request struct {
	System   json.RawMessage   `json:"system"`
	Messages []Message         `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
}

// Message is one message of a request; its content is a text or blocks.
type Message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// Model is a scripted model on loopback that speaks the Anthropic Messages format,
// streaming and not. It is safe for concurrent use. Close it.
type Model struct {
	// URL is the base address for clients.
	URL    string
	script Script
	server *http.Server

	mu       sync.Mutex
	requests []Request
}

// StartModel returns a model that listens.
func StartModel(script Script) (*Model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the scripted model: %w", err)
	}
	m := &Model{URL: "http://" + l.Addr().String(), script: script}
	m.server = &http.Server{Handler: m}
	go func() { _ = m.server.Serve(l) }()
	return m, nil
}

// Close ends the server and the requests that are on their way.
func (m *Model) Close() error { return m.server.Close() }

// Requests returns the conversations so far that had tools to call: the others are the
// programs' own questions, such as for a title.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

// ServeHTTP answers a request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.Contains(r.URL.Path, "count_tokens"):
		fmt.Fprint(w, `{"input_tokens":10}`)
		return
	case !strings.HasSuffix(r.URL.Path, "/v1/messages"):
		fmt.Fprint(w, `{}`)
		return
	}
	var req Request
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n, turn := m.turn(&req)
	if turn.Status != 0 {
		w.Header().Set("X-Should-Retry", "false")
		w.WriteHeader(turn.Status)
		kind := map[int]string{
			400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
			413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
		}[turn.Status]
		fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"message":"scripted error %d"}}`, cmp.Or(kind, "api_error"), turn.Status)
		return
	}
	answer(w, &req, n, turn)
}

// turn finds what the model says to a request, and keeps the request.
func (m *Model) turn(req *Request) (n int, t Turn) {
	if len(req.Tools) == 0 {
		return 0, Say("ok")
	}
	m.mu.Lock()
	m.requests = append(m.requests, *req)
	m.mu.Unlock()
	turns := m.script.Turns
	for marker, sub := range m.script.Sub {
		if len(req.Messages) > 0 && bytes.Contains(req.Messages[0].Content, []byte(marker)) {
			turns = sub
		}
	}
	for _, msg := range req.Messages {
		if msg.Role == "assistant" {
			n++
		}
	}
	if n < len(turns) {
		return n, turns[n]
	}
	return n, Say("All done.")
}

type object = map[string]any

// answer writes a turn in the form that the request asks for.
func answer(w http.ResponseWriter, req *Request, n int, turn Turn) {
	stop := "end_turn"
	var content []object
	for i, b := range turn.Blocks {
		if b.Tool == "" {
			content = append(content, object{"type": "text", "text": b.Text})
			continue
		}
		stop = "tool_use"
		content = append(content, object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d_%d", n, i), "name": b.Tool, "input": b.Input})
	}
	usage := object{"input_tokens": 10, "output_tokens": 5}
	msg := object{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": req.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !req.Stream {
		_ = json.NewEncoder(w).Encode(msg)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(name string, fields object) {
		fields["type"] = name
		line, _ := plainJSON(fields)
		fmt.Fprintf(w, "event: %s\ndata: %s\n", name, line)
	}
	msg["content"], msg["stop_reason"] = []object{}, nil
	event("message_start", object{"message": msg})
	for i, b := range content {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			input, _ := plainJSON(b["input"])
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(bytes.TrimSpace(input))}
		}
		event("content_block_start", object{"index": i, "content_block": start})
		event("content_block_delta", object{"index": i, "delta": delta})
		event("content_block_stop", object{"index": i})
	}
	event("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event("message_stop", object{})
}
