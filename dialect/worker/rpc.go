package worker

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// extensionProtocol is the version that a host names, a date.
const extensionProtocol = "2026-05-30"

// greetingID is the id of the first request.
const greetingID = 1

// maxHeader bounds the header of a frame.
const maxHeader = 8 << 10

// The codes of errors in answers.
const (
	codeNoMethod = -32601
	codeParams   = -32602
	codeInternal = -32603
)

// extension speaks to one extension: JSON-RPC 2.0 in frames with a Content-Length.
type extension struct{ options extensionOptions }

var _ worker.Wire = (*extension)(nil)

// rpcMessage is a message in either direction.
type rpcMessage struct {
	JSONRPC  string         `json:"jsonrpc"`
	ID       jsontext.Value `json:"id,omitzero"`
	ParentID jsontext.Value `json:"parentId,omitzero"`
	Method   string         `json:"method,omitzero"`
	Params   jsontext.Value `json:"params,omitzero"`
	Result   jsontext.Value `json:"result,omitzero"`
	Error    *rpcError      `json:"error,omitzero"`
}

type rpcError struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"`
}

// frame puts a message into its frame. The messages of this package always encode.
func frame(m rpcMessage) []byte {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m, hook.EncodeOptions())
	if err != nil {
		body = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"a message could not be encoded"}}`)
	}
	head := "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	return append([]byte(head), body...)
}

func number(id uint64) jsontext.Value { return strconv.AppendUint(nil, id, 10) }

// Greeting asks the extension for what it offers.
func (e *extension) Greeting() ([]byte, error) {
	ui := e.options.UI
	config := e.options.Config
	if config.IsZero() {
		config = hook.RawJSON("{}")
	}
	var names []string
	for _, ev := range extensionTable {
		if ev.why == "" {
			names = append(names, ev.name)
		}
	}
	type object = map[string]any
	params, err := json.Marshal(object{
		"protocolVersion": extensionProtocol,
		"kodelet":         object{"version": e.options.Version},
		"extension":       object{"id": e.options.ID, "config": config, "cwd": e.options.Cwd, "dataDir": e.options.DataDir},
		"capabilities": object{
			"tools": false, "toolUpdates": false, "commands": false, "events": names,
			"conversations": object{"fork": false}, "runtime": object{"backgroundTasks": false},
			"ui": object{
				"input": ui, "confirm": ui, "select": ui, "notify": true,
				"widgets": false, "surfaces": false, "transcript": false,
			},
		},
	}, hook.EncodeOptions())
	if err != nil {
		return nil, err
	}
	return frame(rpcMessage{ID: number(greetingID), Method: "extension.initialize", Params: params}), nil
}

// Read returns the body of the next frame. What else stands between frames, such as what
// an extension prints by accident, is passed over, as kodelet does.
func (*extension) Read(r *bufio.Reader, limit int) ([]byte, error) {
	length, read := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		read += len(line)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) || read > maxHeader:
			return nil, errors.New("a header that is too long")
		case errors.Is(err, io.EOF) && read > 0:
			return nil, fmt.Errorf("the output ends within a header: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 && length >= 0 {
			break
		}
		key, value, ok := strings.Cut(string(line), ":")
		if !ok && length < 0 {
			read = 0 // no header has begun
		}
		if !strings.EqualFold(strings.TrimSpace(key), "Content-Length") {
			continue
		}
		if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 {
			return nil, fmt.Errorf("a Content-Length of %.80q", value)
		}
	}
	if length > limit {
		return nil, fmt.Errorf("%w: %d bytes, more than %d", worker.ErrTooLarge, length, limit)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("the output ends within a frame: %w", err)
	}
	return body, nil
}

// Parse reads a message.
func (e *extension) Parse(raw []byte) (worker.Message, error) {
	var m rpcMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return worker.Message{}, fmt.Errorf("a frame that is not a message: %w", err)
	}
	switch {
	case m.JSONRPC != "2.0" && m.JSONRPC != "":
		return worker.Message{}, errors.New("a message that is not of JSON-RPC 2.0")
	case m.Method != "" && absent(m.ID):
		return worker.Message{}, nil // notifications are for interfaces that this host has not
	case m.Method != "":
		return worker.Message{Kind: worker.KindRequest, Request: parseHostCall(&m)}, nil
	}
	id, err := strconv.ParseUint(string(m.ID), 10, 64)
	if err != nil {
		return worker.Message{}, fmt.Errorf("an answer with the id %.80s", m.ID)
	}
	switch {
	case m.Error != nil && id == greetingID:
		return worker.Message{}, fmt.Errorf("it refuses to begin: %s", m.Error.Message)
	case m.Error != nil:
		return worker.Message{Kind: worker.KindError, ID: id, Text: m.Error.Message}, nil
	case id == greetingID:
		hello, err := parseInitialize(m.Result)
		return worker.Message{Kind: worker.KindHello, Hello: hello}, err
	}
	return worker.Message{Kind: worker.KindResult, ID: id, Body: m.Result}, nil
}

func absent(v jsontext.Value) bool { return len(v) == 0 || string(v) == "null" }

// initializeResult is what an extension offers.
type initializeResult struct {
	Name          string           `json:"name"`
	Version       string           `json:"version"`
	Tools         []jsontext.Value `json:"tools"`
	Commands      []jsontext.Value `json:"commands"`
	Shortcuts     []jsontext.Value `json:"shortcuts"`
	Profiles      []jsontext.Value `json:"profiles"`
	Subscriptions []struct {
		Event        string   `json:"event"`
		Priority     int      `json:"priority"`
		TimeoutInSec *float64 `json:"timeoutInSec"`
	} `json:"subscriptions"`
}

func parseInitialize(raw []byte) (*worker.Hello, error) {
	var r initializeResult
	if absent(raw) {
		return nil, errors.New("it answered the start with nothing")
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("what it offers cannot be read: %w", err)
	}
	// Extensions are written for a host that asks one thing at a time.
	h := &worker.Hello{Name: r.Name, Version: r.Version, Concurrency: 1}
	for _, s := range r.Subscriptions {
		one := worker.HookSpec{Event: s.Event, Priority: s.Priority}
		if t := s.TimeoutInSec; t != nil {
			if one.Timeout = time.Duration(min(*t, 24*3600) * float64(time.Second)); *t <= 0 {
				one.Timeout = worker.NoTimeout
			}
		}
		h.Hooks = append(h.Hooks, one)
	}
	for _, o := range []struct {
		what string
		n    int
	}{{"tools", len(r.Tools)}, {"commands", len(r.Commands)}, {"shortcuts", len(r.Shortcuts)}, {"profiles", len(r.Profiles)}} {
		if o.n > 0 {
			h.Remarks = append(h.Remarks, fmt.Sprintf("%s offers %s (%d), which this host does not use", r.Name, o.what, o.n))
		}
	}
	return h, nil
}

// Cancel returns the notification that takes a call back.
func (*extension) Cancel(id uint64, _ string) []byte {
	return frame(rpcMessage{Method: "$/cancelRequest", Params: fmt.Appendf(nil, `{"id":%d}`, id)})
}

// Shutdown returns nothing: the end of its input is the extension's end.
func (*extension) Shutdown() []byte { return nil }

// reason is the code of an error in an answer to a host call.
func reason(err error) int {
	switch {
	case errors.Is(err, errMethod):
		return codeNoMethod
	case errors.Is(err, errParams):
		return codeParams
	}
	return codeInternal
}
