package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/ui"
)

// endWait is how long after a Ctrl-C another one ends the chat.
const endWait = 2 * time.Second

// key takes a key: the question that is open has it, else the input.
func (m *screen) key(k tea.KeyPressMsg) {
	now := m.a.cfg.Now()
	if k.String() == "ctrl+z" {
		m.terminal = append(m.terminal, tea.Suspend)
		return
	}
	if q := m.question(); q != nil {
		if q.open {
			m.answerKey(q, k, now)
			return
		}
		if k.String() == "tab" {
			q.open = true
			return
		}
	}
	m.lastKey = now
	if v := m.overlay(); v != nil {
		if v.key(k) {
			m.lift(v)
		}
		return
	}
	if m.menuKey(k.String()) {
		return
	}
	switch k.String() {
	case "enter":
		m.enter(agent.Steer)
	case "alt+enter":
		m.enter(agent.FollowUp)
	case "alt+up":
		m.takeBack()
	case "esc":
		m.escape(now)
	case "ctrl+c":
		m.ctrlC(now)
	case "ctrl+d":
		if m.input.Value() == "" {
			m.quit = true
			return
		}
		m.edit(k)
	case "ctrl+o":
		m.expanded = !m.expanded
		m.a.noteExpanded(m.expanded)
	case "tab":
		m.goOn()
	case "shift+tab":
		m.nextMode()
	case "pgup":
		m.scroll(m.room()-1, m.width, m.room())
	case "pgdown":
		m.scroll(1-m.room(), m.width, m.room())
	case "up":
		if m.input.Line() > 0 || !m.recall(-1) {
			m.edit(k)
		}
	case "down":
		if m.input.Line() < m.input.LineCount()-1 || !m.recall(1) {
			m.edit(k)
		}
	case "?":
		if m.input.Value() == "" {
			m.notice(m.keyList(), ui.Info)
			return
		}
		m.edit(k)
	default:
		if !m.shortcut(k.String()) {
			m.edit(k)
		}
	}
}

// escWait is how soon a second Esc has to follow to go back to a prompt.
const escWait = 400 * time.Millisecond

// escape takes back what waits, interrupts, or, twice on an empty input, goes back to a
// prompt.
func (m *screen) escape(now time.Time) {
	switch {
	case m.takeBack() || m.s == nil:
	case m.busy():
		m.interrupt()
	case m.input.Value() != "":
	case !m.escAt.IsZero() && now.Sub(m.escAt) < escWait:
		m.escAt = time.Time{}
		m.begin(m.s.pickPrompt)
	default:
		m.escAt = now
	}
}

// shortcut runs what a module has put on a key; it reports whether there is something.
func (m *screen) shortcut(key string) bool {
	for _, mod := range m.modules() {
		for _, sc := range mod.Info().Shortcuts {
			if keyName(sc.Key) != key {
				continue
			}
			a := m.a
			m.spawn(func(ctx context.Context) {
				if err := mod.RunShortcut(ctx, sc.Key); err != nil && ctx.Err() == nil {
					a.Notify(fmt.Sprintf("The shortcut %s failed: %v", sc.Key, err), ui.Error)
				}
			})
			return true
		}
	}
	return false
}

func (m *screen) modules() []*script.Module {
	if m.s == nil || m.s.Modules == nil {
		return nil
	}
	return m.s.Modules()
}

// keyName is the name of a key as the terminal library has it.
func keyName(key string) string {
	parts := strings.Split(strings.ToLower(key), "+")
	name := strings.NewReplacer("escape", "esc", "return", "enter", "pageup", "pgup", "pagedown", "pgdown").Replace(parts[len(parts)-1])
	var out []string
	for _, mod := range []string{"ctrl", "alt", "shift", "meta", "super"} {
		if slices.Contains(parts[:len(parts)-1], mod) {
			out = append(out, mod)
		}
	}
	return strings.Join(append(out, name), "+")
}

// ownKeys are those that the screen uses itself.
var ownKeys = strings.Fields("enter alt+enter shift+enter ctrl+j alt+up esc ctrl+c ctrl+d ctrl+o ctrl+z tab shift+tab pgup pgdown up down left right backspace")

// refuseShortcuts says which shortcuts of modules do not run: those on keys that the screen
// has itself, or that another module has taken before.
func (m *screen) refuseShortcuts() {
	taken := map[string]string{}
	for _, name := range ownKeys {
		taken[name] = "chat"
	}
	for _, mod := range m.modules() {
		for _, sc := range mod.Info().Shortcuts {
			who := filepath.Base(mod.Path())
			if by := taken[keyName(sc.Key)]; by != "" {
				m.notice(fmt.Sprintf("The shortcut %s of %s does not run: %s has the key already.", sc.Key, who, by), ui.Warning)
				continue
			}
			taken[keyName(sc.Key)] = who
		}
	}
}

// edit changes the input, and looks for what it may go on as.
func (m *screen) edit(msg tea.Msg) {
	before := m.input.Value()
	m.input, _ = m.input.Update(msg)
	if m.input.Value() != before {
		m.suggest()
	}
}

// enter sends what the person wrote. A backslash at its end makes a new line instead. An
// empty input sends what is parked.
func (m *screen) enter(when agent.When) {
	text := m.input.Value()
	if head, ok := strings.CutSuffix(text, `\`); ok {
		m.setInput(head + "\n")
		return
	}
	if strings.TrimSpace(text) == "" {
		if m.s != nil && !m.busy() && m.s.Loop.HasQueued() {
			m.s.Loop.Wake()
		}
		return
	}
	m.remember(text)
	m.setInput("")
	m.follow()
	m.submit(text, when)
}

// remember puts a text into the history.
func (m *screen) remember(text string) {
	if len(m.history) == 0 || m.history[len(m.history)-1] != text {
		m.history = append(m.history, text)
	}
	m.recalled = len(m.history)
}

// recall shows an older or a newer text of the history; it reports whether there is one.
func (m *screen) recall(step int) bool {
	i := m.recalled + step
	if i < 0 || i > len(m.history) {
		return false
	}
	m.recalled = i
	text := ""
	if i < len(m.history) {
		text = m.history[i]
	}
	m.menu = menu{}
	m.input.SetValue(text)
	return true
}

// setInput replaces what the person is typing, which the history keeps.
func (m *screen) setInput(text string) {
	m.menu = menu{}
	if old := m.input.Value(); old != "" && text != "" && !strings.HasPrefix(text, old) && !slices.Contains(m.history, old) {
		m.remember(old)
	}
	m.recalled = len(m.history)
	m.input.SetValue(text)
}

// takeBack takes the newest text that waits back into the input; it reports whether
// there was one.
func (m *screen) takeBack() bool {
	if m.s == nil {
		return false
	}
	text, ok := m.s.Loop.TakeBack()
	if ok {
		m.setInput(text)
	}
	return ok
}

// ctrlC interrupts, clears, or ends, whichever there is to do first.
func (m *screen) ctrlC(now time.Time) {
	switch {
	case m.busy() && m.s != nil:
		m.interrupt()
	case m.input.Value() != "":
		m.setInput("")
	case !m.endAsked.IsZero() && now.Sub(m.endAsked) < endWait:
		m.quit = true
		return
	default:
		m.endAsked = now
		return
	}
	m.endAsked = time.Time{}
}

// paste puts pasted text into what the keys go to. A line break in it sends nothing.
func (m *screen) paste(p tea.PasteMsg) {
	p.Content = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(p.Content)
	if q := m.question(); q != nil && q.open {
		if q.free() || q.ready(m.a.cfg.Now()) {
			q.paste(p)
		}
		return
	}
	m.lastKey = m.a.cfg.Now()
	if v := m.overlay(); v != nil {
		v.paste(p)
		return
	}
	m.edit(p)
}
