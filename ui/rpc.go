package ui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/ui/clean"
)

// RPCMessage is one line of the protocol between an RPC and the program that
// shows things to a person. Type says what it is and which fields count.
//
// To the program:
//
//	ui_request       ID, Method and what it asks: select (Title, Choices,
//	                 InitialIndex), confirm (Title, Message), input (Title,
//	                 Placeholder), editor (Title, Text); Source names who asks, and
//	                 Permission the tool call that a select is about.
//	                 It is answered by one ui_response.
//	ui_cancel        ID: the request needs no answer any more.
//	ui_notify        Message, Level
//	ui_status        Key, Text; without Text the key is removed
//	ui_editor_text   Text: what the person is typing is replaced
//	ui_title         Title
//	ui_widget        Placement (above or below the editor), Key, Lines; without Lines
//	                 the key is removed
//
// From the program:
//
//	ui_response      ID, and Index, Confirmed or Text as the method wants;
//	                 Dismissed when the person gave no answer, Error when
//	                 asking failed.
//	ui_editor_text   Text: what the person is typing
//
// Texts to the program are cleaned for a terminal, but for the Text of an
// editor, which the person gets as it is.
type RPCMessage struct {
	Type         string   `json:"type"`
	ID           string   `json:"id,omitzero"`
	Method       string   `json:"method,omitzero"`
	Source       string   `json:"source,omitzero"`
	Title        string   `json:"title,omitzero"`
	Message      string   `json:"message,omitzero"`
	Placeholder  string   `json:"placeholder,omitzero"`
	Choices      []string `json:"choices,omitzero"`
	InitialIndex int      `json:"initial_index,omitzero"`
	Level        Level    `json:"level,omitzero"`
	Key          string   `json:"key,omitzero"`
	Placement    string   `json:"placement,omitzero"`
	Lines        []string `json:"lines,omitzero"`
	Text         *string  `json:"text,omitzero"`
	Index        *int     `json:"index,omitzero"`
	Confirmed    *bool    `json:"confirmed,omitzero"`
	Dismissed    bool     `json:"dismissed,omitzero"`
	Error        string   `json:"error,omitzero"`
	// Permission is the tool call that a select is about, as the model wrote it.
	Permission *Permission `json:"permission,omitzero"`
}

// RPC is a UI whose dialogs another program shows. It is safe for concurrent
// use; several dialogs may be open at once.
type RPC struct {
	send func(line []byte) error

	mu      sync.Mutex
	next    int
	pending map[string]chan RPCMessage
	gone    error // why nobody can answer any more
	editor  string

	writing sync.Mutex
}

var _ UI = (*RPC)(nil)

// NewRPC returns an RPC that hands each message to send: one line of JSON
// without its newline. Calls of send do not overlap. Whoever reads the other
// side gives lines to Receive, or calls Serve.
func NewRPC(send func(line []byte) error) *RPC {
	return &RPC{send: send, pending: make(map[string]chan RPCMessage)}
}

// Serve gives the lines of in to Receive until it ends. Lines that are not a
// message of this protocol are reported to bad, which may be nil. When Serve
// returns, open dialogs have ended with ErrNoUI.
func (r *RPC) Serve(in io.Reader, bad func(error)) error {
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		if len(sc.Bytes()) == 0 {
			continue
		}
		if err := r.Receive(sc.Bytes()); err != nil && bad != nil {
			bad(err)
		}
	}
	r.Disconnect()
	if err := sc.Err(); err != nil {
		return fmt.Errorf("reading answers: %w", err)
	}
	return nil
}

// Receive takes one line from the program. An answer to a request that nobody
// waits for is not an error: the request may just have been cancelled.
func (r *RPC) Receive(line []byte) error {
	var m RPCMessage
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Errorf("not a message: %w", err)
	}
	switch {
	case m.Type == "ui_response" && m.ID != "":
		r.mu.Lock()
		defer r.mu.Unlock()
		if ch := r.pending[m.ID]; ch != nil {
			delete(r.pending, m.ID)
			ch <- m
		}
		return nil
	case m.Type == "ui_editor_text" && m.Text != nil:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.editor = *m.Text
		return nil
	}
	return fmt.Errorf("not a message of this protocol: type %q", m.Type)
}

// Disconnect says that nobody can answer any more: open dialogs and later ones
// return ErrNoUI.
func (r *RPC) Disconnect() { r.disconnect(ErrNoUI) }

func (r *RPC) disconnect(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone != nil {
		return
	}
	r.gone = err
	for id, ch := range r.pending {
		delete(r.pending, id)
		close(ch)
	}
}

// HasUI reports whether the program is still there.
func (r *RPC) HasUI() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone == nil
}

func (r *RPC) write(m RPCMessage) error {
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encoding a message to the user interface: %w", err)
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.send(line); err != nil {
		err = fmt.Errorf("sending to the user interface: %w", errors.Join(err, ErrNoUI))
		r.disconnect(err)
		return err
	}
	return nil
}

// ask sends a request and waits for its answer.
func (r *RPC) ask(ctx context.Context, m RPCMessage, d Dialog) (RPCMessage, error) {
	if ctx.Err() != nil {
		return m, ctx.Err()
	}
	ch := make(chan RPCMessage, 1)
	r.mu.Lock()
	if r.gone != nil {
		defer r.mu.Unlock()
		return m, r.gone
	}
	r.next++
	m.Type, m.ID = "ui_request", fmt.Sprintf("ui-%d", r.next)
	r.pending[m.ID] = ch
	r.mu.Unlock()

	m.Source, m.Title = clean.ExactLine(d.Source), clean.Prompt(m.Title)
	if err := r.write(m); err != nil {
		return m, err
	}
	select {
	case answer, ok := <-ch:
		if !ok {
			return m, ErrNoUI
		}
		if answer.Error != "" {
			return m, fmt.Errorf("the user interface could not ask: %s", clean.PlainLine(answer.Error))
		}
		return answer, nil
	case <-ctx.Done():
		r.mu.Lock()
		delete(r.pending, m.ID)
		r.mu.Unlock()
		// The program may be gone too; the context's end is what counts.
		_ = r.write(RPCMessage{Type: "ui_cancel", ID: m.ID})
		return m, ctx.Err()
	}
}

// Select asks for one of several choices.
func (r *RPC) Select(ctx context.Context, title string, choices []string, d Dialog) (int, bool, error) {
	m := RPCMessage{Method: "select", Title: title, InitialIndex: d.InitialIndex, Permission: d.Permission}
	for _, c := range choices {
		m.Choices = append(m.Choices, clean.PromptLine(c))
	}
	a, err := r.ask(ctx, m, d)
	if err != nil || a.Dismissed {
		return 0, false, err
	}
	if a.Index == nil || *a.Index < 0 || *a.Index >= len(choices) {
		return 0, false, fmt.Errorf("the user interface answered %s without an index from 0 to %d", a.ID, len(choices)-1)
	}
	return *a.Index, true, nil
}

// Confirm asks a yes-or-no question.
func (r *RPC) Confirm(ctx context.Context, title, message string, d Dialog) (bool, error) {
	a, err := r.ask(ctx, RPCMessage{Method: "confirm", Title: title, Message: clean.Prompt(message)}, d)
	if err != nil || a.Dismissed {
		return false, err
	}
	if a.Confirmed == nil {
		return false, fmt.Errorf("the user interface answered %s without confirmed", a.ID)
	}
	return *a.Confirmed, nil
}

// Input asks for one line of text.
func (r *RPC) Input(ctx context.Context, title, placeholder string, d Dialog) (string, bool, error) {
	return r.askText(ctx, RPCMessage{Method: "input", Title: title, Placeholder: clean.PromptLine(placeholder)}, d)
}

// Editor lets the person edit a text.
func (r *RPC) Editor(ctx context.Context, title, prefill string, d Dialog) (string, bool, error) {
	return r.askText(ctx, RPCMessage{Method: "editor", Title: title, Text: validText(prefill)}, d)
}

func (r *RPC) askText(ctx context.Context, m RPCMessage, d Dialog) (string, bool, error) {
	a, err := r.ask(ctx, m, d)
	if err != nil || a.Dismissed {
		return "", false, err
	}
	if a.Text == nil {
		return "", false, fmt.Errorf("the user interface answered %s without text", a.ID)
	}
	return *a.Text, true, nil
}

// validText replaces what JSON can not hold.
func validText(s string) *string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return &s
}

// tell sends a message that has no answer. A failed one has already been noted:
// HasUI is false from then on.
func (r *RPC) tell(m RPCMessage) {
	if r.HasUI() {
		_ = r.write(m)
	}
}

// Notify sends a notice.
func (r *RPC) Notify(message string, level Level) {
	r.tell(RPCMessage{Type: "ui_notify", Message: clean.Text(message), Level: level})
}

// SetStatus sends a status text.
func (r *RPC) SetStatus(key, text string) {
	m := RPCMessage{Type: "ui_status", Key: clean.PlainLine(key)}
	if text != "" {
		text = oneLine(text)
		m.Text = &text
	}
	r.tell(m)
}

// SetEditorText sends a text to edit.
func (r *RPC) SetEditorText(text string) {
	r.mu.Lock()
	r.editor = text
	r.mu.Unlock()
	r.tell(RPCMessage{Type: "ui_editor_text", Text: validText(text)})
}

// EditorText returns the text that the program last reported or was sent.
func (r *RPC) EditorText() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.editor
}

// SetTitle sends a title.
func (r *RPC) SetTitle(title string) {
	r.tell(RPCMessage{Type: "ui_title", Title: clean.PlainLine(title)})
}

// Decorate sends the lines of a module above or below the editor. What it has for other
// places is for a screen.
func (r *RPC) Decorate(place, key string, lines []string) {
	if place != "above" && place != "below" {
		return
	}
	m := RPCMessage{Type: "ui_widget", Placement: place, Key: clean.PlainLine(key)}
	for _, l := range lines {
		m.Lines = append(m.Lines, oneLine(l))
	}
	r.tell(m)
}

// Theme returns the default theme with colours.
func (r *RPC) Theme() Theme { return DefaultTheme() }
