package jsonx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// Bounds of a text: how many levels deep values may be nested, and how many there
// may be.
const (
	maxDepth  = 200
	MaxValues = 1 << 19
)

// Error is a fault in the text.
type Error struct {
	// Line and Column count from 1.
	Line, Column int
	Message      string
	Remedy       string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// Parse reads a text. Errors are of type [*Error].
func Parse(src []byte) (*Node, error) {
	if enc := utf16Mark(src); enc != "" {
		return nil, &Error{Line: 1, Column: 1, Message: "the file is " + enc + " text", Remedy: "save it as UTF-8"}
	}
	p := &parser{src: bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")), left: MaxValues}
	if len(bytes.TrimSpace(p.src)) == 0 {
		return nil, p.fail(0, "", "the file is empty")
	}
	if i := invalidUTF8(p.src); i >= 0 {
		return nil, p.fail(i, "save it as UTF-8", "invalid UTF-8")
	}
	if i := tooDeep(p.src); i >= 0 {
		return nil, p.fail(i, "flatten it", "nested deeper than %d levels", maxDepth)
	}
	p.std = p.src
	if !jsontext.Value(p.src).IsValid(lenient...) {
		var err error
		// hujson changes what it is given.
		if p.std, err = hujson.Standardize(bytes.Clone(p.src)); err != nil {
			return nil, p.syntaxError(err)
		}
	}
	return p.parse()
}

func utf16Mark(src []byte) string {
	switch {
	case bytes.HasPrefix(src, []byte("\xff\xfe")):
		return "UTF-16 (little-endian)"
	case bytes.HasPrefix(src, []byte("\xfe\xff")):
		return "UTF-16 (big-endian)"
	}
	return ""
}

func invalidUTF8(src []byte) int {
	if utf8.Valid(src) {
		return -1
	}
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// tooDeep returns the offset of the bracket that opens one level too many, or -1.
// It looks past strings and comments.
func tooDeep(src []byte) int {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case '/':
			i = skipComment(src, i)
		case '[', '{':
			if depth++; depth > maxDepth {
				return i
			}
		case ']', '}':
			depth--
		}
	}
	return -1
}

// skipComment returns the offset of the last byte of the comment that starts at i,
// or i.
func skipComment(src []byte, i int) int {
	end := -1
	switch {
	case bytes.HasPrefix(src[i:], []byte("//")):
		end = bytes.IndexByte(src[i:], '\n')
	case bytes.HasPrefix(src[i:], []byte("/*")):
		if end = bytes.Index(src[i+2:], []byte("*/")); end >= 0 {
			end += 3
		}
	default:
		return i
	}
	if end < 0 {
		return len(src)
	}
	return i + end
}

// parser builds nodes. Positions are asked for in rising order, so that counting
// lines and columns costs one pass.
type parser struct {
	src  []byte // as it is written
	std  []byte // the same with blanks for comments and trailing commas
	dec  *jsontext.Decoder
	left int // how many more values may come

	at     int // what line and column belong to
	line   int // number of line breaks before at
	column int // number of characters in the line before at
}

// lenient leaves duplicate keys to the caller; the text's encoding was looked at.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

func (p *parser) parse() (*Node, error) {
	p.dec = jsontext.NewDecoder(bytes.NewReader(p.std), lenient...)
	root, err := p.value()
	if err == nil {
		if _, err = p.dec.ReadToken(); errors.Is(err, io.EOF) {
			return root, nil
		}
		if err == nil {
			return nil, p.fail(int(p.dec.InputOffset()), "keep one value", "text after the end of the value")
		}
	}
	return nil, p.syntaxError(err)
}

// place returns the position of an offset.
func (p *parser) place(offset int) (line, column int) {
	offset = min(offset, len(p.src))
	if offset < p.at {
		p.at, p.line, p.column = 0, 0, 0
	}
	for {
		i := bytes.IndexByte(p.src[p.at:offset], '\n')
		if i < 0 {
			break
		}
		p.at += i + 1
		p.line++
		p.column = 0
	}
	p.column += utf8.RuneCount(p.src[p.at:offset])
	p.at = offset
	return p.line + 1, p.column + 1
}

func (p *parser) fail(offset int, remedy, format string, args ...any) *Error {
	line, column := p.place(offset)
	return &Error{Line: line, Column: column, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

func (p *parser) value() (*Node, error) {
	start := p.skipToValue()
	n := &Node{}
	n.Line, n.Column = p.place(start)
	if p.left--; p.left < 0 {
		return nil, &Error{Line: n.Line, Column: n.Column, Message: fmt.Sprintf("more than %d values", MaxValues), Remedy: "split it"}
	}
	tok, err := p.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case 'n':
	case 't', 'f':
		n.Kind, n.Text = Bool, tok.String()
	case '0':
		n.Kind, n.Text = Number, tok.String()
	case '"':
		n.Kind, n.Text = String, tok.String()
	case '[':
		n.Kind = Array
		err = p.items(n)
	case '{':
		n.Kind = Object
		err = p.members(n)
	}
	return n, err
}

// skipToValue returns the offset of the next token.
func (p *parser) skipToValue() int {
	i := int(p.dec.InputOffset())
	for i < len(p.std) && bytes.IndexByte([]byte(" \t\r\n,:"), p.std[i]) >= 0 {
		i++
	}
	return i
}

func (p *parser) items(n *Node) error {
	for p.dec.PeekKind() != ']' {
		item, err := p.value()
		if err != nil {
			return err
		}
		item.Child(n, strconv.Itoa(len(n.Items)))
		n.Items = append(n.Items, item)
	}
	_, err := p.dec.ReadToken()
	return err
}

func (p *parser) members(n *Node) error {
	seen := map[string]bool{}
	for p.dec.PeekKind() != '}' {
		m := Member{}
		m.Line, m.Column = p.place(p.skipToValue())
		tok, err := p.dec.ReadToken()
		if err != nil {
			return err
		}
		m.Key = tok.String()
		if m.Value, err = p.value(); err != nil {
			return err
		}
		m.Value.Child(n, m.Key)
		n.Members = append(n.Members, m)
		if seen[m.Key] {
			n.Duplicates = append(n.Duplicates, m)
		}
		seen[m.Key] = true
	}
	_, err := p.dec.ReadToken()
	return err
}

// syntaxError places an error of one of the two readers.
func (p *parser) syntaxError(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return p.fail(int(e.ByteOffset), "", "%s", plain(e.Err))
	}
	var line, column int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr == nil {
		_, msg, _ := strings.Cut(err.Error(), ": ")
		_, msg, _ = strings.Cut(msg, ": ")
		return &Error{Line: line, Column: column, Message: msg}
	}
	return p.fail(len(p.src), "", "%v", err)
}

func plain(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "the text ends too early: a bracket or quote is not closed"
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}
