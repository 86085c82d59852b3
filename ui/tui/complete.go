package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// menu is what the input may go on as.
type menu struct {
	of    string // the input that it is for
	items []script.Completion
	at    int
	moved bool // the person has chosen: Enter takes that
	tab   bool // Tab was pressed while it was looked for
}

// menuLines is how many completions are shown at once.
const menuLines = 6

// cursorAt is where the cursor stands in the input: its lines, the row, and the column in
// characters.
func (m *screen) cursorAt() (lines []string, row, column int) {
	return strings.Split(m.input.Value(), "\n"), m.input.Line(), m.input.Column()
}

// suggest looks for what the input may go on as, beside the screen. When the person has
// typed on meanwhile, the answer is dropped.
func (m *screen) suggest() {
	m.menu = menu{of: m.input.Value()}
	if m.s == nil {
		return
	}
	lines, row, column := m.cursorAt()
	line := []rune(lines[row])
	before := string(line[:column])
	word := before[strings.LastIndexAny(before, " \t")+1:]
	file, isFile := strings.CutPrefix(word, "@")
	isCommand := row == 0 && strings.HasPrefix(before, "/")
	completers := slices.DeleteFunc(slices.Clone(m.modules()), func(mod *script.Module) bool { return !mod.Info().Completes })
	if !isFile && !isCommand && len(completers) == 0 {
		return
	}
	s, a, text := m.s, m.a, m.input.Value()
	m.spawn(func(ctx context.Context) {
		var items []script.Completion
		for _, mod := range completers {
			found, err := mod.CompleteText(ctx, lines, row, len(utf16Of(before)))
			if err != nil && ctx.Err() == nil {
				a.Notify(fmt.Sprintf("A module fails to complete: %v", err), ui.Warning)
			}
			items = append(items, found...)
		}
		switch {
		case len(items) > 0:
		case isCommand:
			items = s.commandsFor(ctx, a, before)
		case isFile:
			items = s.files.matching(ctx, s.Loop.Dir(), file)
		}
		if isFile || isCommand {
			place(items, text, lines, row, column, word)
		}
		a.post(func(m *screen) {
			if m.input.Value() != text || len(items) == 0 {
				return
			}
			m.menu.items, m.menu.at = items, 0
			if m.menu.tab {
				m.menu.tab = false
				m.goOn()
			}
		})
	})
}

// place puts what completes a word into the text around it, where a module has not done so.
func place(items []script.Completion, text string, lines []string, row, column int, word string) {
	start := column - len([]rune(word))
	for _, line := range lines[:row] {
		start += len([]rune(line)) + 1
	}
	all := []rune(text)
	end := start + len([]rune(word))
	for i := range items {
		if it := &items[i]; it.Text == "" {
			it.Text = string(all[:start]) + it.Label + string(all[end:])
			it.At = start + len([]rune(it.Label))
		}
	}
}

// commandsFor lists the commands that begin as what was typed does, or, behind the name of
// one, what its module offers as its arguments.
func (s *Session) commandsFor(ctx context.Context, a *App, typed string) []script.Completion {
	if name, args, ok := strings.Cut(typed, " "); ok {
		return s.argumentsFor(ctx, a, strings.TrimPrefix(name, "/"), args)
	}
	list, err := s.Commands.List(ctx)
	if err != nil && ctx.Err() == nil {
		a.Notify(fmt.Sprintf("The commands cannot be listed: %v", err), ui.Error)
	}
	var out []script.Completion
	for _, c := range append(list, ownCommands...) {
		if name := "/" + clean.PlainLine(c.Name); strings.HasPrefix(name, typed) {
			out = append(out, script.Completion{Label: name, Description: c.Description})
		}
	}
	return out
}

// argumentsFor asks the module of a command for its arguments.
func (s *Session) argumentsFor(ctx context.Context, a *App, name, args string) []script.Completion {
	if s.Modules == nil {
		return nil
	}
	for _, mod := range s.Modules() {
		if !slices.ContainsFunc(mod.Info().Commands, func(c script.CommandInfo) bool { return c.Name == name && c.Completes }) {
			continue
		}
		raw, err := mod.CompleteCommand(ctx, name, args)
		var list []struct{ Value, Label, Description string }
		if err == nil && raw != nil {
			err = json.Unmarshal(raw, &list, json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(false))
		}
		if err != nil && ctx.Err() == nil {
			a.Notify(fmt.Sprintf("The arguments of /%s cannot be completed: %v", name, err), ui.Warning)
		}
		var out []script.Completion
		for _, it := range list {
			whole := "/" + name + " " + it.Value
			out = append(out, script.Completion{Label: it.Label, Description: it.Description, Text: whole, At: len([]rune(whole))})
		}
		return out
	}
	return nil
}

// goOn takes what all completions have in common, and the chosen one when that is there
// already.
func (m *screen) goOn() {
	if m.menu.of != m.input.Value() || len(m.menu.items) == 0 {
		m.suggest()
		m.menu.tab = true
		return
	}
	if head := common(m.menu.items); len(m.menu.items) > 1 && !m.menu.moved && len(head) > len(m.menu.of) && strings.HasPrefix(head, m.menu.of) {
		m.setInput(head)
		m.suggest()
		return
	}
	m.take()
}

// take puts the chosen completion into the input.
func (m *screen) take() {
	it := m.menu.items[m.menu.at]
	all := []rune(it.Text)
	at := min(max(0, it.At), len(all))
	if at == len(all) && !strings.HasSuffix(it.Text, "/") {
		all = append(all, ' ')
		at++
	}
	m.menu = menu{}
	m.setInput(string(all))
	for range len(all) - at {
		m.input, _ = m.input.Update(tea.KeyPressMsg{Code: tea.KeyLeft})
	}
	if strings.HasSuffix(it.Text, "/") {
		m.suggest()
	}
}

// common is what all completions begin with.
func common(items []script.Completion) string {
	head := []rune(items[0].Text)
	for _, it := range items[1:] {
		for !strings.HasPrefix(it.Text, string(head)) {
			head = head[:len(head)-1]
		}
	}
	return string(head)
}

// menuKey takes a key that is for the completions; it reports whether it was.
func (m *screen) menuKey(name string) bool {
	if len(m.menu.items) == 0 || m.menu.of != m.input.Value() {
		return false
	}
	switch last := len(m.menu.items) - 1; name {
	case "up":
		m.menu.at, m.menu.moved = max(0, m.menu.at-1), true
	case "down":
		m.menu.at, m.menu.moved = min(last, m.menu.at+1), true
	case "esc":
		m.menu = menu{}
	case "enter":
		if !m.menu.moved {
			return false
		}
		m.take()
	default:
		return false
	}
	return true
}

// menuView is the lines of the completions.
func (m *screen) menuView(th ui.Theme) []string {
	if m.menu.of != m.input.Value() {
		return nil
	}
	items := m.menu.items
	first := min(max(0, m.menu.at-menuLines+1), max(0, len(items)-menuLines))
	var out []string
	for i := first; i < min(len(items), first+menuLines); i++ {
		sign, style := "  ", "muted"
		if i == m.menu.at {
			sign, style = "▸ ", "accent"
		}
		line := th.Style(style, sign+clean.PlainLine(items[i].Label))
		if d := clean.PlainLine(items[i].Description); d != "" {
			line += th.Style("muted", "  "+d)
		}
		out = append(out, clean.Cut(line, m.width))
	}
	if more := len(items) - first - len(out); more > 0 {
		out = append(out, th.Style("muted", fmt.Sprintf("  … %d more", more)))
	}
	return out
}
