package tui

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// TestOnlyWhatIsSeenIsDrawn opens and scrolls through 10,000 messages.
func TestOnlyWhatIsSeenIsDrawn(t *testing.T) {
	tr := transcript{theme: func() ui.Theme { return ui.DefaultTheme().Plain() }}
	for i := range 10_000 {
		tr.add(&block{kind: personBlock, text: fmt.Sprintf("message %d", i)})
	}
	drawnNow := func() int {
		n := 0
		for _, b := range tr.blocks {
			if b.drawn != nil {
				n++
			}
		}
		return n
	}
	const height = 40
	if lines := tr.window(80, height); len(lines) != height || !strings.Contains(lines[height-2], "message 9999") {
		t.Fatalf("not the end: %q", lines[height-2])
	}
	if n := drawnNow(); n > height {
		t.Errorf("%d blocks were drawn for %d lines", n, height)
	}
	for range 400 {
		tr.scroll(height, 80, height)
		tr.window(80, height)
	}
	if n := drawnNow(); n > 2*keptDrawings+height {
		t.Errorf("%d drawings are kept", n)
	}
	tr.scroll(1_000_000, 80, height)
	if lines := tr.window(80, height); len(lines) != height || !strings.Contains(lines[0], "message 0") {
		t.Errorf("not the beginning: %d lines, %q", len(lines), lines[0])
	}
	tr.add(&block{kind: personBlock, text: "new"})
	if lines := tr.window(80, height); tr.fresh != 1 || !strings.Contains(lines[0], "message 0") {
		t.Errorf("what came moved the window: %q", lines[0])
	}
	tr.scroll(-1_000_000, 80, height)
	if lines := tr.window(80, height); !tr.following() || !strings.Contains(lines[height-2], "new") {
		t.Errorf("not the end again: %q", lines[height-2])
	}
}

// TestATokenCostsTheSame compares a token at the end of a short text and of a long one.
func TestATokenCostsTheSame(t *testing.T) {
	cost := func(paragraphs int) float64 {
		b := &block{kind: agentBlock, text: strings.Repeat("Some *text* of the agent.\n\n", paragraphs)}
		th := ui.DefaultTheme().Plain()
		b.lines(form{width: 80, theme: th})
		return testing.AllocsPerRun(20, func() {
			b.text += "w "
			b.touch()
			b.lines(form{width: 80, theme: th})
		})
	}
	if short, long := cost(2), cost(500); long > 2*short {
		t.Errorf("%v allocations for a token of a long text, %v of a short one", long, short)
	}
}

// TestStreamingWritesLittle streams a thousand tokens through the screen.
func TestStreamingWritesLittle(t *testing.T) {
	c := newChat(t, setup{turns: "turns: [{text: ok}]"})
	c.wait("default · scripted")
	c.g.mu.Lock()
	c.g.bytes, c.g.frames = 0, 0
	c.g.raw.Reset()
	c.g.mu.Unlock()
	for i := range 1000 {
		c.app.OnEvent(agent.Event{Kind: agent.KindText, Text: fmt.Sprintf("word%d ", i)})
	}
	c.wait("word999")
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	if c.g.frames > 1000 || c.g.bytes > 2048*c.g.frames {
		t.Errorf("%d bytes in %d frames", c.g.bytes, c.g.frames)
	}
	for _, clear := range []string{"\x1b[2J", "\x1b[3J"} {
		if n := bytes.Count(c.g.raw.Bytes(), []byte(clear)); n > 0 {
			t.Errorf("%d times %q", n, clear)
		}
	}
}

// FuzzMarkdownGrows holds that a text which came in pieces looks like one that came whole,
// and that no line is wider than the screen.
func FuzzMarkdownGrows(f *testing.F) {
	f.Add("Hello *you*.\n\n- a\n\n- b\n\n```go\nx\n\ny\n```\n\nend", 5, 40)
	f.Add("# t\n\n1. a\n2. b\n\n\ttext", 1, 20)
	f.Add("日本語 👩‍👩‍👧 e\u0301\n\n| a | b |\n|---|---|\n| c | d |", 3, 30)
	f.Add("日\xe6\x9c| a | b |\n|---|---|\n| c |---|", 3, 30)
	f.Fuzz(func(t *testing.T, text string, step, width int) {
		if step <= 0 || width < 20 || width > 200 || len(text) > 2000 {
			t.Skip()
		}
		th := ui.DefaultTheme()
		b := &block{kind: agentBlock}
		for at := 0; at < len(text); at += step {
			b.text = text[:min(len(text), at+step)]
			b.touch()
			for _, line := range b.lines(form{width: width, theme: th}) {
				if strings.ContainsAny(line, "\n\r\t") || width < clean.Width(line) {
					t.Fatalf("a line of %d cells on %d: %q", clean.Width(line), width, line)
				}
			}
		}
		whole := &block{kind: agentBlock, text: text}
		if got, want := strings.Join(b.lines(form{width: width, theme: th}), "\n"), strings.Join(whole.lines(form{width: width, theme: th}), "\n"); got != want {
			t.Errorf("in pieces:\n%s\nwhole:\n%s", got, want)
		}
	})
}

// TestLinesThatEndInHyphensFit has lines of which the last hyphen is one cell too far.
func TestLinesThatEndInHyphensFit(t *testing.T) {
	const text = "123456789 123456789 123456-----"
	th := ui.DefaultTheme()
	for _, lines := range [][]string{wrap(text+"\n"+text, 30), drawMarkdown(text, 30, th), drawMarkdown("**"+text+"**", 30, th)} {
		for _, line := range lines {
			if clean.Width(line) > 30 {
				t.Errorf("a line of %d cells on 30: %q", clean.Width(line), line)
			}
		}
		if got := strings.ReplaceAll(clean.PlainText(strings.Join(lines, "")), " ", ""); !strings.HasSuffix(got, "123456-----") {
			t.Errorf("what is shown is %q", got)
		}
	}
}
