package main

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// table prints rows in columns, measured in terminal cells, with remarks below
// single rows that do not widen the columns.
type table struct {
	rows    [][]string
	remarks [][]string // by row
}

func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = escaped(c)
	}
	t.rows = append(t.rows, cells)
	t.remarks = append(t.remarks, nil)
}

// remark adds a line below the last row.
func (t *table) remark(text string) {
	last := len(t.rows) - 1
	t.remarks[last] = append(t.remarks[last], line(text))
}

func (t *table) print(s *streams) {
	var widths []int
	for _, r := range t.rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	for n, r := range t.rows {
		var b strings.Builder
		for i, c := range r {
			b.WriteString(c)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(c)+2))
			}
		}
		s.printf("%s\n", strings.TrimRight(b.String(), " "))
		for _, rem := range t.remarks[n] {
			s.printf("  %s\n", rem)
		}
	}
}
