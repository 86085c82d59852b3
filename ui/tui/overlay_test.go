package tui

import (
	"context"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// sheet is an overlay that covers the whole screen, and takes keys.
type sheet struct{ typed chan string }

func (s *sheet) Overlay() bool { return true }

func (s *sheet) Render(_ context.Context, width, height int) (script.Drawing, error) {
	lines := make([]string, height)
	for i := range lines {
		lines[i] = "\x1b[31msheet" + strings.Repeat("#", width)
	}
	return script.Drawing{Lines: lines, Place: script.Place{Width: width, Keys: true}}, nil
}
func (s *sheet) Input(_ context.Context, data string) error { s.typed <- data; return nil }
func (s *sheet) Changed() <-chan struct{}                   { return nil }

// TestNothingCoversAQuestion has a question come while a module covers the whole screen: it
// is seen, and the keys are its, not the module's.
func TestNothingCoversAQuestion(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: ok}]"})
	c.wait("default · scripted")
	s := &sheet{typed: make(chan string, 9)}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- c.app.ShowCustom(ctx, s) }()
	c.until("the sheet alone", func(screen string) bool { return strings.Count(screen, "sheet#") == 24 })
	c.send("a")
	if got := <-s.typed; got != "a" {
		t.Errorf("typed %q", got)
	}
	answer := make(chan bool, 1)
	go func() {
		yes, err := c.app.Confirm(t.Context(), "Sure?", "Of all of it", ui.Dialog{Source: "guard"})
		answer <- yes && err == nil
	}()
	c.wait("A question waits: Tab to answer")
	c.ready("guard asks", "Sure?", "Of all of it", "default · scripted", "sheet#")
	c.send("y")
	if !<-answer {
		t.Error("the answer was not yes")
	}
	c.until("the sheet alone", func(screen string) bool { return strings.Count(screen, "sheet#") == 24 })
	cancel()
	<-over
	c.until("no sheet", func(screen string) bool { return !strings.Contains(screen, "sheet#") })
	if len(s.typed) > 0 {
		t.Errorf("the module got %q", <-s.typed)
	}
}

func TestALineOverAnother(t *testing.T) {
	for _, k := range []struct {
		below, line   string
		column, width int
		want          string
	}{
		{"abcdefghij", "XY", 3, 4, "abcXY  hij"},
		{"ab", "XY", 4, 3, "ab  XY "},
		{"日本語日本語", "XY", 3, 4, "日 XY   本語"}, // half of a wide character on both sides
		{"abcdef", "日本", 1, 3, "a日…ef"},
		{"abcdef", "X\x1b[2JY\x07", 0, 2, "XYcdef"},
		{"abc", "XY", -2, 2, "XYc"},
	} {
		got := over(k.below, k.line, k.column, k.width)
		if plain := clean.PlainLine(got); plain != k.want {
			t.Errorf("%q over %q: %q, want %q", k.line, k.below, plain, k.want)
		}
	}
	if got := over("\x1b[31mabcdef\x1b[0m", "XY", 2, 2); !strings.HasPrefix(got, "\x1b[31mab") || !strings.Contains(got, "\x1b[31mef") {
		t.Errorf("colours: %q", got)
	}
}
