package worker

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// Lines is the protocol of Hookline's own workers: JSON objects, one a line. The
// zero value is ready for use.
type Lines struct{}

var _ Wire = Lines{}

// ErrTooLarge says that a message is larger than the limit.
var ErrTooLarge = errors.New("a message is too large")

// Greeting returns nil: the worker begins.
func (Lines) Greeting() ([]byte, error) { return nil, nil }

// Read returns the next line that is not blank.
func (Lines) Read(r *bufio.Reader, limit int) ([]byte, error) {
	for {
		line, err := readLine(r, limit)
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil && len(line) <= limit {
		return line, nil
	}
	var long []byte
	for errors.Is(err, bufio.ErrBufferFull) && len(long)+len(line) <= limit {
		long = append(long, line...)
		line, err = r.ReadSlice('\n')
	}
	switch {
	case len(long)+len(line) > limit:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	case errors.Is(err, io.EOF) && len(long)+len(line) > 0:
		return nil, fmt.Errorf("the output ends within a line: %w", io.ErrUnexpectedEOF)
	}
	return append(long, line...), err
}

// head is what all messages of a worker have.
type head struct {
	Type string         `json:"type"`
	Rest jsontext.Value `json:",embed"`
}

// Parse reads a message.
func (Lines) Parse(raw []byte) (Message, error) {
	if m, ok := plainResult(raw); ok {
		return m, nil
	}
	return parse(raw)
}

// parse reads a message of any kind.
func parse(raw []byte) (Message, error) {
	var h head
	if err := json.Unmarshal(raw, &h); err != nil {
		return Message{}, fmt.Errorf("a line that is not a message: %w", err)
	}
	if len(h.Rest) == 0 {
		h.Rest = jsontext.Value("{}")
	}
	var m Message
	var err error
	switch h.Type {
	case "hello":
		m, err = parseHello(h.Rest)
	case "result":
		m, err = parseResult(h.Rest)
	case "error":
		var e ErrorMessage
		err = decode(h.Rest, &e)
		m = Message{Kind: KindError, ID: e.ID, Text: e.Message}
	case "progress":
		var p ProgressMessage
		err = decode(h.Rest, &p)
		m = Message{Kind: KindProgress, ID: p.ID, Text: p.Text}
	case "log":
		var l LogMessage
		err = decode(h.Rest, &l)
		m = Message{Kind: KindLog, Level: level(l.Level), Text: l.Message}
	case "request":
		m, err = parseRequest(h.Rest)
	default:
		return Message{}, fmt.Errorf("a message of unknown type %q", h.Type)
	}
	if err != nil {
		return Message{}, fmt.Errorf("a %s that cannot be read: %w", h.Type, err)
	}
	return m, nil
}

func decode(raw []byte, v any) error {
	return json.Unmarshal(raw, v, json.RejectUnknownMembers(true))
}

func parseHello(raw []byte) (Message, error) {
	// The version comes first: a hello of another one may hold anything.
	var v struct {
		Protocol *int           `json:"protocol"`
		Rest     jsontext.Value `json:",embed"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return Message{}, err
	}
	if v.Protocol == nil || *v.Protocol != Protocol {
		got := "none"
		if v.Protocol != nil {
			got = strconv.Itoa(*v.Protocol)
		}
		return Message{}, fmt.Errorf("it speaks version %s of the protocol, and this host %d", got, Protocol)
	}
	var h HelloMessage
	if err := decode(raw, &h); err != nil {
		return Message{}, err
	}
	out := &Hello{Name: h.Name, Version: h.Version, Concurrency: h.Concurrency}
	for i, one := range h.Hooks {
		s, err := one.spec()
		if err != nil {
			return Message{}, fmt.Errorf("hook %d: %w", i, err)
		}
		out.Hooks = append(out.Hooks, s)
	}
	return Message{Kind: KindHello, Hello: out}, nil
}

func (h HelloHook) spec() (HookSpec, error) {
	s := HookSpec{
		Event: h.Event, Name: h.Name, Matcher: h.Matcher, Priority: h.Priority,
		Observe: h.Observe, Guard: h.Guard, Once: h.Once,
	}
	if ms := h.TimeoutMS; ms != nil {
		switch {
		case *ms < 0:
			return s, fmt.Errorf("timeout_ms %d is negative", *ms)
		case *ms == 0:
			s.Timeout = NoTimeout
		default:
			s.Timeout = time.Duration(min(*ms, int64(24*time.Hour/time.Millisecond))) * time.Millisecond
		}
	}
	switch h.OnFailure {
	case "":
		if h.Guard {
			s.OnFailure = hook.FailClosed
		}
	case "default":
	case "open":
		s.OnFailure = hook.FailOpen
	case "closed":
		s.OnFailure = hook.FailClosed
	case "ask":
		s.OnFailure = hook.FailAsk
	default:
		return s, fmt.Errorf("unknown on_failure %q (known: open, closed, ask, default)", h.OnFailure)
	}
	return s, nil
}

// parseResult reads what tells results apart and leaves the answer itself to who
// waits for it.
func parseResult(raw []byte) (Message, error) {
	var r struct {
		ID             *uint64        `json:"id"`
		Async          bool           `json:"async"`
		AsyncTimeoutMS int64          `json:"async_timeout_ms"`
		Rest           jsontext.Value `json:",embed"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Message{}, err
	}
	if r.ID == nil {
		return Message{}, errors.New("it has no id")
	}
	return Message{
		Kind: KindResult, ID: *r.ID, Body: r.Rest, Async: r.Async,
		AsyncTimeout: time.Duration(max(r.AsyncTimeoutMS, 0)) * time.Millisecond,
	}, nil
}

// plainResult reads a result that begins with its type and id, as libraries write them,
// and that is the last of its call: nearly all messages there are. It reports false for
// all else, and for what has a mistake in it.
func plainResult(raw []byte) (m Message, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(`{"type":"result","id":`))
	digits := 0
	for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' {
		digits++
	}
	if !ok || digits == 0 || digits > 18 || digits > 1 && rest[0] == '0' || digits == len(rest) {
		return Message{}, false
	}
	for _, c := range rest[:digits] {
		m.ID = m.ID*10 + uint64(c-'0')
	}
	m.Kind = KindResult
	body := slices.Clone(rest[digits:])
	switch {
	case string(body) == "}":
		return m, true
	case !bytes.HasPrefix(body, []byte(`,"`)):
		return Message{}, false
	}
	body[0] = '{'
	for _, special := range []string{`"type"`, `"id"`, `"async`, `\u`} {
		if bytes.Contains(body, []byte(special)) {
			return Message{}, false // or it looks like one
		}
	}
	m.Body = body
	return m, jsontext.Value(body).IsValid()
}

func level(l string) string {
	switch l {
	case "debug", "warning", "error":
		return l
	}
	return "info"
}

func parseRequest(raw []byte) (Message, error) {
	var r RequestMessage
	if err := decode(raw, &r); err != nil {
		return Message{}, err
	}
	if k := r.ID.Kind(); k != '0' && k != '"' {
		return Message{}, errors.New("its id is neither a number nor a string")
	}
	req := &Request{ID: bytes.Clone(r.ID), Call: r.Call, Method: Method(r.Method)}
	var p RequestParams
	if len(r.Params) > 0 && r.Params.Kind() != 'n' {
		if err := decode(r.Params, &p); err != nil {
			req.Err = fmt.Errorf("read the parameters: %w", err)
		}
	}
	req.Title, req.Message, req.Placeholder = p.Title, p.Message, p.Placeholder
	req.Options, req.Level, req.Key, req.Exec = p.Options, level(p.Level), p.Key, p.Exec
	return Message{Kind: KindRequest, Request: req}, nil
}

// Call returns a call with the canonical input.
func (Lines) Call(id uint64, index int, _ HookSpec, call *hook.Call, timeout time.Duration) ([]byte, error) {
	input, err := hook.MarshalInput(call.Input)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(input)+128)
	b = append(b, `{"type":"call","id":`...)
	b = strconv.AppendUint(b, id, 10)
	b = append(b, `,"hook":`...)
	b = strconv.AppendInt(b, int64(index), 10)
	b = append(b, `,"event":"`...)
	b = append(b, call.Input.Event().String()...)
	b = append(b, '"')
	if timeout > 0 {
		b = append(b, `,"timeout_ms":`...)
		b = strconv.AppendInt(b, max(timeout.Milliseconds(), 1), 10)
	}
	b = append(b, `,"input":`...)
	b = append(b, input...)
	return append(b, "}\n"...), nil
}

// Cancel returns the message that takes a call back.
func (Lines) Cancel(id uint64, why string) []byte {
	return encode(CancelMessage{Type: "cancel", ID: id, Reason: why})
}

// Shutdown returns the last message.
func (Lines) Shutdown() []byte { return encode(ShutdownMessage{Type: "shutdown"}) }

// Reply returns the answer to a request.
func (Lines) Reply(req *Request, res Response, err error) []byte {
	m := ReplyMessage{Type: "reply", ID: req.ID}
	if err != nil {
		m.Error = err.Error()
	} else {
		m.Value = encodeValue(replyValue(req.Method, res))
	}
	return encode(m)
}

// replyValue is the answer in the shape that the method has. Where there is nobody
// to ask it is what it is when a person dismisses the question.
func replyValue(m Method, res Response) any {
	switch m {
	case MethodConfirm:
		return res.Confirmed
	case MethodSelect, MethodInput:
		if res.Answered {
			return res.Text
		}
	case MethodExec:
		return res.Exec
	case MethodMessages:
		if res.Messages == nil {
			return []hook.Message{}
		}
		return res.Messages
	case MethodMetadata:
		if res.Answered {
			return res.Value
		}
	}
	return nil
}

// Result reads an answer.
func (Lines) Result(_ *hook.Call, _ HookSpec, body []byte) (hook.Result, []string, error) {
	res, err := decodeResult(body)
	return res, nil, err
}

func encode(v any) []byte { return append(encodeValue(v), '\n') }

// encodeValue encodes values of this package's own types, which always encode: raw
// values in them are put on one line, and become strings where they are not valid.
func encodeValue(v any) jsontext.Value {
	b, err := json.Marshal(v, hook.EncodeOptions())
	if err != nil {
		b, _ = json.Marshal(fmt.Sprintf("this value cannot be encoded: %v", err), jsontext.AllowInvalidUTF8(true))
	}
	return b
}
