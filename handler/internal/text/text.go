// Package text has small things that the kinds of hooks share: pieces of output
// for errors, and names by which identical hooks are recognised.
package text

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/ui/clean"
)

// maxQuote bounds a piece of output that an error repeats, in characters.
const maxQuote = 200

// LastLine returns the last line that is not blank, as Quote does but without its
// colours: programs colour what they say to people.
func LastLine(b []byte) string {
	b = bytes.TrimRightFunc(b, unicode.IsSpace)
	return head(b[bytes.LastIndexByte(b, '\n')+1:], clean.PromptLine)
}

// Quote returns the head of a piece of output on one line. What cannot be shown
// appears as an escape.
func Quote(b []byte) string { return head(b, clean.ExactLine) }

func head(b []byte, show func(string) string) string {
	const enough = 16 * maxQuote // with sequences between the characters
	if b = bytes.TrimSpace(b); len(b) > enough {
		cut := enough
		for !utf8.RuneStart(b[cut]) && cut > enough-utf8.UTFMax {
			cut--
		}
		b = append(b[:cut:cut], "…"...)
	}
	s, n := show(joined.Replace(string(b))), 0
	for i := range s {
		if n == maxQuote {
			return strings.TrimSpace(s[:i]) + "…"
		}
		n++
	}
	return strings.TrimSpace(s)
}

// joined puts the lines of a text into one.
var joined = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ")

// Identity returns a name that is the same for the same kind and parts and tells
// nothing about them.
func Identity(kind string, parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(sum, "%d:%s", len(p), p)
	}
	return kind + ":" + hex.EncodeToString(sum.Sum(nil))
}
