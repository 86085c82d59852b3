package tui

import (
	"context"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hookline-dev/hookline/ui/clean"
)

// lay lays what a module draws over the screen until it is over.
func (a *App) lay(ctx context.Context, q *question) error {
	return a.during(ctx, q, func(m *screen) { m.overlays = append(m.overlays, q) }, func(m *screen) { m.lift(q) })
}

// lift takes an overlay away.
func (m *screen) lift(q *question) {
	if i := slices.Index(m.overlays, q); i >= 0 {
		m.overlays = slices.Delete(m.overlays, i, i+1)
		close(q.over)
	}
}

// overlay is the foremost one that takes the keys, nil for none.
func (m *screen) overlay() *question {
	for _, q := range slices.Backward(m.overlays) {
		if q.dialog.(*custom).look(m.width, m.height).Place.Keys {
			return q
		}
	}
	return nil
}

// overlaid lays the overlays over the first lines of the screen, the foremost last. What
// stands below is for nobody else to draw on.
func (m *screen) overlaid(lines []string, limit int) []string {
	for _, q := range slices.Clone(m.overlays) {
		v := q.dialog.(*custom)
		if front := v.look(m.width, m.height).Place.Front; front > v.front {
			v.front = front
			i := slices.Index(m.overlays, q)
			m.overlays = append(slices.Delete(m.overlays, i, i+1), q)
		}
	}
	for _, q := range m.overlays {
		d := q.dialog.(*custom).look(m.width, m.height)
		for i, line := range d.Lines {
			if row := d.Place.Row + i; row >= 0 && row < min(len(lines), limit) {
				lines[row] = over(lines[row], line, d.Place.Column, d.Place.Width)
			}
		}
	}
	return lines
}

// over lays a line over a part of another one.
func over(below, line string, column, width int) string {
	const plain = "\x1b[0m"
	column = max(0, column)
	left := ansi.Truncate(below, column, "")
	left += plain + strings.Repeat(" ", column-clean.Width(left))
	line = cut([]string{line}, width)[0]
	line += plain + strings.Repeat(" ", max(0, width-clean.Width(line)))
	right := ""
	if rest := clean.Width(below) - column - width; rest > 0 {
		if right = ansi.TruncateLeft(below, column+width, ""); clean.Width(right) > rest { // half of a wide character
			right = " " + ansi.TruncateLeft(below, column+width+1, "")
		}
	}
	return left + line + right
}
