package tui

import (
	"bytes"
	"io"
)

// drawn is the terminal. It notes when the question in the view was drawn.
type drawn struct{ a *App }

// The renderer clears the screen when it has another size. It left the margins of its last
// scrolling at the height that it knew; a terminal that was higher already would keep them,
// and scroll where the next screen is written. So they go first.
var (
	clearScreen  = []byte("\x1b[H\x1b[2J")
	clearMargins = append([]byte("\x1b[r"), clearScreen...)
)

func (d *drawn) Write(b []byte) (int, error) {
	if _, err := d.a.cfg.Out.Write(bytes.ReplaceAll(b, clearScreen, clearMargins)); err != nil {
		return 0, err
	}
	d.a.mu.Lock()
	q := d.a.viewed
	d.a.mu.Unlock()
	if q != nil {
		q.wasDrawn(d.a.cfg.Now())
	}
	return len(b), nil
}

// Fd lets the program ask the terminal for its size and its modes.
func (d *drawn) Fd() uintptr {
	if f, ok := d.a.cfg.Out.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Read is there because a terminal has one; nothing is read from it.
func (d *drawn) Read([]byte) (int, error) { return 0, io.EOF }

// Close leaves the terminal to who opened it.
func (d *drawn) Close() error { return nil }
