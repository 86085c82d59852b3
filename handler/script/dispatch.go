package script

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Call is one event for one handler of a module.
type Call struct {
	// Event and Index name the handler, as Info lists it.
	Event string
	Index int
	// Payload is the event as a JSON object.
	Payload []byte
	// Signal, when not nil, aborts the event's signal when it ends; the handler
	// may still answer. The call's own context ends the call.
	Signal context.Context
	// Track names the property of the payload whose changes in place count as
	// an answer, such as "messages"; empty tracks nothing.
	Track string
}

// Reply is what a handler answered.
type Reply struct {
	// Result is JSON, nil when the handler returned nothing or a falsy value.
	Result []byte
	// Changed is the tracked property after the handler changed it in place,
	// nil when it did not or returned the property itself.
	Changed []byte
}

// Dispatch runs one handler. The order of handlers, and what their answers
// mean together, are the caller's business.
//
// The error is an *Error when the handler threw, a *LoadError when the module had
// to be loaded again and could not be, the cause of ctx, or one that says that the
// engine was dropped meanwhile, the module is closed, or there is no such handler.
func (m *Module) Dispatch(ctx context.Context, c Call) (Reply, error) {
	if !m.regs.hasHandler(c.Event, c.Index) {
		return Reply{}, fmt.Errorf("event %s, handler %d of %s: %w", c.Event, c.Index, m.path, errNoHandler)
	}
	i, err := m.instance(ctx)
	if err != nil {
		return Reply{}, err
	}
	o, err := i.invoke(ctx, c.Signal, "dispatch", c.Event, c.Index, string(c.Payload), c.Track, i.hasUI())
	if err != nil {
		return Reply{}, err
	}
	changed := c.changed(o.tracked)
	if len(changed) > m.opts.maxResult() {
		return Reply{}, errTooLarge
	}
	return Reply{Result: o.result, Changed: changed}, nil
}

// RunCommand runs a slash command with the text after its name.
func (m *Module) RunCommand(ctx context.Context, name, args string) error {
	_, err := m.invoke(ctx, "runCommand", name, args)
	return m.reload(ctx, err)
}

// reload loads modules anew when what has just ended with err asked for that. It comes
// last, since the module itself is replaced by it.
func (m *Module) reload(ctx context.Context, err error) error {
	sessions, ok := m.opts.Host.(Sessions)
	if !m.reloads.Swap(false) || !ok {
		return err
	}
	_, failed := sessions.SessionDo(ctx, "reload", []byte("[]"))
	return cmp.Or(err, failed)
}

// CompleteCommand returns completions of a command's arguments, as the JSON
// array the module answered, nil when it has none.
func (m *Module) CompleteCommand(ctx context.Context, name, prefix string) ([]byte, error) {
	o, err := m.invoke(ctx, "completeCommand", name, prefix)
	return o.result, err
}

// RunShortcut runs the action of a keyboard shortcut.
func (m *Module) RunShortcut(ctx context.Context, key string) error {
	_, err := m.invoke(ctx, "runShortcut", key)
	return m.reload(ctx, err)
}

// Render draws a custom message for a width in cells. No lines and no error
// mean that the module leaves the message to the host.
func (m *Module) Render(ctx context.Context, customType string, message []byte, expanded bool, width int) ([]string, error) {
	return m.renderAs(ctx, "render", customType, message, expanded, width)
}

// RenderEntry draws an entry of the session, as Render draws a message.
func (m *Module) RenderEntry(ctx context.Context, customType string, entry []byte, expanded bool, width int) ([]string, error) {
	return m.renderAs(ctx, "renderEntry", customType, entry, expanded, width)
}

func (m *Module) renderAs(ctx context.Context, fn, customType string, what []byte, expanded bool, width int) ([]string, error) {
	o, err := m.invoke(ctx, fn, customType, string(what), expanded, width)
	if err != nil {
		return nil, err
	}
	return decodeLines(o.result)
}

// RunTool runs a tool of the module and returns its result as JSON. onUpdate,
// when not nil, gets what the tool reports meanwhile; it must not block.
func (m *Module) RunTool(ctx context.Context, name, toolCallID string, input []byte, onUpdate func([]byte)) ([]byte, error) {
	i, err := m.instance(ctx)
	if err != nil {
		return nil, err
	}
	o, err := i.invokeWith(ctx, nil, onUpdate, "runTool", name, toolCallID, string(input))
	return o.result, err
}

// ToolDrawing is a part of a tool call that is to be drawn.
type ToolDrawing struct {
	// CallID is the id of the call, and Part "call" or "result".
	CallID string `json:"callId"`
	Part   string `json:"part"`
	// Input is what the tool was called with, and Result what it returned, or has reported
	// so far, which Partial says.
	Input    jsontext.Value `json:"input,omitzero"`
	Result   jsontext.Value `json:"result,omitzero"`
	Partial  bool           `json:"partial"`
	IsError  bool           `json:"isError"`
	Expanded bool           `json:"expanded"`
}

// RenderTool draws a part of a tool's call for a width in cells. No lines mean that the
// module leaves it to the host.
func (m *Module) RenderTool(ctx context.Context, name string, d ToolDrawing, width int) ([]string, error) {
	text, err := json.Marshal(d, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encoding the call of %s: %w", name, err)
	}
	o, err := m.invoke(ctx, "renderTool", name, string(text), width)
	if err != nil {
		return nil, err
	}
	return decodeLines(o.result)
}

// Resize says how wide the screen is: what the module has put around the input, it draws
// anew.
func (m *Module) Resize(ctx context.Context, columns int) error {
	_, err := m.invoke(ctx, "resize", columns)
	return err
}

// Completion is what a text may go on as.
type Completion struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	// Text is the text with it, and At the place of the cursor in it, in characters.
	Text string `json:"text"`
	At   int    `json:"at"`
}

// CompleteText returns what the module offers for a text in which the cursor stands in a
// row, behind so many UTF-16 units of it; nil is nothing.
func (m *Module) CompleteText(ctx context.Context, lines []string, row, column int) ([]Completion, error) {
	text, err := value(lines)
	if err != nil {
		return nil, err
	}
	o, err := m.invoke(ctx, "completeText", string(text), row, column)
	if err != nil || o.result == nil {
		return nil, err
	}
	var out []Completion
	if err := json.Unmarshal(o.result, &out); err != nil {
		return nil, fmt.Errorf("reading the completions: %w", err)
	}
	return out, nil
}

func (m *Module) invoke(ctx context.Context, fn string, args ...any) (outcome, error) {
	i, err := m.instance(ctx)
	if err != nil {
		return outcome{}, err
	}
	return i.invoke(ctx, nil, fn, args...)
}

func (r *registry) hasHandler(event string, index int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.now.Handlers {
		if h.Event == event && h.Index == index {
			return true
		}
	}
	return false
}
