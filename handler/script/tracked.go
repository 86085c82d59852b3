package script

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// changed returns the tracked property as the handler left it, nil when it is
// what the payload has: the text that JavaScript writes may order keys that are
// numbers, and spell strings and numbers, in another way and mean the same.
func (c Call) changed(after string) []byte {
	if after == "" {
		return nil
	}
	before, ok := hook.RawJSON(c.Payload).Get(c.Track)
	if ok && sameJSON(before.Raw(), after) {
		return nil
	}
	return []byte(after)
}

func sameJSON(a, b string) bool {
	at := firstDifference(a, b)
	if at < 0 {
		return true
	}
	if surelyDiffer(a, b, at) {
		return false
	}
	x, y := jsontext.Value(a), jsontext.Value(b)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// firstDifference returns -1 when there is none.
func firstDifference(a, b string) int {
	if a == b {
		return -1
	}
	n := min(len(a), len(b))
	const block = 4096
	at := 0
	for at+block <= n && a[at:at+block] == b[at:at+block] {
		at += block
	}
	for at < n && a[at] == b[at] {
		at++
	}
	return at
}

// surelyDiffer spares two texts that part at a byte being read as a whole: what
// is not a matter of spelling there makes them different.
func surelyDiffer(a, b string, at int) bool {
	if at >= len(a) || at >= len(b) {
		return false // numbers, as nothing else begins with a whole other value
	}
	if !insideString(a[:at]) {
		const ends = ",]}"
		return strings.IndexByte(ends, a[at]) >= 0 && strings.IndexByte(ends, b[at]) >= 0
	}
	const longestEscape = len(`\u0000`)
	if strings.IndexByte(a[max(0, at-longestEscape+1):at], '\\') >= 0 || a[at] == '\\' || b[at] == '\\' {
		return false
	}
	return !isKey(a[at:]) && !isKey(b[at:])
}

// insideString reports whether a JSON text that is cut off ends within a string.
func insideString(prefix string) bool {
	inside := false
	for {
		quote := strings.IndexByte(prefix, '"')
		if quote < 0 {
			return inside
		}
		text := prefix[:quote]
		if backslashes := len(text) - len(strings.TrimRight(text, `\`)); !inside || backslashes%2 == 0 {
			inside = !inside
		}
		prefix = prefix[quote+1:]
	}
}

// isKey reports whether the string whose rest this is names a member of an
// object.
func isKey(rest string) bool {
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			return strings.HasPrefix(strings.TrimLeft(rest[i+1:], " \t\r\n"), ":")
		}
	}
	return false
}
