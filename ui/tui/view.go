package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hookline-dev/hookline/ui/clean"
)

// The smallest screen that is drawn.
const minWidth, minHeight = 40, 8

// View draws the screen.
func (m *screen) View() tea.View {
	defer m.a.recovered()
	lines, cursor := m.layout()
	for i, line := range lines {
		lines[i] = clean.Cut(line, m.width)
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen, v.Cursor, v.WindowTitle, v.MouseMode = true, cursor, m.title, tea.MouseModeCellMotion
	return v
}

// layout is the lines from the top to the bottom, and where the cursor stands.
func (m *screen) layout() ([]string, *tea.Cursor) {
	m.view(nil)
	switch {
	case m.width <= 0 || m.height <= 0:
		return nil, nil
	case m.width < minWidth || m.height < minHeight:
		return []string{fmt.Sprintf("hookline needs %d×%d, this is %d×%d", minWidth, minHeight, m.width, m.height)}, nil
	}
	bottom, cursor := m.bottom()
	top := m.decoration("header")
	room := max(0, m.height-len(top)-len(bottom))
	body := m.window(m.width, room)
	for len(body) < room {
		body = append(body, "")
	}
	if !m.following() && room > 0 {
		note := "↓"
		if m.fresh > 0 {
			note = fmt.Sprintf("↓ %d new", m.fresh)
		}
		body[room-1] = m.theme().Style("accent", note)
	}
	lines := append(append(top, body...), bottom...)
	free := len(lines)
	switch q := m.question(); {
	case q != nil: // nothing of a module covers it
		free -= len(bottom)
	case m.overlay() != nil:
		cursor = nil
	}
	if cursor != nil {
		cursor.Y += len(lines) - len(bottom)
	}
	return m.overlaid(lines[:min(len(lines), m.height)], free), cursor
}

// room is how many lines of the conversation are shown.
func (m *screen) room() int {
	bottom, _ := m.bottom()
	return max(1, m.height-len(m.decoration("header"))-len(bottom))
}

// bottom is what stands below the conversation: what works and waits, and a question or
// the input.
func (m *screen) bottom() ([]string, *tea.Cursor) {
	th := m.theme()
	lines := m.activity()
	q := m.question()
	if q != nil && q.open {
		title := strings.Repeat("─", 2)
		if q.source != "" {
			title += " " + q.source + " asks "
		}
		if rest := len(m.questions) - 1; rest > 0 {
			title += fmt.Sprintf(" %d more wait ", rest)
		}
		if q.waits(m.a.cfg.Now()) {
			title += " one moment "
		}
		title += strings.Repeat("─", max(0, m.width-clean.Width(title)))
		lines = append(lines, th.Style("borderAccent", title))
		drawn, cursor := q.draw(m.width, max(3, m.height-len(lines)-2), th)
		if cursor != nil {
			cursor.Y += len(lines)
		}
		m.view(q)
		return append(append(lines, drawn...), m.statusLine()), cursor
	}
	if q != nil {
		lines = append(lines, th.Style("accent", "A question waits: Tab to answer"))
	}
	lines = append(lines, m.decoration("above")...)
	lines = append(lines, m.menuView(th)...)
	m.input.MaxHeight = max(1, min(10, m.height-len(lines)-4))
	m.input.SetWidth(m.width)
	cursor := m.input.Cursor()
	if cursor != nil {
		cursor.Y += len(lines)
	}
	lines = append(lines, strings.Split(m.input.View(), "\n")...)
	lines = append(lines, m.decoration("below")...)
	lines = append(lines, m.decoration("footer")...)
	return append(lines, m.statusLine()), cursor
}

// activity says what runs, and what waits for it.
func (m *screen) activity() []string {
	th := m.theme()
	var lines []string
	if m.s == nil {
		lines = append(lines, th.Style("muted", "starting …"))
	} else if sign := m.workingSign(); m.busy() && !m.sign.Hidden {
		text := "working"
		if own := m.decoration("working"); len(own) > 0 {
			text = own[0]
		}
		lines = append(lines, th.Style("muted", strings.TrimSpace(fmt.Sprintf("%s %s %s · esc interrupts", sign, text, m.a.cfg.Now().Sub(m.since).Truncate(time.Second)))))
	}
	for _, id := range sortedKeys(m.hooks.live) {
		lines = append(lines, th.Style("muted", "⧗ "+m.hooks.live[id]))
	}
	waiting := m.early
	if m.s != nil {
		waiting = m.s.Loop.Waiting()
	}
	label := "next: "
	if m.s != nil && !m.busy() {
		label = "parked, enter sends it: "
	}
	for _, text := range waiting {
		lines = append(lines, th.Style("muted", label+clean.PlainLine(text)))
	}
	return lines[:min(len(lines), max(1, m.height/4))]
}

// statusLine is the last line.
func (m *screen) statusLine() string {
	parts := []string{}
	footer := len(m.around["footer"]) > 0 // it says the rest
	if m.s != nil {
		if parts = append(parts, string(m.s.Permission.Mode())); !footer {
			dir := filepath.Base(m.s.Loop.Dir())
			if m.branch != "" {
				dir += " (" + m.branch + ")"
			}
			parts = append(parts, clean.PlainLine(m.s.Loop.Model()), clean.PlainLine(dir))
		}
	}
	if h := m.hooks.all(); h.ran > 0 {
		text := fmt.Sprintf("hooks %d", h.ran)
		if h.blocked+h.failed > 0 {
			text += fmt.Sprintf(" (%d blocked, %d failed)", h.blocked, h.failed)
		}
		parts = append(parts, text)
	}
	if !m.endAsked.IsZero() {
		parts = append(parts, "ctrl-c again to end")
	}
	left := " " + strings.Join(parts, " · ")
	if right := m.status.Line(max(0, m.width-clean.Width(left)-3)); right != "" && !footer {
		left += " · " + right
	}
	return m.theme().Style("muted", clean.Cut(left, m.width))
}

// decorate sets the lines that a hook shows at a place.
func (m *screen) decorate(place, key string, lines []string) {
	if m.around[place] == nil {
		m.around[place] = map[string][]string{}
	}
	if len(lines) == 0 {
		delete(m.around[place], key)
		return
	}
	m.around[place][key] = lines
}

// maxDecoration is how many lines a key has at a place.
const maxDecoration = 10

// decoration is the lines at a place, sorted by key.
func (m *screen) decoration(place string) []string {
	var out []string
	for _, key := range sortedKeys(m.around[place]) {
		lines := m.around[place][key]
		out = append(out, cut(lines[:min(len(lines), maxDecoration)], m.width)...)
		if more := len(lines) - maxDecoration; more > 0 {
			out = append(out, m.theme().Style("muted", fmt.Sprintf("… %d more", more)))
		}
	}
	return out[:min(len(out), max(1, m.height/3))]
}

// view notes which question is in the view that is drawn now.
func (m *screen) view(q *question) {
	m.a.mu.Lock()
	defer m.a.mu.Unlock()
	m.a.viewed = q
}
