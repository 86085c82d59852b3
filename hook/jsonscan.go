package hook

import (
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one name and value of an object; the offsets are into its text.
type member struct {
	rawName    string // with quotes
	value      string
	start, end int // from the name's opening quote to the end of the value
	valueStart int
}

func (m member) name() string {
	s, _ := JSON{m.rawName}.AsString()
	return s
}

func (m member) keyIs(key string) bool {
	if body := m.rawName[1 : len(m.rawName)-1]; strings.IndexByte(body, '\\') < 0 {
		return body == key
	}
	return m.name() == key
}

// members yields the members of an object in order. It yields nothing for text
// that is not an object and stops at the first place that is malformed: callers that
// change text check validity first.
func members(text string) iter.Seq[member] {
	return func(yield func(member) bool) {
		i := skipSpace(text, 0)
		if i >= len(text) || text[i] != '{' {
			return
		}
		i = skipSpace(text, i+1)
		for i < len(text) && text[i] == '"' {
			m := member{start: i}
			i = skipString(text, i)
			m.rawName = text[m.start:i]
			i = skipSpace(text, i)
			if i >= len(text) || text[i] != ':' || len(m.rawName) < 2 {
				return
			}
			m.valueStart = skipSpace(text, i+1)
			i = skipValue(text, m.valueStart)
			if i == m.valueStart {
				return
			}
			m.value, m.end = text[m.valueStart:i], i
			if !yield(m) {
				return
			}
			i = skipSpace(text, i)
			if i >= len(text) || text[i] != ',' {
				return
			}
			i = skipSpace(text, i+1)
		}
	}
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the offset after the string that starts at i.
func skipString(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// skipValue returns the offset after the value that starts at i. It counts
// brackets rather than recursing, so depth costs nothing.
func skipValue(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = skipString(s, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ' ', '\t', '\n', '\r', ':':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			for i < len(s) && strings.IndexByte(",]}{[ \t\r\n:\"", s[i]) < 0 {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// setMember sets key in the valid object text. Of duplicates the last keeps its
// place and the others go.
func setMember(text, key, value string) string {
	var last member
	count := 0
	for m := range members(text) {
		if m.keyIs(key) {
			last, count = m, count+1
		}
	}
	switch count {
	case 0:
		return appendMember(text, key, value)
	case 1:
		return text[:last.valueStart] + value + text[last.end:]
	}
	return setMember(deleteMembers(text, key, 1), key, value)
}

func appendMember(text, key, value string) string {
	name, _ := jsontext.AppendQuote(nil, key)
	end := strings.LastIndexByte(text, '}')
	body := strings.TrimRight(text[:end], " \t\r\n")
	sep := ","
	if strings.HasSuffix(body, "{") {
		sep = ""
	}
	return body + sep + string(name) + ":" + value + text[end:]
}

// deleteMembers removes members with the key, the first ones first, until so many are
// left.
func deleteMembers(text, key string, left int) string {
	for {
		var first member
		n := 0
		for m := range members(text) {
			if m.keyIs(key) {
				if n == 0 {
					first = m
				}
				n++
			}
		}
		if n <= left {
			return text
		}
		start, end := first.start, skipSpace(text, first.end)
		if end < len(text) && text[end] == ',' {
			end = skipSpace(text, end+1)
		} else if head := strings.TrimRight(text[:start], " \t\r\n"); strings.HasSuffix(head, ",") {
			start, end = len(head)-1, first.end
		}
		text = text[:start] + text[end:]
	}
}
