package mcp

import (
	"context"
	stdjson "encoding/json" // what the SDK decodes with
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Elicitation is what a server asks the person.
type Elicitation struct {
	Server  string
	Message string
	// Mode is "form", where Schema describes the answer, or "url", where the
	// person is to visit URL.
	Mode   string
	Schema jsontext.Value
	URL    string
	ID     string
}

// ElicitationAnswer is what the person answered.
type ElicitationAnswer struct {
	// Action is "accept", "decline" or "cancel".
	Action string
	// Content is an object that fits the schema, when a form was accepted.
	Content jsontext.Value
}

// asWritten is the member of a question's _meta that keeps its schema, as a text: the library
// reads the schema as a map, which has no order.
const asWritten = "hookline/schema"

// ordered is a transport on which forms keep the order of their fields.
type ordered struct{ sdk.Transport }

// Connect connects.
func (t ordered) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return orderedConn{conn}, nil
}

type orderedConn struct{ sdk.Connection }

// Read reads the next message. What is not a question is left to the library.
func (c orderedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "elicitation/create" {
		var params struct {
			Schema jsontext.Value `json:"requestedSchema,omitzero"`
			Meta   map[string]any `json:"_meta,omitzero"`
			Rest   jsontext.Value `json:",embed"`
		}
		if json.Unmarshal(req.Params, &params) == nil {
			if params.Meta == nil {
				params.Meta = map[string]any{}
			}
			params.Meta[asWritten] = string(params.Schema)
			if raw, err := json.Marshal(params); err == nil {
				req.Params = raw
			}
		}
	}
	return msg, err
}

// schemaOf is the schema of a form, in the order in which the server wrote it where that is known.
func schemaOf(p *sdk.ElicitParams) (jsontext.Value, error) {
	if written, ok := p.Meta[asWritten].(string); ok {
		return jsontext.Value(written), nil
	}
	return json.Marshal(p.RequestedSchema, json.Deterministic(true))
}

// elicit asks on behalf of a server.
func (c *conn) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	p := req.Params
	e := Elicitation{Server: c.server.Name, Message: p.Message, Mode: p.Mode, URL: p.URL, ID: p.ElicitationID}
	if e.Mode == "" {
		e.Mode = "form"
	}
	if p.RequestedSchema != nil {
		schema, err := schemaOf(p)
		if err != nil {
			return nil, fmt.Errorf("schema of a question: %w", err)
		}
		e.Schema = schema
	}
	a, err := c.opts.Elicit(ctx, e)
	if err != nil {
		return nil, err
	}
	res := &sdk.ElicitResult{Action: a.Action}
	if a.Action == "accept" && len(a.Content) > 0 {
		if err := stdjson.Unmarshal(a.Content, &res.Content); err != nil {
			return nil, fmt.Errorf("answer to a question: %w", err)
		}
	}
	return res, nil
}
