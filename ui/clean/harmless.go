package clean

import (
	"slices"
	"strings"
)

// Harmless reports whether a text is made of nothing but sequences for a terminal that
// cannot do harm: window titles and notifications (OSC 0, 1, 2, 9, 99 and 777), which
// end in BEL or ST and hold no control characters, and the bell.
func Harmless(s string) bool {
	for s != "" {
		if s[0] == '\a' {
			s = s[1:]
			continue
		}
		rest, ok := strings.CutPrefix(s, "\x1b]")
		if !ok {
			return false
		}
		number, rest, ok := strings.Cut(rest, ";")
		if !ok || !slices.Contains([]string{"0", "1", "2", "9", "99", "777"}, number) {
			return false
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 })
		switch {
		case end < 0:
			return false
		case rest[end] == '\a':
			s = rest[end+1:]
		case strings.HasPrefix(rest[end:], "\x1b\\"):
			s = rest[end+2:]
		default:
			return false
		}
	}
	return true
}
