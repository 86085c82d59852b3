package clean

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Text cleans text of several lines and keeps its colours.
func Text(s string) string { return run(s, mode{lines: true, sgr: true}) }

// Line cleans text for a single line and keeps its colours. Newlines and tabs
// become spaces.
func Line(s string) string { return run(s, mode{sgr: true}) }

// PlainText is Text without colours.
func PlainText(s string) string { return run(s, mode{lines: true}) }

// PlainLine is Line without colours.
func PlainLine(s string) string { return run(s, mode{}) }

// Prompt cleans the text of a dialog, which may have been coloured on purpose.
// Colours go, for they can hide what a person decides on; everything else that
// Text would remove or replace is shown as an escape such as \x1b or \u{202E}, so
// that nothing is hidden.
func Prompt(s string) string { return run(s, mode{lines: true, reveal: true}) }

// PromptLine is Prompt for a single line; newlines and tabs are shown as \n and \t.
func PromptLine(s string) string { return run(s, mode{reveal: true}) }

// Exact is Prompt for what has no reason to be coloured, such as names, paths, and
// files that a person approves: colours are shown as escapes too, so that two texts
// which differ look different. A backslash stays as it is, as paths have it: a text
// that spells an escape looks like what it spells.
func Exact(s string) string { return run(s, mode{lines: true, reveal: true, exact: true}) }

// ExactLine is Exact for a single line; newlines and tabs are shown as \n and \t.
func ExactLine(s string) string { return run(s, mode{reveal: true, exact: true}) }

// Width returns how many cells a line takes on a terminal. Escape sequences
// count nothing.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut shortens a line to a number of cells; what was longer ends in "…".
// Colours are kept and closed.
func Cut(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	if ansi.StringWidth(s) <= cells {
		return s
	}
	return Line(ansi.Truncate(s, cells, "…"))
}

type mode struct {
	lines  bool // newlines and tabs stay
	sgr    bool // colours stay
	reveal bool // what would be removed is shown as an escape
	exact  bool // with reveal: colours are shown as escapes too
}

// run returns s itself when there is nothing to clean, which is nearly always.
func run(s string, m mode) string {
	i := 0
	for i < len(s) && (s[i] >= ' ' && s[i] < 0x7f || m.lines && s[i] == '\n') {
		i++
	}
	if i == len(s) {
		return s
	}
	c := cleaner{mode: m, s: s, pos: i}
	c.out.Grow(len(s))
	c.out.WriteString(s[:i])
	if i > 0 {
		c.last = rune(s[i-1])
	}
	for c.pos < len(c.s) {
		c.step()
	}
	if c.open {
		c.out.WriteString("\x1b[0m")
	}
	return c.out.String()
}

type cleaner struct {
	mode
	s    string
	pos  int
	out  strings.Builder
	last rune // the last rune written
	// marks counts the combining marks since the last base character.
	marks int
	open  bool // a colour is on
}

func (c *cleaner) write(r rune) {
	c.out.WriteRune(r)
	c.last = r
}

func (c *cleaner) step() {
	r, n := utf8.DecodeRuneInString(c.s[c.pos:])
	if r == utf8.RuneError && n <= 1 {
		c.invalid()
		return
	}
	if end, kind := sequence(c.s, c.pos); kind != noSequence {
		c.escape(end, kind)
		return
	}
	c.pos += n
	c.rune(r)
}

// invalid writes one U+FFFD for a run of bytes that are not UTF-8, or an escape for
// each of them.
func (c *cleaner) invalid() {
	if c.reveal {
		fmt.Fprintf(&c.out, `\x%02x`, c.s[c.pos])
		c.pos, c.marks, c.last = c.pos+1, 0, 'x'
		return
	}
	for c.pos < len(c.s) {
		r, n := utf8.DecodeRuneInString(c.s[c.pos:])
		if r != utf8.RuneError || n > 1 {
			break
		}
		c.pos++
	}
	c.marks = 0
	c.write(utf8.RuneError)
}

// escape handles the sequence that ends before end.
func (c *cleaner) escape(end int, kind sequenceKind) {
	seq := c.s[c.pos:end]
	c.pos = end
	switch {
	case kind == sgrSequence && c.sgr:
		c.out.WriteString(seq)
		c.open = seq != "\x1b[m" && seq != "\x1b[0m"
	case kind == sgrSequence && !c.exact:
	case c.reveal:
		for _, r := range seq {
			c.show(r)
		}
	}
}
