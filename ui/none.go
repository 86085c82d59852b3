package ui

import "context"

// None is a UI with nobody behind it: dialogs return ErrNoUI, everything else
// does nothing.
type None struct{}

var _ UI = None{}

// HasUI returns false.
func (None) HasUI() bool { return false }

// Select returns ErrNoUI.
func (None) Select(context.Context, string, []string, Dialog) (int, bool, error) {
	return 0, false, ErrNoUI
}

// Confirm returns ErrNoUI.
func (None) Confirm(context.Context, string, string, Dialog) (bool, error) { return false, ErrNoUI }

// Input returns ErrNoUI.
func (None) Input(context.Context, string, string, Dialog) (string, bool, error) {
	return "", false, ErrNoUI
}

// Editor returns ErrNoUI.
func (None) Editor(context.Context, string, string, Dialog) (string, bool, error) {
	return "", false, ErrNoUI
}

// Notify does nothing.
func (None) Notify(string, Level) {}

// SetStatus does nothing.
func (None) SetStatus(string, string) {}

// SetEditorText does nothing.
func (None) SetEditorText(string) {}

// EditorText returns "".
func (None) EditorText() string { return "" }

// SetTitle does nothing.
func (None) SetTitle(string) {}

// Theme returns the default theme without colours.
func (None) Theme() Theme { return DefaultTheme().Plain() }
