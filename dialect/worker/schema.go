package worker

import (
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/schema"
)

// wireMessage is a message of the protocol, for its schema.
type wireMessage struct {
	name        string
	from        string // worker or host
	typ         reflect.Type
	description string
}

var wireMessages = []wireMessage{
	{"hello", "worker", reflect.TypeFor[worker.HelloMessage](), "The first message of a worker."},
	{"call", "host", reflect.TypeFor[worker.CallMessage](), "Hands an event to a hook."},
	{"result", "worker", reflect.TypeFor[worker.ResultMessage](), "Answers a call."},
	{"error", "worker", reflect.TypeFor[worker.ErrorMessage](), "Says that a hook could not answer a call."},
	{"progress", "worker", reflect.TypeFor[worker.ProgressMessage](), "Shows what a hook is doing."},
	{"log", "worker", reflect.TypeFor[worker.LogMessage](), "A line for the host's log."},
	{"request", "worker", reflect.TypeFor[worker.RequestMessage](), "Asks the host for something."},
	{"reply", "host", reflect.TypeFor[worker.ReplyMessage](), "Answers a request."},
	{"cancel", "host", reflect.TypeFor[worker.CancelMessage](), "Takes a call back."},
	{"shutdown", "host", reflect.TypeFor[worker.ShutdownMessage](), "The last message of a host."},
}

// protocolSchema returns the JSON Schema of the protocol's messages, indented: a message is one
// of "$defs", by its type.
func protocolSchema() ([]byte, error) {
	root := &jsonschema.Schema{
		Schema: schema.Draft, Title: "Hookline worker protocol",
		Description: fmt.Sprintf("A message of version %d: one JSON object on one line.", worker.Protocol),
		Defs:        map[string]*jsonschema.Schema{},
	}
	for _, m := range wireMessages {
		s, err := schemaOf(m.typ, m.name, fmt.Sprintf("From the %s. %s", m.from, m.description))
		if err != nil {
			return nil, err
		}
		word := any(m.name)
		s.Properties["type"] = &jsonschema.Schema{Const: &word, Description: "type of the message"}
		if m.name == "result" {
			for _, part := range hook.AnswerMembers() {
				schema.Member(s, part.Name, part.Type, part.Doc)
			}
			s.PropertyOrder = nil // by name, as the others
		}
		if m.name == "request" {
			params, err := schemaOf(reflect.TypeFor[worker.RequestParams](), "", "parameters, each method taking its own")
			if err != nil {
				return nil, err
			}
			closed(params)
			s.Properties["params"] = params
		}
		closed(s)
		root.Defs[m.name] = s
		root.OneOf = append(root.OneOf, &jsonschema.Schema{Ref: "#/$defs/" + m.name})
	}
	return schema.Encode(root)
}

// schemaOf returns the schema of a struct type.
func schemaOf(t reflect.Type, title, description string) (*jsonschema.Schema, error) {
	text, err := schema.Of(t, title, description)
	if err != nil {
		return nil, fmt.Errorf("schema of %v: %w", t, err)
	}
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("schema of %v: %w", t, err)
	}
	s.Schema = ""
	if t == reflect.TypeFor[worker.RequestParams]() {
		s.Required = nil // each method needs others
	}
	return s, nil
}

// closed says that an object, and those in it, have no other members, since those are refused.
func closed(s *jsonschema.Schema) {
	if s == nil || s.Properties == nil && s.Items == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = schema.None()
	}
	for _, p := range s.Properties {
		closed(p)
	}
	closed(s.Items)
}
