package tui

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

var _ script.Appearance = (*App)(nil)

// appearance are what modules may change about the screen, and ask for. App.mu guards them.
type appearance struct {
	theme    ui.Theme
	themes   []ui.Theme
	expanded bool
	statuses map[string]string
}

// Theme returns the colours in force.
func (a *App) Theme() ui.Theme {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.appearance.theme
}

// Themes lists the themes that there are.
func (a *App) Themes() []ui.Theme { return a.appearance.themes }

// SetTheme changes to a theme; all is drawn anew.
func (a *App) SetTheme(name string) error {
	for _, t := range a.appearance.themes {
		if t.Name == name {
			a.mu.Lock()
			a.appearance.theme = t
			a.mu.Unlock()
			a.post(func(m *screen) { m.tellModules() })
			return nil
		}
	}
	return fmt.Errorf("there is no theme %s", name)
}

// ToolsExpanded reports whether results of tools are shown whole.
func (a *App) ToolsExpanded() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.appearance.expanded
}

// SetToolsExpanded shows results of tools whole, or their first lines.
func (a *App) SetToolsExpanded(on bool) {
	a.noteExpanded(on)
	a.post(func(m *screen) { m.expanded = on })
}

func (a *App) noteExpanded(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.appearance.expanded = on
}

// SetThinkingLabel says what stands for thinking that is not shown.
func (a *App) SetThinkingLabel(label string) {
	a.post(func(m *screen) {
		m.thinking = label
		for _, b := range m.blocks {
			if b.kind == thinkingBlock {
				b.label = label
				b.touch()
			}
		}
	})
}

// SetWorking says how it is shown that the agent works.
func (a *App) SetWorking(w script.Working) { a.post(func(m *screen) { m.sign = w }) }

// RedrawTool has a module draw a call again.
func (a *App) RedrawTool(callID string) {
	a.post(func(m *screen) {
		if b := m.calls[callID]; b != nil {
			b.changed()
		}
	})
}

// EntryAdded shows the entries that modules draw and that are not shown yet.
func (a *App) EntryAdded() {
	a.mu.Lock()
	loop := a.loop
	a.mu.Unlock()
	if loop == nil {
		return // what it holds is shown when the agent is open
	}
	entries, err := conversation(loop)
	a.post(func(m *screen) {
		if err != nil {
			m.notice(fmt.Sprintf("An entry of a module cannot be shown: %v", err), ui.Warning)
		}
		for _, e := range entries {
			if e.Type == session.Custom && !m.entries[e.ID] {
				m.entry(e)
			}
		}
	})
}

// Statuses are the texts of SetStatus by their keys.
func (a *App) Statuses() map[string]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.appearance.statuses)
}

// tellModules has the modules draw anew what stands around the input.
func (m *screen) tellModules() {
	width := m.width
	for _, mod := range m.modules() {
		m.spawn(func(ctx context.Context) {
			if err := mod.Resize(ctx, width); err != nil && ctx.Err() == nil {
				m.a.Notify(fmt.Sprintf("A module cannot draw for the new size: %v", err), ui.Warning)
			}
		})
	}
}

// The screen's own sign that the agent works, and the least time for which a module's
// frame is shown.
const (
	ownSign   = "●"
	leastTime = 80 * time.Millisecond
)

// workingSign is the sign that the agent works, "" for none.
func (m *screen) workingSign() string {
	if m.sign.Frames == nil {
		return ownSign
	}
	if len(m.sign.Frames) == 0 {
		return ""
	}
	n := int(m.a.cfg.Now().Sub(m.since) / m.frameTime())
	return cut([]string{m.sign.Frames[n%len(m.sign.Frames)]}, m.width)[0]
}

// frameTime is how long a frame of the sign is shown.
func (m *screen) frameTime() time.Duration {
	switch {
	case len(m.sign.Frames) < 2:
		return time.Second
	case m.sign.Interval == 0:
		return leastTime
	}
	return max(leastTime, m.sign.Interval)
}
