package tui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// HasUI reports whether the screen is shown.
func (a *App) HasUI() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running
}

// ask puts a question to the person and waits until it is over.
func (a *App) ask(ctx context.Context, source string, d dialog) error {
	return a.show(ctx, &question{dialog: d, source: clean.ExactLine(source)})
}

// show shows a question and waits until it is over.
func (a *App) show(ctx context.Context, q *question) error {
	return a.during(ctx, q, func(m *screen) { m.asked(q) }, func(m *screen) { m.close(q) })
}

// during has something on the screen until it is over.
func (a *App) during(ctx context.Context, q *question, begin, end func(m *screen)) error {
	if !a.HasUI() {
		return ui.ErrNoUI
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	q.over = make(chan struct{})
	a.post(begin)
	select {
	case <-q.over:
		return nil
	case <-ctx.Done():
		a.post(end)
		return ctx.Err()
	case <-a.ended:
		return ui.ErrNoUI
	}
}

// Select offers a list.
func (a *App) Select(ctx context.Context, title string, choices []string, d ui.Dialog) (int, bool, error) {
	if len(choices) == 0 {
		return 0, false, errors.New("a selection without choices")
	}
	l := newList(title, choices, d.InitialIndex)
	if err := a.ask(ctx, d.Source, l); err != nil {
		return 0, false, err
	}
	return l.picked, l.picked >= 0, nil
}

// Confirm asks for yes or no; it stands on no.
func (a *App) Confirm(ctx context.Context, title, message string, d ui.Dialog) (bool, error) {
	l := newList(title, []string{"No", "Yes"}, 0)
	l.message, l.letters = message, map[string]int{"n": 0, "y": 1}
	if err := a.ask(ctx, d.Source, l); err != nil {
		return false, err
	}
	return l.picked == 1, nil
}

// Input asks for one line. An empty line is an answer.
func (a *App) Input(ctx context.Context, title, placeholder string, d ui.Dialog) (string, bool, error) {
	return a.askText(ctx, newLine(title, placeholder), d)
}

// Editor lets the person edit a text.
func (a *App) Editor(ctx context.Context, title, prefill string, d ui.Dialog) (string, bool, error) {
	return a.askText(ctx, newText(title, prefill), d)
}

func (a *App) askText(ctx context.Context, t *text, d ui.Dialog) (string, bool, error) {
	if err := a.ask(ctx, d.Source, t); err != nil {
		return "", false, err
	}
	return t.answer, t.given, nil
}

// Permit asks about a tool call.
func (a *App) Permit(ctx context.Context, p ui.Permission) (ui.PermissionAnswer, error) {
	d := newPermit(p)
	if err := a.ask(ctx, "", d); err != nil {
		return ui.PermissionAnswer{}, err
	}
	return d.answer, nil
}

// Notify shows a notice.
func (a *App) Notify(message string, level ui.Level) {
	a.post(func(m *screen) {
		if i := slices.Index(m.repeats, message); i >= 0 {
			m.repeats = slices.Delete(m.repeats, i, i+1)
			return
		}
		if n := len(m.blocks); n == 0 || m.blocks[n-1].kind != customBlock || m.blocks[n-1].text != message { // shown already
			m.notice(message, level)
		}
	})
}

// SetStatus sets the status text of a key.
func (a *App) SetStatus(key, text string) {
	a.mu.Lock()
	if a.appearance.statuses[key] = text; text == "" {
		delete(a.appearance.statuses, key)
	}
	a.mu.Unlock()
	a.post(func(m *screen) { m.status.Set(key, text) })
}

// SetEditorText replaces what the person is typing.
func (a *App) SetEditorText(text string) {
	a.setDraft(text)
	a.post(func(m *screen) { m.setInput(text) })
}

func (a *App) setDraft(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.draft = text
}

// EditorText returns what the person is typing.
func (a *App) EditorText() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.draft
}

// SetTitle sets the window's title.
func (a *App) SetTitle(title string) { a.post(func(m *screen) { m.title = clean.PlainLine(title) }) }

// Sequence hands a harmless sequence to the terminal.
func (a *App) Sequence(s string) {
	if clean.Harmless(s) {
		a.post(func(m *screen) { m.terminal = append(m.terminal, tea.Raw(s)) })
	}
}

// Decorate sets the lines at a place around the input, as script.Decorator says.
func (a *App) Decorate(place, key string, lines []string) {
	lines = slices.Clone(lines)
	a.post(func(m *screen) { m.decorate(place, key, lines) })
}
