package claude

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

var utf8BOM = []byte("\xef\xbb\xbf")

// docKind says what a hook's output is.
type docKind uint8

const (
	docNone      docKind = iota // nothing but blanks
	docObject                   // one JSON object
	docText                     // plain text
	docBroken                   // meant to be a JSON object and is none; why says why
	docTruncated                // cut at the cap, so that it says nothing for certain
)

// document is a hook's output, recognised.
type document struct {
	kind    docKind
	members []member
	text    string
	why     string
}

// member is a key of an object with its raw value.
type member struct {
	key   string
	value hook.JSON
}

// recognise tells JSON from text. Text that begins with { and ends with } is meant
// to be an object, and so is the beginning of one, whose writer ended, or was ended,
// before it had written the rest; arrays and strings are plain text.
func recognise(stdout []byte, truncated bool) document {
	if bytes.HasPrefix(stdout, []byte("\xff\xfe")) || bytes.HasPrefix(stdout, []byte("\xfe\xff")) {
		return document{kind: docBroken, why: "stdout is UTF-16 text, not UTF-8"}
	}
	s := string(bytes.TrimSpace(bytes.TrimPrefix(stdout, utf8BOM)))
	switch {
	case truncated:
		return document{kind: docTruncated, text: s}
	case s == "":
		return document{}
	case s[0] != '{':
		return document{kind: docText, text: s}
	}
	members, err := object(s)
	switch {
	case s[len(s)-1] != '}' && !errors.Is(err, errCut):
		return document{kind: docText, text: s}
	case err == nil:
		return document{kind: docObject, members: members, text: s}
	case plainLines(s):
		return document{kind: docText, text: s}
	}
	return document{kind: docBroken, text: s, why: notOneObject(err, s)}
}

func notOneObject(err error, s string) string {
	return fmt.Sprintf("stdout is not one JSON object: %v; it begins with %q", err, beginning(s))
}

// beginning returns at most the first 80 bytes of a text.
func beginning(s string) string {
	if len(s) <= 80 {
		return s
	}
	return strings.ToValidUTF8(s[:80], "")
}

// object reads one JSON object: duplicate keys and bytes that are not UTF-8 are
// errors, escapes of unpaired surrogates are not.
func object(s string) ([]member, error) {
	dec := jsontext.NewDecoder(strings.NewReader(s), jsontext.AllowInvalidUTF8(true))
	members, err := readMembers(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the object")
	}
	if !utf8.ValidString(s) {
		return nil, errors.New("invalid UTF-8")
	}
	return members, nil
}

// readMembers reads an object. With an error it returns what it had read of it; the last
// member may have no value then.
func readMembers(dec *jsontext.Decoder) ([]member, error) {
	var out []member
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, complaint(err)
	}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return out, complaint(err)
		}
		out = append(out, member{key: tok.String()})
		raw, err := dec.ReadValue()
		if err != nil {
			return out, complaint(err)
		}
		out[len(out)-1].value = hook.RawJSON(raw)
	}
	if _, err := dec.ReadToken(); err != nil {
		return out, complaint(err)
	}
	return out, nil
}

// errCut is the complaint about an object that ends before it is complete.
var errCut = errors.New("it ends too early")

// complaint is what the decoder found, in words.
func complaint(err error) error {
	if err == nil {
		return errors.New("it is not an object")
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		switch {
		case errors.Is(e.Err, io.ErrUnexpectedEOF):
			return errCut
		case errors.Is(e.Err, jsontext.ErrDuplicateName):
			return fmt.Errorf("duplicate key %q", e.JSONPointer.LastToken())
		}
		return fmt.Errorf("%s (at byte %d)", strings.TrimPrefix(e.Err.Error(), "jsontext: "), e.ByteOffset)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

// plainLines reports whether a text is JSON objects, one a line, of which none has
// a member that means something: a log, not an answer.
func plainLines(s string) bool {
	if !strings.Contains(s, "\n") {
		return false
	}
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		members, err := object(line)
		if err != nil {
			return false
		}
		for _, m := range members {
			if topLevel(m.key) {
				return false
			}
		}
	}
	return true
}

// scanBudget bounds the search for an answer within text, counted in bytes that are
// read; each try costs scanTry on top.
const (
	scanBudget = 4 << 20
	scanTry    = 512
)

// objectsIn yields the JSON objects that stand somewhere in a text, outermost
// first, and with cut those that the text's end cuts off. complete is false when the
// budget was used up before the end.
func objectsIn(text string, yield func(members []member, cut bool)) (complete bool) {
	budget, dec := scanBudget, new(jsontext.Decoder)
	for i := 0; ; {
		next := strings.IndexByte(text[i:], '{')
		if next < 0 {
			return true
		}
		i += next
		if rest := strings.TrimLeft(text[i+1:], " \t\r\n"); rest == "" || rest[0] != '"' {
			i++ // no object with a member
			continue
		}
		dec.Reset(strings.NewReader(text[i:]), jsontext.AllowInvalidUTF8(true))
		members, err := readMembers(dec)
		budget -= scanTry + int(dec.InputOffset()) + len(dec.UnreadBuffer())
		switch {
		case err == nil:
			yield(members, false)
			i += int(dec.InputOffset())
		case budget < 0:
			return false
		case errors.Is(err, errCut):
			yield(members, true)
			fallthrough
		default:
			i++
		}
	}
}
