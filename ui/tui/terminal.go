package tui

import (
	"io"
	"os"
	"strings"
)

// drawn is the terminal. It notes when the question in the view was drawn.
type drawn struct{ a *App }

// What the renderer writes, and what the terminal gets of it:
//   - It clears the screen when it has another size. It left the margins of its last scrolling
//     at the height that it knew; a terminal that was higher already would keep them, and scroll
//     where the next screen is written. So they go first.
//   - On a slow machine it begins with an empty frame, without a cursor, on the normal screen. A
//     terminal that keeps a cursor for each screen would be left without one there.
var repaired = strings.NewReplacer(
	"\x1b[H\x1b[2J", "\x1b[r\x1b[H\x1b[2J",
	"\x1b[?1049l", "\x1b[?1049l\x1b[?25h",
)

func (d *drawn) Write(b []byte) (int, error) {
	if _, err := io.WriteString(d.a.cfg.Out, repaired.Replace(string(b))); err != nil {
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

// descriptor is an output that is a file.
type descriptor interface{ Fd() uintptr }

var _ descriptor = (*os.File)(nil)

// Fd lets the program ask the terminal for its size and its modes.
func (d *drawn) Fd() uintptr {
	if f, ok := d.a.cfg.Out.(descriptor); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Read is there because a terminal has one; nothing is read from it.
func (d *drawn) Read([]byte) (int, error) { return 0, io.EOF }

// Close leaves the terminal to who opened it.
func (d *drawn) Close() error { return nil }
