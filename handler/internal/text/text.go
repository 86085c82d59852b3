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
)

// maxQuote bounds a piece of output that an error repeats, in characters.
const maxQuote = 200

// LastLine returns the last line that is not blank, on one line and without
// control characters.
func LastLine(b []byte) string {
	b = bytes.TrimRightFunc(b, unicode.IsSpace)
	return Quote(b[bytes.LastIndexByte(b, '\n')+1:])
}

// Quote returns the head of a piece of output on one line, without control
// characters.
func Quote(b []byte) string {
	out := make([]rune, 0, maxQuote)
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		b = b[n:]
		switch {
		case c == '\n' || c == '\t' || c == '\r':
			c = ' '
		case !unicode.IsPrint(c):
			continue
		}
		if len(out) == maxQuote {
			return strings.TrimSpace(string(out)) + "…"
		}
		out = append(out, c)
	}
	return strings.TrimSpace(string(out))
}

// Identity returns a name that is the same for the same kind and parts and tells
// nothing about them.
func Identity(kind string, parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(sum, "%d:%s", len(p), p)
	}
	return kind + ":" + hex.EncodeToString(sum.Sum(nil))
}
