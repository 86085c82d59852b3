package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxLine bounds one line of a session, in bytes.
const maxLine = 512 << 20

// damageError says which line of a session can't be read.
type damageError struct {
	Path string
	// Line counts from 1; the header is line 1.
	Line int
	Err  error
}

func (e *damageError) Error() string {
	return fmt.Sprintf("session %s: line %d is damaged: %v", e.Path, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *damageError) Unwrap() error { return e.Err }

// versionError is returned for a session that a newer program wrote.
type versionError struct {
	Path    string
	Version int
}

func (e *versionError) Error() string {
	return fmt.Sprintf("session %s has format version %d, and this program reads up to %d; open it with a newer version", e.Path, e.Version, formatVersion)
}

// lines calls use for every line of r with its offset and number, without the
// line break. What follows the last line break is the tail: whole reports
// whether use was called for a line that ended.
func lines(r io.Reader, use func(line []byte, off int64, n int, whole bool) error) error {
	buf := make([]byte, 256<<10)
	var off int64
	start, end, n := 0, 0, 0
	for {
		if end == len(buf) {
			if start > 0 {
				end = copy(buf, buf[start:end])
				start = 0
			} else if len(buf) >= maxLine {
				return fmt.Errorf("a line is longer than %d bytes", maxLine)
			} else {
				buf = append(buf, make([]byte, len(buf))...)
			}
		}
		got, err := r.Read(buf[end:])
		from := end
		end += got
		for {
			i := bytes.IndexByte(buf[from:end], '\n')
			if i < 0 {
				break
			}
			i += from
			n++
			if err := use(buf[start:i], off, n, true); err != nil {
				return err
			}
			off += int64(i + 1 - start)
			start, from = i+1, i+1
		}
		switch {
		case errors.Is(err, io.EOF):
			if start < end {
				return use(buf[start:end], off, n+1, false)
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// brief is what opening reads of an entry.
type brief struct {
	typ, id, parent []byte
	hasParent       bool
}

// briefly reads the type, id and parent of a line. The whole line is checked to
// be one JSON object; what is in it stays unread.
func briefly(line []byte) (b brief, err error) {
	v := jsontext.Value(line)
	if !v.IsValid(lenient) {
		if err := json.Unmarshal(line, new(jsontext.Value), lenient); err != nil {
			return b, err
		}
		return b, errors.New("not a JSON value")
	}
	if v.Kind() != '{' {
		return b, errors.New("not a JSON object")
	}
	missing := 3
	for name, value := range members(line) {
		switch string(name) {
		case `"type"`:
			b.typ, err = plainString(value)
			missing--
		case `"id"`:
			b.id, err = plainString(value)
			missing--
		case `"parentId"`:
			if b.hasParent = value[0] != 'n'; b.hasParent {
				b.parent, err = plainString(value)
			}
			missing--
		}
		if err != nil {
			return b, fmt.Errorf("%s: %w", name, err)
		}
		if missing == 0 {
			break
		}
	}
	switch {
	case b.typ == nil:
		return b, errors.New("it has no type")
	case b.id == nil:
		return b, errors.New("it has no id")
	}
	return b, nil
}

// plainString returns the text of a JSON string that holds no escapes, as ids
// and types do.
func plainString(v []byte) ([]byte, error) {
	if len(v) < 3 || v[0] != '"' || len(v) > 66 {
		return nil, errors.New("a short string is expected")
	}
	s := v[1 : len(v)-1]
	for _, c := range s {
		if c == '\\' || c < ' ' || c > '~' {
			return nil, errors.New("a plain string is expected")
		}
	}
	return s, nil
}

// members walks over the members of a valid JSON object.
func members(obj []byte) func(yield func(name, value []byte) bool) {
	return func(yield func(name, value []byte) bool) {
		i := bytes.IndexByte(obj, '{') + 1
		for {
			i = skipBlank(obj, i, ',')
			if i >= len(obj) || obj[i] == '}' {
				return
			}
			end := skipString(obj, i)
			name := obj[i:end]
			i = skipBlank(obj, end, ':')
			end = skipValue(obj, i)
			if !yield(name, bytes.TrimRight(obj[i:end], " \t\r\n")) {
				return
			}
			i = end
		}
	}
}

func skipBlank(b []byte, i int, also byte) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n' || b[i] == also) {
		i++
	}
	return i
}

// skipString returns the end of the string that begins at i.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// skipValue returns the end of the value that begins at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(b)
}
