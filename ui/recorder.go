package ui

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Answer is what a Recorder answers a dialog with; Choose, Yes, No, Type,
// Dismiss, Fail and Hang make one.
type Answer struct {
	kind  answerKind
	index int
	text  string
	err   error
}

type answerKind int

const (
	answerIndex answerKind = iota + 1
	answerConfirm
	answerText
	answerDismiss
	answerError
	answerHang
)

// Choose answers a Select with the choice of that index.
func Choose(index int) Answer { return Answer{kind: answerIndex, index: index} }

// Yes answers a Confirm.
func Yes() Answer { return Answer{kind: answerConfirm, index: 1} }

// No answers a Confirm.
func No() Answer { return Answer{kind: answerConfirm} }

// Type answers an Input or an Editor.
func Type(text string) Answer { return Answer{kind: answerText, text: text} }

// Dismiss closes a dialog without an answer; a Confirm counts it as no.
func Dismiss() Answer { return Answer{kind: answerDismiss} }

// Fail makes a dialog return an error.
func Fail(err error) Answer { return Answer{kind: answerError, err: err} }

// Hang makes a dialog wait until its context ends.
func Hang() Answer { return Answer{kind: answerHang} }

// Call is one call that a Recorder got.
type Call struct {
	// Method is the name of the method, such as "Select".
	Method string
	// Title is also the key of a status, and the title that was set.
	Title string
	// Text is a dialog's message, placeholder or prefill, a notice, a status
	// or editor text.
	Text    string
	Choices []string
	Level   Level
	Dialog  Dialog
}

// Recorder is a UI for tests: it answers dialogs from a list and remembers every
// call. It is safe for concurrent use.
type Recorder struct {
	mu      sync.Mutex
	answers []Answer
	calls   []Call
	editor  string
	status  Status
}

var (
	_ UI        = (*Recorder)(nil)
	_ Sequencer = (*Recorder)(nil)
)

// NewRecorder returns a Recorder that gives the answers in that order. A dialog
// that finds none left, or one of the wrong kind, returns an error that says so.
func NewRecorder(answers ...Answer) *Recorder { return &Recorder{answers: answers} }

// Add appends answers.
func (r *Recorder) Add(answers ...Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, answers...)
}

// Calls returns the calls so far.
func (r *Recorder) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Remaining returns how many answers are left.
func (r *Recorder) Remaining() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.answers)
}

// Status returns the status texts that are set.
func (r *Recorder) Status() map[string]string { return r.status.Texts() }

// HasUI returns true.
func (r *Recorder) HasUI() bool { return true }

// Select answers with Choose.
func (r *Recorder) Select(ctx context.Context, title string, choices []string, d Dialog) (int, bool, error) {
	a, err := r.ask(ctx, answerIndex, Call{Method: "Select", Title: title, Choices: slices.Clone(choices), Dialog: d})
	if err == nil && a.kind == answerIndex && (a.index < 0 || a.index >= len(choices)) {
		return 0, false, fmt.Errorf("the test chooses %d of %d choices", a.index, len(choices))
	}
	return a.index, err == nil && a.kind == answerIndex, err
}

// Confirm answers with Yes or No.
func (r *Recorder) Confirm(ctx context.Context, title, message string, d Dialog) (bool, error) {
	a, err := r.ask(ctx, answerConfirm, Call{Method: "Confirm", Title: title, Text: message, Dialog: d})
	return a.index == 1, err
}

// Input answers with Type.
func (r *Recorder) Input(ctx context.Context, title, placeholder string, d Dialog) (string, bool, error) {
	a, err := r.ask(ctx, answerText, Call{Method: "Input", Title: title, Text: placeholder, Dialog: d})
	return a.text, err == nil && a.kind == answerText, err
}

// Editor answers with Type.
func (r *Recorder) Editor(ctx context.Context, title, prefill string, d Dialog) (string, bool, error) {
	a, err := r.ask(ctx, answerText, Call{Method: "Editor", Title: title, Text: prefill, Dialog: d})
	return a.text, err == nil && a.kind == answerText, err
}

// ask records a dialog and takes its answer; without an error it is of the
// wanted kind, or a dismissal, whose fields are zero.
func (r *Recorder) ask(ctx context.Context, want answerKind, c Call) (Answer, error) {
	a, err := r.take(c)
	if err != nil {
		return Answer{}, err
	}
	switch a.kind {
	case want, answerDismiss:
		return a, ctx.Err()
	case answerError:
		return Answer{}, a.err
	case answerHang:
		<-ctx.Done()
		return Answer{}, ctx.Err()
	}
	return Answer{}, fmt.Errorf("the test has an answer of the wrong kind for %s %q", c.Method, c.Title)
}

func (r *Recorder) take(c Call) (Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
	if len(r.answers) == 0 {
		return Answer{}, fmt.Errorf("the test has no answer left for %s %q", c.Method, c.Title)
	}
	a := r.answers[0]
	r.answers = r.answers[1:]
	return a, nil
}

func (r *Recorder) record(c Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
}

// Notify records a notice.
func (r *Recorder) Notify(message string, level Level) {
	r.record(Call{Method: "Notify", Text: message, Level: level})
}

// SetStatus records a status text and keeps it.
func (r *Recorder) SetStatus(key, text string) {
	r.record(Call{Method: "SetStatus", Title: key, Text: text})
	r.status.Set(key, text)
}

// SetEditorText records and keeps a text.
func (r *Recorder) SetEditorText(text string) {
	r.record(Call{Method: "SetEditorText", Text: text})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.editor = text
}

// EditorText returns what SetEditorText kept.
func (r *Recorder) EditorText() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.editor
}

// SetTitle records a title.
func (r *Recorder) SetTitle(title string) { r.record(Call{Method: "SetTitle", Title: title}) }

// Sequence records a sequence for the terminal.
func (r *Recorder) Sequence(s string) { r.record(Call{Method: "Sequence", Text: s}) }

// Theme returns the default theme with colours.
func (r *Recorder) Theme() Theme { return DefaultTheme() }
