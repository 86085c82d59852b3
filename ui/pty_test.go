//go:build linux || darwin

package ui_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/hookline-dev/hookline/ui"
)

func TestPlainOnATerminal(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	defer master.Close()
	defer tty.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 10, Cols: 33}); err != nil {
		t.Fatal(err)
	}
	if !ui.IsTerminal(tty) {
		t.Error("a terminal is not taken for one")
	}

	screen := &buffer{}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		io.Copy(screen, master)
	}()
	p := ui.NewPlain(ui.PlainConfig{In: tty, Out: tty, Colour: true})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Confirm(ctx, "first?", "", ui.Dialog{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	answered := make(chan bool, 1)
	go func() {
		yes, err := p.Confirm(t.Context(), "second?", "\x1b]0;title\x07", ui.Dialog{Source: "hook"})
		answered <- yes && err == nil
	}()
	for !strings.Contains(screen.String(), "second?") {
		time.Sleep(time.Millisecond)
	}
	io.WriteString(master, "yes\n")
	if !<-answered {
		t.Error("the answer was lost")
	}
	p.Notify("\x1b[31mred", ui.Error)
	io.WriteString(master, "\x04") // the end of the input
	if _, err := p.ReadLine(t.Context(), "> "); err != io.EOF {
		t.Errorf("got %v", err)
	}
	p.Close()
	tty.Close()
	master.Close()
	<-shown
	out := screen.String()
	if strings.Contains(out, "\x1b]0") || !strings.Contains(out, `\x1b]0;title\x07`) || !strings.Contains(out, "\x1b[31mred\x1b[0m") {
		t.Errorf("shown: %q", out)
	}
}

func TestPlainReadsStandardInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = old }()
	io.WriteString(w, "hello\n")
	w.Close()
	p := ui.NewPlain(ui.PlainConfig{Out: io.Discard})
	if s, err := p.ReadLine(t.Context(), ""); s != "hello" || err != nil {
		t.Errorf("got %q, %v", s, err)
	}
	p.Close()
	if _, err := r.Stat(); err != nil {
		t.Errorf("standard input was closed: %v", err)
	}
	r.Close()
}
