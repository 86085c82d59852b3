package tool

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// Tool is something that a model may call. A Tool is safe for concurrent use.
type Tool interface {
	// Name is what the model calls it.
	Name() string
	// Description tells the model when and how to use it.
	Description() string
	// Schema is the JSON Schema of the input, which is an object.
	Schema() jsontext.Value
	// ReadOnly reports whether a call changes nothing, so that it may run
	// beside others.
	ReadOnly() bool
	// Run executes a call. A call that failed returns an error whose text is
	// for the model; its Result may still hold a Response. Run ends soon
	// after its context does, with an error that wraps the context's.
	Run(ctx context.Context, in Input) (Result, error)
}

// OfServer is a Tool that an MCP server offers.
type OfServer interface {
	Tool
	// Server names the server, as hooks are told.
	Server() *hook.MCPServer
}

// Checker is a Tool that checks inputs itself; those of others are held against their
// schema.
type Checker interface {
	// Check reports whether an input can be run, with an *InputError.
	Check(input jsontext.Value) error
}

// Previewer is a Tool that can say what a call would change.
type Previewer interface {
	// Preview returns a unified diff of the file that a call would change, "" where that
	// can't be told. It changes nothing.
	Preview(ctx context.Context, input jsontext.Value) string
}

// Input is one call's input.
type Input struct {
	// JSON is the object that the model wrote, perhaps rewritten by hooks.
	JSON jsontext.Value
	// ID is the id of the call, "" when there is none.
	ID string
	// Source names who caused the call, for a person who is asked.
	Source string
	// Progress, when not nil, gets output while the tool runs: a text, and what hooks are told
	// in its place, when that is more.
	Progress func(text string, whole jsontext.Value)
}

// Result is what a call returned.
type Result struct {
	// Content is for the model.
	Content []model.Block
	// Response is for hooks: an object whose shape is the tool's own.
	Response jsontext.Value
	// Granted are allow rules that are in force from now on until the prompt that is
	// worked on is over, as a skill may bring them.
	Granted []permission.Rule
	// Then is told to the model after the results, in a message of its own.
	Then string
	// Last says that the model need not be asked again because of this result: when it
	// is so of all calls of a turn, they were its last word.
	Last bool
}

// Text returns the text of the result's content.
func (r Result) Text() string {
	return model.Block{Content: r.Content}.ResultText()
}

// InputError says that an input does not fit a tool's schema.
type InputError struct {
	Tool     string
	Problems []string
}

// Error lists the problems in one line.
func (e *InputError) Error() string {
	return fmt.Sprintf("invalid input for %s: %s", e.Tool, strings.Join(e.Problems, "; "))
}

// Check reports whether an input fits a tool's schema, with an *InputError that
// tells a model or a person what to change.
func Check(t Tool, input jsontext.Value) error {
	if c, ok := t.(Checker); ok {
		return c.Check(input)
	}
	v, err := NewValidator(t.Name(), t.Schema())
	if err != nil {
		return err
	}
	return v.Check(input)
}

// Definition returns what a model is told about a tool.
func Definition(t Tool) model.Tool {
	return model.Tool{Name: t.Name(), Description: t.Description(), Schema: t.Schema()}
}

// result makes a Result of a text and a response.
func result(text string, response any) (Result, error) {
	v, err := json.Marshal(response, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return Result{}, fmt.Errorf("encoding the result: %w", err)
	}
	return Result{Content: []model.Block{model.Text(strings.ToValidUTF8(text, "\uFFFD"))}, Response: v}, nil
}

var (
	_ Tool    = (*builtin)(nil)
	_ Checker = (*builtin)(nil)

	_ Previewer = (*builtin)(nil)
)

// builtin is a Tool made of a function on typed input.
type builtin struct {
	name, description string
	schema            jsontext.Value
	readOnly          bool
	validator         func() (*Validator, error) // compiles the schema on first use
	run               func(context.Context, Input) (Result, error)
	preview           func(context.Context, jsontext.Value) string // nil when it changes no file
}

// defineReader makes a tool that changes nothing.
func defineReader[T any](name, description, schema string, run func(context.Context, T, Input) (Result, error)) *builtin {
	b := define(name, description, schema, run)
	b.readOnly = true
	return b
}

// define makes a tool.
func define[T any](name, description, schema string, run func(context.Context, T, Input) (Result, error)) *builtin {
	b := &builtin{
		name: name, description: description, schema: jsontext.Value(schema),
		validator: sync.OnceValues(func() (*Validator, error) { return NewValidator(name, jsontext.Value(schema)) }),
	}
	b.run = func(ctx context.Context, in Input) (Result, error) {
		if err := b.Check(in.JSON); err != nil {
			return Result{}, err
		}
		var args T
		if err := json.Unmarshal(in.JSON, &args); err != nil {
			return Result{}, &InputError{Tool: name, Problems: []string{err.Error()}}
		}
		return run(ctx, args, in)
	}
	return b
}

func (b *builtin) Name() string           { return b.name }
func (b *builtin) Description() string    { return b.description }
func (b *builtin) Schema() jsontext.Value { return b.schema.Clone() }
func (b *builtin) ReadOnly() bool         { return b.readOnly }

func (b *builtin) Preview(ctx context.Context, input jsontext.Value) string {
	if b.preview == nil {
		return ""
	}
	return b.preview(ctx, input)
}

func (b *builtin) Check(input jsontext.Value) error {
	v, err := b.validator()
	if err != nil {
		return err
	}
	return v.Check(input)
}

func (b *builtin) Run(ctx context.Context, in Input) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return b.run(ctx, in)
}
