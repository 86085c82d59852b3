package plugin

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameFault says what about a slash-separated relative path could escape,
// deceive or mean different files on different machines; empty when nothing.
func nameFault(p string) string {
	switch {
	case p == "":
		return "the name is empty"
	case !utf8.ValidString(p):
		return "the name is not UTF-8 text"
	case len(p) > 1024:
		return "the name is longer than 1024 bytes"
	}
	for _, r := range p {
		switch {
		case r == '\\':
			return "the name contains a backslash"
		case unicode.IsControl(r):
			return fmt.Sprintf("the name contains the control character %U", r)
		case unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return fmt.Sprintf("the name contains the invisible character %U", r)
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "":
			return "the path is absolute or has an empty part"
		case part == "." || part == "..":
			return "the path contains . or .."
		case len(part) > 255:
			return "a part of the path is longer than 255 bytes"
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
			return "a part of the path ends with a dot or space, which Windows drops"
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return "the name is reserved on this system"
	}
	return ""
}

// isGitName reports whether a part of a path is git's own directory, or is on
// some file system.
func isGitName(part string) bool {
	p := strings.ToLower(strings.TrimRight(part, ". "))
	if cut := strings.IndexByte(p, ':'); cut >= 0 {
		p = p[:cut] // an NTFS stream
	}
	return p == ".git" || p == "git~1"
}

// collisions finds two paths that are one on a file system that ignores case.
type collisions map[string]string

// add gives the path that p, or a directory of it, collides with.
func (c collisions) add(p string) (other string, collides bool) {
	for end := 0; end < len(p); end++ {
		next := strings.IndexByte(p[end:], '/')
		if next < 0 {
			end = len(p)
		} else {
			end += next
		}
		part := p[:end]
		key := fold(part)
		if seen, ok := c[key]; ok && seen != part {
			return seen, true
		}
		c[key] = part
	}
	return "", false
}

// fold maps every spelling of a name to one.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, s)
}
