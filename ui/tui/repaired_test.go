package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

// TestAScreenThatGrewIsDrawnWhole has a terminal that was higher already when the renderer set
// its margins to the height that it knew.
func TestAScreenThatGrewIsDrawnWhole(t *testing.T) {
	g := &glass{e: vt.NewEmulator(20, 10)}
	out := &drawn{New(Config{Out: g})}
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	for _, frame := range []string{"\x1b[1;4r\x1b[Hold", "\x1b[?25l\x1b[H\x1b[2J" + strings.Join(lines, "\r\n")} {
		if n, err := out.Write([]byte(frame)); n != len(frame) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(frame), err)
		}
	}
	if got := g.text(); got != strings.Join(lines, "\n") {
		t.Errorf("the screen is\n%s", got)
	}
}

// TestTheCursorIsBack has a frame without a cursor on the normal screen of a terminal that
// keeps a cursor for each screen.
func TestTheCursorIsBack(t *testing.T) {
	g := &glass{e: vt.NewEmulator(20, 10)}
	out := &drawn{New(Config{Out: g})}
	for _, frame := range []string{"\x1b[?25l\r\x1b[J", "\x1b[?1049h\x1b[Htext\x1b[?25h", "\x1b[24;1H\x1b[?1049l\x1b[?2004l"} {
		if _, err := out.Write([]byte(frame)); err != nil {
			t.Fatal(err)
		}
	}
	if g.e.IsAltScreen() || g.e.CursorHidden() {
		t.Error("the cursor stays hidden")
	}
}
