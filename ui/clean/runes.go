package clean

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks a character may carry; more of them
// run over the lines above and below.
const maxMarks = 8

// rune writes one character that is not part of a sequence.
func (c *cleaner) rune(r rune) {
	switch {
	case r >= ' ' && r < 0x7f:
		c.marks = 0
		c.write(r)
	case r == '\n', r == '\t':
		c.blank(r)
	case isLineBreak(r):
		c.lineBreak(r)
	case unicode.Is(unicode.Cc, r), isBidiControl(r):
		c.drop(r)
	case unicode.In(r, unicode.Mn, unicode.Me) && !isVariation(r):
		c.mark(r)
	case isInvisible(r) && !c.partOfEmoji(r):
		c.show(r)
	default:
		c.marks = 0
		c.write(r)
	}
}

// mark writes a combining mark, unless there are too many of them.
func (c *cleaner) mark(r rune) {
	c.marks++
	switch {
	case c.marks <= maxMarks:
		c.write(r)
	case c.reveal:
		fmt.Fprintf(&c.out, `\u{%04X}`, r)
		c.last = 'x'
	}
}

// blank writes a newline or a tab.
func (c *cleaner) blank(r rune) {
	c.marks = 0
	switch {
	case c.lines:
		c.write(r)
	case c.reveal:
		c.show(r)
	default:
		c.write(' ')
	}
}

// lineBreak writes a newline for the other characters that end a line. One that
// stands before a newline belongs to it.
func (c *cleaner) lineBreak(r rune) {
	if r == '\r' && c.pos < len(c.s) && c.s[c.pos] == '\n' {
		return
	}
	if c.reveal {
		c.show(r)
		return
	}
	c.blank('\n')
}

func (c *cleaner) drop(r rune) {
	if c.reveal {
		c.show(r)
	}
}

// show writes a character as an escape; characters that can be seen stay.
func (c *cleaner) show(r rune) {
	c.marks = 0
	switch {
	case r == '\n':
		c.out.WriteString(`\n`)
	case r == '\t':
		c.out.WriteString(`\t`)
	case r == '\r':
		c.out.WriteString(`\r`)
	case r < 0x80 && (r < ' ' || r == 0x7f):
		fmt.Fprintf(&c.out, `\x%02x`, r)
	case unicode.Is(unicode.Cc, r), isBidiControl(r), isLineBreak(r), isInvisible(r):
		fmt.Fprintf(&c.out, `\u{%04X}`, r)
	default:
		c.write(r)
		return
	}
	c.last = 'x'
}

func isLineBreak(r rune) bool {
	switch r {
	case '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// isBidiControl reports the characters that change the order in which other
// characters are shown.
func isBidiControl(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 ||
		r == 0x200E || r == 0x200F || r == 0x061C
}

func isVariation(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F }

// isInvisible reports characters that take no place, or an empty one, and so
// can hide in a text.
func isInvisible(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0:
		return true
	}
	return unicode.Is(unicode.Cf, r) || isVariation(r) ||
		r >= 0xE0000 && r <= 0xE0FFF || r >= 0x180B && r <= 0x180F
}

// partOfEmoji reports whether a joiner stands between two pictures, or a
// variation selector after a character that it may change.
func (c *cleaner) partOfEmoji(r rune) bool {
	switch {
	case r == 0x200D:
		next, _ := utf8.DecodeRuneInString(c.s[c.pos:])
		return (isPicture(c.last) || c.last == 0xFE0F || unicode.Is(unicode.Sk, c.last)) && isPicture(next)
	case r == 0xFE0F || r == 0xFE0E:
		return isPicture(c.last) || c.last >= '0' && c.last <= '9' || c.last == '#' || c.last == '*'
	}
	return false
}

func isPicture(r rune) bool { return r != utf8.RuneError && unicode.Is(unicode.So, r) }
