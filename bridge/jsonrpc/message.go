package jsonrpc

import (
	"bytes"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// Codes of JSON-RPC errors; the last two are of those that are left to programs.
const (
	CodeInvalidRequest = -32600
	CodeGone           = -32000 // the other side has ended
	CodeRefused        = -32001 // a hook refused, or could not be asked
)

// Message is a JSON-RPC message as it came, and what its envelope says. Raw stays as it is.
type Message struct {
	Raw    []byte
	ID     string // in canonical form, "" when there is none
	RawID  string
	Method string
	Failed bool // the body is an error
	// Doubtful says that another reader could understand the message otherwise: it is
	// broken, or a member of the envelope stands in it twice.
	Doubtful bool

	body span // of the params, the result or the error
}

// span is a part of a message.
type span struct{ from, to int }

// Request reports whether an answer is expected.
func (m *Message) Request() bool { return m.Method != "" && m.ID != "" }

// Response reports whether it answers a request.
func (m *Message) Response() bool { return m.Method == "" && m.ID != "" }

// Content is the body, absent when there is none. It is not copied: nobody may change Raw.
func (m *Message) Content() hook.JSON {
	body := m.Raw[m.body.from:m.body.to]
	return hook.RawJSON(unsafe.String(unsafe.SliceData(body), len(body)))
}

// Clear reports whether everybody reads the message alike.
func (m *Message) Clear() bool {
	return !m.Doubtful && (m.body.to == 0 || jsontext.Value(m.Raw[m.body.from:m.body.to]).IsValid())
}

// With returns the message with another body.
func (m *Message) With(body hook.JSON) []byte {
	out := make([]byte, 0, len(m.Raw)-(m.body.to-m.body.from)+len(body.Raw()))
	out = append(append(out, m.Raw[:m.body.from]...), body.Raw()...)
	return append(out, m.Raw[m.body.to:]...)
}

// Parse reads the envelope of a message. Nothing is copied but the id and the method.
func Parse(raw []byte) Message {
	m := Message{Raw: raw}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if dec.PeekKind() != '{' {
		return m
	}
	if _, err := dec.ReadToken(); err != nil {
		return m
	}
	seen := map[string]bool{}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			break
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		if kind := envelope[key]; kind != "" {
			m.Doubtful = m.Doubtful || seen[kind]
			seen[kind] = true
			end := int(dec.InputOffset())
			m.member(key, value, span{end - len(value), end})
		}
	}
	if _, err := dec.ReadToken(); err != nil || len(bytes.TrimSpace(raw[dec.InputOffset():])) > 0 {
		m.Doubtful = true
	}
	return m
}

// envelope are the members that are looked at; of those of one kind a message has one.
var envelope = map[string]string{"id": "id", "method": "method", "params": "body", "result": "body", "error": "body"}

func (m *Message) member(key string, value []byte, place span) {
	switch key {
	case "id":
		if m.RawID = string(value); m.RawID != "null" {
			m.ID = Canonical(value)
		}
	case "method":
		m.Method, _ = hook.RawJSON(value).AsString()
	default:
		m.body, m.Failed = place, key == "error"
	}
}

// Canonical brings ids that mean the same into one form: 1 and 1.0 are one.
func Canonical(id []byte) string {
	v := jsontext.Value(id).Clone()
	if err := v.Canonicalize(); err != nil {
		return string(id)
	}
	return string(v)
}

// Reply makes a response with a result.
func Reply(rawID string, result hook.JSON) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + rawID + `,"result":` + result.Raw() + `}`)
}

// Failure makes a response with an error.
func Failure(rawID string, code int, text string) []byte {
	fault := hook.MustJSON(map[string]any{"code": code, "message": text})
	return []byte(`{"jsonrpc":"2.0","id":` + rawID + `,"error":` + fault.Raw() + `}`)
}

// Call makes a request.
func Call(rawID, method string, params hook.JSON) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + rawID + `,"method":"` + method + `","params":` + params.Raw() + `}`)
}

// Notification makes a message that has no answer.
func Notification(method string, params hook.JSON) []byte {
	return []byte(`{"jsonrpc":"2.0","method":"` + method + `","params":` + params.Raw() + `}`)
}

// IDText is the id as hooks see it: a text without its quotes.
func (m *Message) IDText() string {
	if s, ok := hook.RawJSON(m.RawID).AsString(); ok {
		return s
	}
	return m.RawID
}
