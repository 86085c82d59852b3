package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/diag"
)

// Bounds of what is read.
const (
	MaxFile   = 1 << 20  // bytes of one file
	MaxHeader = 64 << 10 // bytes of its header
	maxDepth  = 32       // levels of nesting in the header
	maxNodes  = 10_000   // values in the header, aliases expanded
)

const fence = "---"

// Doc is a Markdown file cut in two.
type Doc struct {
	File      string // as given to Split
	HasHeader bool   // false when the file does not start with "---"
	Header    string // the YAML between the fences, LF line ends
	Body      string // what follows the header, LF line ends
	BodyLine  int    // line of the file on which Body starts, from 1
}

// Split cuts src into header and body. The name file appears in errors, which
// are of type *[diag.Diagnostic]. A file without a header is all body.
func Split(file string, src []byte) (Doc, error) {
	fail := func(line int, remedy, format string, args ...any) (Doc, error) {
		return Doc{}, &diag.Diagnostic{Path: file, Line: line, Message: fmt.Sprintf(format, args...), Remedy: remedy}
	}
	if len(src) > MaxFile {
		return fail(0, "make it shorter", "the file is larger than %d KiB", MaxFile>>10)
	}
	if bytes.HasPrefix(src, []byte{0xFE, 0xFF}) || bytes.HasPrefix(src, []byte{0xFF, 0xFE}) {
		return fail(1, "save the file as UTF-8", "the file is UTF-16 text")
	}
	src = bytes.TrimPrefix(src, []byte{0xEF, 0xBB, 0xBF})
	if at := invalidByte(src); at >= 0 {
		return fail(1+bytes.Count(src[:at], []byte("\n")), "save the file as UTF-8 text", "byte 0x%02x is not UTF-8 text", src[at])
	}
	text := strings.ReplaceAll(string(src), "\r\n", "\n")

	first, rest, _ := strings.Cut(text, "\n")
	if !isFence(first) {
		return Doc{File: file, Body: text, BodyLine: 1}, nil
	}
	header, body, ok := cutFence(rest)
	if !ok {
		return fail(1, "close the header with a line of its own that says ---", "the header is opened here and never closed")
	}
	if len(header) > MaxHeader {
		return fail(1, "move text into the body", "the header is larger than %d KiB", MaxHeader>>10)
	}
	return Doc{
		File: file, HasHeader: true, Header: header, Body: body,
		BodyLine: 3 + strings.Count(header, "\n"),
	}, nil
}

// invalidByte gives the index of the first byte that is NUL or not UTF-8, or -1.
func invalidByte(src []byte) int {
	if utf8.Valid(src) {
		return bytes.IndexByte(src, 0)
	}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == 0 || (r == utf8.RuneError && size == 1) {
			return i
		}
		i += size
	}
	return -1
}

func isFence(line string) bool {
	return strings.TrimRight(line, " \t\r") == fence
}

// cutFence cuts text at its first fence line. The header keeps its last newline.
func cutFence(text string) (header, body string, ok bool) {
	for at := 0; at <= len(text); {
		line, _, more := strings.Cut(text[at:], "\n")
		if isFence(line) {
			end := at + len(line)
			if more {
				end++
			}
			return text[:at], text[end:], true
		}
		if !more {
			return "", "", false
		}
		at += len(line) + 1
	}
	return "", "", false
}
