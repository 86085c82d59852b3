package mcp

import (
	"context"
	stdjson "encoding/json" // what the SDK decodes with
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// form is a schema with its members in the order in which people write them.
type form struct {
	Type       jsontext.Value `json:"type,omitzero"`
	Properties jsontext.Value `json:"properties,omitzero"`
	Required   jsontext.Value `json:"required,omitzero"`
	Rest       jsontext.Value `json:",embed"`
}

// formSchema is the schema of a form as JSON: the library reads it as a map, which has no order.
func formSchema(schema any) (jsontext.Value, error) {
	raw, err := json.Marshal(schema, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	var f form
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	return json.Marshal(f)
}

// elicit asks on behalf of a server.
func (c *conn) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	p := req.Params
	e := Elicitation{Server: c.server.Name, Message: p.Message, Mode: p.Mode, URL: p.URL, ID: p.ElicitationID}
	if e.Mode == "" {
		e.Mode = "form"
	}
	if p.RequestedSchema != nil {
		schema, err := formSchema(p.RequestedSchema)
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
