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
