package frontmatter

import (
	"strings"
	"unicode"
)

// Words cuts "Read, Bash(git add:*, git rm:*) Grep" at commas and blanks outside
// parentheses. It fits [Value.Strings], as Commas does.
func Words(s string) []string { return cut(s, isBlankOrComma) }

// Commas cuts "Read, Bash(git add:*, git rm:*)" at commas outside parentheses, and
// trims the parts; empty ones are left out.
func Commas(s string) []string { return cut(s, isComma) }

func isComma(c rune) bool        { return c == ',' }
func isBlankOrComma(c rune) bool { return c == ',' || unicode.IsSpace(c) }

func cut(s string, separates func(rune) bool) []string {
	parts, depth := []string{}, 0
	for part := range strings.FieldsFuncSeq(s, func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		}
		return depth == 0 && separates(c)
	}) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
