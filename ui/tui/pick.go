package tui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// ownCommands are those that are about the screen.
var ownCommands = []command.Command{
	{Name: "theme", Description: "change the colours: /theme NAME, without one a list"},
	{Name: "keys", Description: "list the keys, and the shortcuts of modules"},
}

// picker is the list of a command that was given nothing, nil for none. It is used beside
// the screen.
func (s *Session) picker(command string) func(ctx context.Context, a *App) error {
	switch command {
	case "/tree":
		return s.pickEntry
	case "/resume":
		return s.pickSession
	case "/theme":
		return s.pickTheme
	case "/hooks":
		return s.pickHook
	}
	return nil
}

// ownCommand does what the screen has a list for, or does itself; it reports whether that
// was so.
func (m *screen) ownCommand(text string) bool {
	text = strings.TrimSpace(text)
	name, args, _ := strings.Cut(text, " ")
	switch {
	case name == "/theme" && args != "":
		if err := m.a.SetTheme(strings.TrimSpace(args)); err != nil {
			m.notice(err.Error(), ui.Error)
		}
		return true
	case text == "/keys":
		m.notice(m.keyList(), ui.Info)
		return true
	case m.s == nil || m.s.picker(text) == nil:
		return false
	}
	m.begin(m.s.picker(text))
	return true
}

// begin does something beside the screen, and says what went wrong.
func (m *screen) begin(f func(ctx context.Context, a *App) error) {
	a := m.a
	m.spawn(func(ctx context.Context) {
		if err := f(ctx, a); err != nil && ctx.Err() == nil && !errors.Is(err, ui.ErrNoUI) {
			a.Notify(err.Error(), ui.Error)
		}
	})
}

// pick shows a list that the person asked for, and returns what was chosen, -1 for nothing.
func (a *App) pick(ctx context.Context, title string, choices []string, at int) (int, error) {
	return a.pickFrom(ctx, newList(title, choices, at))
}

func (a *App) pickFrom(ctx context.Context, l *list) (int, error) {
	if err := a.show(ctx, &question{dialog: l, own: true}); err != nil {
		return -1, err
	}
	return l.picked, nil
}

// typed sends a command as the person would.
func (a *App) typed(text string) { a.post(func(m *screen) { m.submit(text, agent.Steer) }) }

// The choices about an entry.
const (
	goFromHere  = "Go on from here"
	goSummary   = "Go on from here, with a summary of what is left"
	newFromHere = "A new session from here"
	changeThis  = "Change this prompt"
	changeFiles = "Change this prompt, and take these files back"
	labelThis   = "Give it a label"
)

// pickEntry shows the session as a tree, and moves in it.
func (s *Session) pickEntry(ctx context.Context, a *App) error {
	items, err := s.Commands.Tree()
	if err != nil {
		return err
	}
	return s.pickOf(ctx, a, "The session", items)
}

// pickPrompt shows the prompts of the session, and goes back to one.
func (s *Session) pickPrompt(ctx context.Context, a *App) error {
	items, err := s.Commands.Tree()
	if err != nil {
		return err
	}
	items = slices.DeleteFunc(items, func(it command.TreeItem) bool { return it.Prompt == "" })
	return s.pickOf(ctx, a, "Go back to a prompt", items)
}

func (s *Session) pickOf(ctx context.Context, a *App, title string, items []command.TreeItem) error {
	if len(items) == 0 {
		a.Notify("The session is empty.", ui.Info)
		return nil
	}
	at := len(items) - 1
	labels := make([]string, len(items))
	for i, it := range items {
		mark := "  "
		if it.Current {
			mark, at = "* ", i
		}
		labels[i] = mark + strings.Repeat("  ", it.Depth) + it.Preview
	}
	n, err := a.pick(ctx, title, labels, at)
	if err != nil || n < 0 {
		return err
	}
	return s.moveTo(ctx, a, items[n])
}

// moveTo asks what is to be done with an entry, and does it.
func (s *Session) moveTo(ctx context.Context, a *App, it command.TreeItem) error {
	l := newList(it.Preview, []string{goFromHere, goSummary, newFromHere, labelThis}, 0)
	if it.Prompt != "" {
		first := []string{changeThis}
		if r, err := s.Loop.PreviewRewind(ctx, it.ID); err == nil && len(r.Files) > 0 {
			first = append(first, changeFiles)
			l.message = fmt.Sprintf("Changed since then (going back: +%d -%d lines):", r.Insertions, r.Deletions)
			for _, path := range r.Files {
				l.message += "\n  " + clean.PlainLine(s.within(path))
			}
		}
		l.choices = append(first, l.choices...)
	}
	n, err := a.pickFrom(ctx, l)
	if err != nil || n < 0 {
		return err
	}
	switch choice := l.choices[n]; choice {
	case goFromHere:
		a.typed("/tree " + it.ID)
	case goSummary:
		a.typed("/tree " + it.ID + " summary")
	case newFromHere:
		a.typed("/branch " + it.ID)
	case labelThis:
		label, ok, err := a.Input(ctx, "Which label? An empty one takes it away.", "", ui.Dialog{})
		if err != nil || !ok {
			return err
		}
		return s.Loop.Session().Label(it.ID, strings.TrimSpace(label))
	default:
		if choice != changeThis {
			if _, err := s.Loop.RewindFiles(ctx, it.ID); err != nil {
				return err
			}
		}
		reply, err := s.input(ctx, a, "/tree "+it.ID+" before")
		a.post(func(m *screen) {
			if err == nil && !reply.Blocked {
				m.setInput(it.Prompt)
				return
			}
			m.notice(failedOr(err, reply.Output), ui.Warning)
		})
	}
	return nil
}

// within is a path as seen from the agent's directory, when it is in there.
func (s *Session) within(path string) string {
	if rel, err := filepath.Rel(s.Loop.Dir(), path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// failedOr is what is said of an outcome.
func failedOr(err error, text string) string {
	if err != nil {
		return err.Error()
	}
	return text
}

// pickSession goes on with another session of the directory.
func (s *Session) pickSession(ctx context.Context, a *App) error {
	list, err := s.Commands.Sessions()
	if err != nil {
		return err
	}
	labels := make([]string, len(list))
	at := 0
	for i, info := range list {
		labels[i] = info.Modified.Format("2006-01-02 15:04") + "  " + clean.PlainLine(info.First)
		if info.ID == s.Loop.SessionID() {
			labels[i], at = labels[i]+"  (this one)", i
		}
	}
	if len(list) == 0 {
		a.Notify("There is no session yet.", ui.Info)
		return nil
	}
	n, err := a.pick(ctx, "Go on with which session?", labels, at)
	if err == nil && n >= 0 {
		a.typed("/resume " + list[n].ID)
	}
	return err
}

// pickTheme changes the colours.
func (*Session) pickTheme(ctx context.Context, a *App) error {
	now := a.Theme().Name
	var names []string
	at := 0
	for i, t := range a.Themes() {
		names = append(names, t.Name)
		if t.Name == now {
			at = i
		}
	}
	n, err := a.pick(ctx, "Which colours?", names, at)
	if err == nil && n >= 0 {
		err = a.SetTheme(names[n])
	}
	return err
}

// ofScreen asks the goroutine of the screen for something.
func (a *App) ofScreen(ctx context.Context, f func(*screen) []string) ([]string, error) {
	answer := make(chan []string, 1)
	a.post(func(m *screen) { answer <- f(m) })
	select {
	case lines := <-answer:
		return lines, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-a.ended:
		return nil, ui.ErrNoUI
	}
}

// keyList is what /keys shows.
func (m *screen) keyList() string {
	var b strings.Builder
	for _, k := range keyHelp {
		fmt.Fprintf(&b, "%-24s %s\n", k[0], k[1])
	}
	for _, mod := range m.modules() {
		for _, sc := range mod.Info().Shortcuts {
			fmt.Fprintf(&b, "%-24s %s\n", clean.PlainLine(sc.Key), clean.PlainLine(sc.Description))
		}
	}
	return b.String()
}

// keyHelp are the keys of the screen.
var keyHelp = [][2]string{
	{"enter", "send; while the agent works, for its next turn"},
	{"shift-enter, ctrl-j", "a new line"},
	{"alt-enter", "while the agent works: send when all is done"},
	{"alt-up, esc", "take back the newest text that waits"},
	{"esc", "close what is open, then interrupt; twice on an empty input: go back to a prompt"},
	{"ctrl-c", "interrupt, or clear the input; twice: end"},
	{"ctrl-d", "on an empty input: end"},
	{"ctrl-z", "suspend"},
	{"tab", "complete what is typed; / is a command, @ a file"},
	{"up, down", "history"},
	{"shift-tab", "the next permission mode"},
	{"ctrl-o", "open and close thinking, output of tools and summaries"},
	{"pgup, pgdn, wheel", "scroll"},
}
