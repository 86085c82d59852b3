package oracle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
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
	Header   http.Header       `json:"-"`
}

// Message is one message of a request; its content is a text or blocks.
type Message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// Model is a scripted model on loopback that speaks the formats of several makers,
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
	i := slices.IndexFunc(wires, func(w wire) bool { return strings.Contains(r.URL.Path, w.path) })
	switch {
	case strings.Contains(r.URL.Path, "count_tokens"):
		fmt.Fprint(w, `{"input_tokens":10}`)
		return
	case i < 0 || r.Method != http.MethodPost:
		fmt.Fprint(w, `{}`)
		return
	}
	req, err := wires[i].read(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req.Header = r.Header
	n, turn := m.turn(req)
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
	wires[i].answer(w, req, n, turn)
}

// turn finds what the model says to a request, and keeps the request.
func (m *Model) turn(req *Request) (n int, t Turn) {
	last := len(req.Messages) - 1
	if len(req.Tools) == 0 || last >= 0 && m.script.Own != "" && bytes.Contains(req.Messages[last].Content, []byte(m.script.Own)) {
		for marker, text := range m.script.Aside {
			if slices.ContainsFunc(req.Messages, func(msg Message) bool { return bytes.Contains(msg.Content, []byte(marker)) }) {
				return 0, Say(text)
			}
		}
		return 0, Say("ok")
	}
	m.mu.Lock()
	m.requests = append(m.requests, *req)
	m.mu.Unlock()
	turns := m.script.Turns
	if marker := m.script.markerOf(*req); marker != "" {
		turns = m.script.Sub[marker]
	}
	prompt := slices.IndexFunc(req.Messages, func(msg Message) bool { return bytes.Contains(msg.Content, []byte(m.script.After)) })
	for _, msg := range req.Messages[max(prompt, 0):] {
		if msg.Role == "assistant" {
			n++
		}
	}
	if n < len(turns) {
		return n, turns[n]
	}
	return n, Say("All done.")
}

// markerOf is the marker in Sub of the conversation that a request is of, "" for none.
func (s *Script) markerOf(req Request) string {
	for marker := range s.Sub {
		if len(req.Messages) > 0 && bytes.Contains(req.Messages[0].Content, []byte(marker)) {
			return marker
		}
	}
	return ""
}
