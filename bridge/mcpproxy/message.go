package mcpproxy

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// The methods that hooks see.
const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
	methodRead       = "resources/read"
	methodPrompt     = "prompts/get"
	methodElicit     = "elicitation/create"
	methodCancelled  = "notifications/cancelled"
)

// Codes of JSON-RPC errors.
const (
	codeInvalidRequest = -32600
	codeRefused        = -32001 // of those that are left to programs
	codeServerGone     = -32000
)

// message is a JSON-RPC message as it came, and what its envelope says.
type message struct {
	raw    []byte
	id     string // in canonical form, "" when there is none
	rawID  string
	method string
	body   span // of the params, the result or the error
	failed bool // the body is an error
	// doubtful says that another reader could understand the message otherwise: it is
	// broken, or a member of the envelope stands in it twice.
	doubtful bool
}

// span is a part of a message.
type span struct{ from, to int }

func (m *message) request() bool  { return m.method != "" && m.id != "" }
func (m *message) response() bool { return m.method == "" && m.id != "" }

// content is the body, absent when there is none.
func (m *message) content() hook.JSON { return hook.RawJSON(m.raw[m.body.from:m.body.to]) }

// clear reports whether everybody reads the message alike.
func (m *message) clear() bool {
	return !m.doubtful && (m.body.to == 0 || jsontext.Value(m.raw[m.body.from:m.body.to]).IsValid())
}

// with returns the message with another body.
func (m *message) with(body hook.JSON) []byte {
	return slices.Concat(m.raw[:m.body.from], []byte(body.Raw()), m.raw[m.body.to:])
}

// parse reads the envelope of a message. Nothing is copied but the id and the method.
func parse(raw []byte) message {
	m := message{raw: raw}
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
			m.doubtful = m.doubtful || seen[kind]
			seen[kind] = true
			end := int(dec.InputOffset())
			m.member(key, value, span{end - len(value), end})
		}
	}
	if _, err := dec.ReadToken(); err != nil || len(bytes.TrimSpace(raw[dec.InputOffset():])) > 0 {
		m.doubtful = true
	}
	return m
}

// envelope are the members that are looked at; of those of one kind a message has one.
var envelope = map[string]string{"id": "id", "method": "method", "params": "body", "result": "body", "error": "body"}

func (m *message) member(key string, value []byte, place span) {
	switch key {
	case "id":
		if m.rawID = string(value); m.rawID != "null" {
			m.id = canonical(value)
		}
	case "method":
		m.method, _ = hook.RawJSON(value).AsString()
	default:
		m.body, m.failed = place, key == "error"
	}
}

// canonical brings ids that mean the same into one form: 1 and 1.0 are one.
func canonical(id []byte) string {
	v := jsontext.Value(id).Clone()
	if err := v.Canonicalize(); err != nil {
		return string(id)
	}
	return string(v)
}

// reply makes a response with a result.
func reply(rawID string, result hook.JSON) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + rawID + `,"result":` + result.Raw() + `}`)
}

// failure makes a response with an error.
func failure(rawID string, code int, text string) []byte {
	fault := hook.MustJSON(map[string]any{"code": code, "message": text})
	return []byte(`{"jsonrpc":"2.0","id":` + rawID + `,"error":` + fault.Raw() + `}`)
}
