package clean

import (
	"strings"
	"unicode/utf8"
)

type sequenceKind int

const (
	noSequence sequenceKind = iota
	sgrSequence
	otherSequence
)

// sequence finds the escape sequence that begins at pos, in its 7-bit form (ESC
// and a letter) or its 8-bit form (a C1 control). A sequence that is not
// finished is only its introducer, so that it can not hide what follows.
func sequence(s string, pos int) (end int, kind sequenceKind) {
	r, n := utf8.DecodeRuneInString(s[pos:])
	at := pos + n
	if r == 0x1b {
		if at == len(s) {
			return at, otherSequence
		}
		switch s[at] {
		case '[':
			return csi(s, pos, at+1)
		case ']', 'P', 'X', '^', '_':
			return controlString(s, at+1), otherSequence
		}
		return shortEscape(s, at), otherSequence
	}
	switch r {
	case 0x9b:
		end, _ = csi(s, pos, at)
		return end, otherSequence // 8-bit colours are not worth keeping
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return controlString(s, at), otherSequence
	}
	return pos, noSequence
}

// csi reads a control sequence whose parameters begin at params.
func csi(s string, pos, params int) (end int, kind sequenceKind) {
	i := params
	for i < len(s) && s[i] >= 0x30 && s[i] <= 0x3f {
		i++
	}
	mid := i
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i == len(s) || s[i] < 0x40 || s[i] > 0x7e {
		return params, otherSequence
	}
	if s[i] == 'm' && mid == i && isHarmlessSGR(s[params:i]) {
		return i + 1, sgrSequence
	}
	return i + 1, otherSequence
}

// isHarmlessSGR accepts a few parameters of digits, none of which hides text.
func isHarmlessSGR(params string) bool {
	const maxLength = 48
	if len(params) > maxLength || strings.Trim(params, "0123456789;:") != "" {
		return false
	}
	list := strings.Split(params, ";")
	for i := 0; i < len(list); i++ {
		switch strings.TrimLeft(list[i], "0") {
		case "8":
			return false
		case "38", "48", "58": // a colour follows, in which 8 is a number like any other
			if i+1 < len(list) && list[i+1] == "5" {
				i += 2
			} else if i+1 < len(list) && list[i+1] == "2" {
				i += 4
			}
		}
	}
	return true
}

// controlString returns where the string that begins at start ends: after BEL or
// the string terminator, or at start when there is neither.
func controlString(s string, start int) int {
	for i := start; i < len(s); i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		case s[i] == 0x18 || s[i] == 0x1a || s[i] == 0x1b || isC1(s, i): // a terminal gives up here
			return start
		}
	}
	return start
}

func isC1(s string, i int) bool {
	return s[i] == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] <= 0x9f
}

// shortEscape reads ESC, intermediate bytes and a final byte. Anything else
// leaves ESC alone.
func shortEscape(s string, at int) int {
	i := at
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		return i + 1
	}
	return at
}
