package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// text is a dialog that asks for a text: one line, or several.
type text struct {
	title  string
	one    bool
	in     textarea.Model
	answer string
	given  bool
}

func newText(title, prefill string) *text {
	t := &text{title: clean.Prompt(title), in: newInput(12)}
	t.in.SetValue(prefill)
	return t
}

// newLine asks for a text that has one line.
func newLine(title, placeholder string) *text {
	t := newText(title, "")
	t.one = true
	t.in.Placeholder = clean.PromptLine(placeholder)
	t.in.KeyMap.InsertNewline.SetEnabled(false)
	return t
}

func (t *text) rank() int { return 2 }

func (t *text) draw(width, height int, th ui.Theme) ([]string, *tea.Cursor) {
	lines := wrap(th.Style("bold", t.title), width)
	lines = lines[:min(len(lines), max(1, height-3))]
	t.in.MaxHeight = max(1, height-len(lines)-1)
	t.in.SetWidth(width)
	cur := t.in.Cursor()
	if cur != nil {
		cur.Y += len(lines)
	}
	lines = append(lines, strings.Split(t.in.View(), "\n")...)
	hint := "enter gives the answer · shift-enter or ctrl-j: new line · esc closes"
	if t.one {
		hint = "enter gives the answer · esc closes"
	}
	return append(lines, th.Style("muted", clean.Cut(hint, width))), cur
}

func (t *text) key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "esc", "ctrl+c":
		return true
	case "enter":
		t.answer, t.given = t.in.Value(), true
		return true
	}
	t.in, _ = t.in.Update(k)
	return false
}

func (t *text) paste(p tea.PasteMsg) {
	if t.one {
		p.Content = strings.ReplaceAll(p.Content, "\n", " ")
	}
	t.in, _ = t.in.Update(p)
}

// wrap breaks a text, which was cleaned, into lines that fit.
func wrap(s string, width int) []string {
	s = strings.ReplaceAll(strings.TrimRight(s, "\n"), "\t", "    ")
	return folded(s, max(1, width), ansi.Wrap)
}

// folded is what fold makes of a text, by lines. That of x/ansi 0.11 lets a hyphen which ends a
// line stand behind its end; such lines are cut, and folded again for their colours.
func folded(s string, width int, fold func(s string, width int, breakpoints string) string) []string {
	lines := strings.Split(fold(s, width, ""), "\n")
	if slices.ContainsFunc(lines, func(line string) bool { return clean.Width(line) > width }) {
		lines = strings.Split(fold(ansi.Hardwrap(strings.Join(lines, "\n"), width, true), width, ""), "\n")
	}
	return lines
}
