package tui

import (
	"context"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// complete goes on with the name of a command that the person has begun, as far as it is
// clear, and offers those that are left. They are listed beside the screen; when the
// person has typed on meanwhile, the answer is dropped.
func (m *screen) complete() {
	text := m.input.Value()
	begun, ok := strings.CutPrefix(text, "/")
	if !ok || strings.ContainsAny(begun, " \n") || m.s == nil {
		return
	}
	s, a := m.s, m.a
	m.spawn(func(ctx context.Context) {
		list, err := s.Commands.List(ctx)
		if err != nil && ctx.Err() == nil {
			a.Notify(fmt.Sprintf("The commands cannot be listed: %v", err), ui.Error)
		}
		var names []string
		for _, c := range list {
			if strings.HasPrefix(c.Name, begun) {
				names = append(names, clean.PlainLine(c.Name))
			}
		}
		a.post(func(m *screen) {
			if len(names) > 0 && m.input.Value() == text {
				m.setInput("/" + common(names))
				m.offered = names
			}
		})
	})
}

// common is what all names begin with; behind a single one is a blank.
func common(names []string) string {
	if len(names) == 1 {
		return names[0] + " "
	}
	head := []rune(names[0])
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, string(head)) {
			head = head[:len(head)-1]
		}
	}
	return string(head)
}
