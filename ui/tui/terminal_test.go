//go:build linux || darwin

package tui

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/hookline-dev/hookline/handler/script"
)

// failing is a component that panics, as only a fault of the program can.
type failing struct{}

func (failing) Render(context.Context, int, int) (script.Drawing, error) { panic("a fault") }
func (failing) Input(context.Context, string) error                      { return nil }
func (failing) Overlay() bool                                            { return false }
func (failing) Changed() <-chan struct{}                                 { return nil }

// TestAPanicGivesTheTerminalBack has a fault in each goroutine that the screen has.
func TestAPanicGivesTheTerminalBack(t *testing.T) {
	for name, fault := range map[string]func(a *App) error{
		"opening":     func(*App) error { panic("a fault") },
		"the screen":  func(a *App) error { a.post(func(*screen) { panic("a fault") }); return nil },
		"the view":    func(a *App) error { a.post(func(m *screen) { m.theme = nil }); return nil },
		"a component": func(a *App) error { return a.ShowCustom(context.Background(), failing{}) },
	} {
		t.Run(name, func(t *testing.T) {
			master, tty, err := pty.Open()
			if err != nil {
				t.Skipf("no terminal to be had: %v", err)
			}
			before, err := term.GetState(int(tty.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			g := &glass{e: vt.NewEmulator(80, 24)}
			drawn, answered := make(chan struct{}), make(chan struct{})
			go func() { defer close(drawn); _, _ = io.Copy(g, master) }()
			go func() { defer close(answered); _, _ = io.Copy(io.Discard, g.e) }()

			c := &chat{t: t, dir: t.TempDir()}
			c.app = New(Config{In: tty, Out: tty, Env: []string{"TERM=xterm-256color"}, Width: 80, Height: 24})
			err = c.app.Run(t.Context(), func(context.Context) (*Session, error) {
				s, err := c.open(setup{turns: "turns: [{text: a}]"})
				return s, errors.Join(err, fault(c.app))
			})
			if err == nil || !strings.Contains(err.Error(), "the screen failed: ") {
				t.Errorf("the error is %v", err)
			}
			after, err := term.GetState(int(tty.Fd()))
			if err != nil || *after != *before {
				t.Errorf("the terminal's modes were not given back: %v", err)
			}
			if err := errors.Join(tty.Close(), c.loop.Close(context.Background())); err != nil {
				t.Error(err)
			}
			<-drawn
			if g.e.IsAltScreen() || g.e.CursorHidden() {
				t.Error("the screen was not given back")
			}
			_ = g.e.InputPipe().(io.Closer).Close() // its own Close races with who reads its answers
			<-answered
			_ = master.Close()
		})
	}
}
