package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// maxLine bounds a line that is read, in bytes.
const maxLine = 4 << 20

// seal encodes a record as a line that continues the chain after prev, and returns
// the line with its newline, and its hash. The hash covers prev and all of the line
// up to the hash itself.
func seal(r *Record, prev string) (line []byte, hash string, err error) {
	r.Prev, r.Hash = prev, ""
	body, err := json.Marshal(r)
	if err != nil {
		return nil, "", fmt.Errorf("encoding an audit record: %w", err)
	}
	body = escape(body)
	sum := sha256.Sum256(body)
	hash = hex.EncodeToString(sum[:])
	r.Hash = hash
	line = append(body[:len(body)-1], `,"hash":"`...)
	line = append(line, hash...)
	return append(line, "\"}\n"...), hash, nil
}

// hashMember is what seal puts at the end of a line, the hash itself apart.
const (
	hashMember = `,"hash":"`
	hashEnd    = `"}`
	hashLen    = 2 * sha256.Size
)

// errEdited is the error of a line whose hash is not that of its content.
var errEdited = errors.New("the line was changed: its hash is not that of its content")

// open reads a line, without its newline, and checks its own hash.
func open(line []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("it is not a record: %w", err)
	}
	at := len(line) - len(hashMember) - hashLen - len(hashEnd)
	if at < 1 || !bytes.HasPrefix(line[at:], []byte(hashMember)) || !bytes.HasSuffix(line, []byte(hashEnd)) {
		return r, errEdited
	}
	body := append(bytes.Clone(line[:at]), '}')
	sum := sha256.Sum256(body)
	if hex.EncodeToString(sum[:]) != string(line[at+len(hashMember):len(line)-len(hashEnd)]) {
		return r, errEdited
	}
	return r, nil
}

// escape writes the characters of JSON text that a terminal would obey, or that
// would hide other text, as escapes. They occur within strings only.
func escape(text []byte) []byte {
	if isPlain(text) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		if hidden(c) {
			out = fmt.Appendf(out, `\u%04x`, c)
		} else {
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return out
}

func isPlain(text []byte) bool {
	for _, c := range text {
		if c >= 0x7f {
			return false
		}
	}
	return true
}

// hidden reports whether a character is invisible or steers a terminal: DEL and C1,
// zero-width characters, marks and overrides of direction, line separators.
func hidden(c rune) bool {
	switch {
	case c == 0x7f, 0x80 <= c && c <= 0x9f, c == 0xad, c == 0x61c, c == 0x180e, c == 0xfeff:
		return true
	case 0x200b <= c && c <= 0x200f, 0x2028 <= c && c <= 0x202e, 0x2060 <= c && c <= 0x206f:
		return true
	}
	return false
}

// valid makes text fit for JSON.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
