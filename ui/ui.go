package ui

import (
	"context"
	"errors"
)

// ErrNoUI is what a dialog returns when nobody can answer it. A caller that
// gets it uses the documented default: no selection, no text, not confirmed.
var ErrNoUI = errors.New("no user interface to ask")

// Level says how a notice is shown.
type Level string

// The notice levels.
const (
	Info    Level = "info"
	Warning Level = "warning"
	Error   Level = "error"
)

// Dialog holds the options that every dialog takes. The zero value is a dialog
// that waits for as long as its context does.
type Dialog struct {
	// Source names the hook that asks, so that a person sees who is asking.
	Source string
	// InitialIndex is the choice of a Select that is highlighted first.
	InitialIndex int
	// Permission, when not nil, is the tool call that the dialog asks about.
	Permission *Permission
}

// UI is what hooks and the agent use to talk to a person. Dialogs wait for the
// person and return ErrNoUI when there is none; the immediate calls never
// wait. Every text handed to a UI may come from a hook or a model: the
// implementation cleans it before it shows it.
//
// Implementations are safe for concurrent use. A dialog ends when its context
// ends, with the context's error.
type UI interface {
	// HasUI reports whether a person can answer dialogs.
	HasUI() bool

	// Select offers choices and returns the index of the one taken; ok is
	// false when the person dismissed the dialog.
	Select(ctx context.Context, title string, choices []string, d Dialog) (index int, ok bool, err error)
	// Confirm asks a yes-or-no question.
	Confirm(ctx context.Context, title, message string, d Dialog) (bool, error)
	// Input asks for one line of text; ok is false when dismissed.
	Input(ctx context.Context, title, placeholder string, d Dialog) (text string, ok bool, err error)
	// Editor lets the person edit a longer text; ok is false when dismissed.
	Editor(ctx context.Context, title, prefill string, d Dialog) (text string, ok bool, err error)

	// Notify shows a notice.
	Notify(message string, level Level)
	// SetStatus sets the status text of a key; an empty text removes the key.
	SetStatus(key, text string)
	// SetEditorText replaces what the person is typing.
	SetEditorText(text string)
	// EditorText returns what the person is typing, "" without an editor.
	EditorText() string
	// SetTitle names the session for the person.
	SetTitle(title string)
	// Theme returns the current theme.
	Theme() Theme
}

// Sequencer is a UI on a terminal that takes sequences: window titles, notifications
// and the bell. A UI need not be one.
type Sequencer interface {
	// Sequence sends a sequence to the terminal when it is clean.Harmless, and
	// ignores it otherwise.
	Sequence(s string)
}

// Theme is the set of named colours that a UI renders with. Styles maps a
// colour name such as "accent" or "error" to an SGR parameter string such as
// "36"; a missing name renders plain.
type Theme struct {
	Name   string
	Styles map[string]string
}
