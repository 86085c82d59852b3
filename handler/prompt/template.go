package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// filler replaces the placeholders of a template by values of an event.
type filler struct {
	event   hook.JSON
	missing []string
}

// fill returns the template, an object, with its placeholders replaced, and the
// paths that lead nowhere. An absent template is an empty object. Names of members
// stay as they are.
func fill(template, event hook.JSON) (filled hook.JSON, missing []string, err error) {
	if template.IsZero() {
		return hook.RawJSON("{}"), nil, nil
	}
	if !strings.HasPrefix(template.Raw(), "{") || !jsontext.Value(template.Raw()).IsValid(jsontext.AllowInvalidUTF8(true)) {
		return hook.JSON{}, nil, errors.New("the tool's input is not one JSON object without duplicate keys")
	}
	f := &filler{event: event}
	var out bytes.Buffer
	options := []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)}
	dec := jsontext.NewDecoder(strings.NewReader(template.Raw()), options...)
	enc := jsontext.NewEncoder(&out, append(options, jsontext.AllowDuplicateNames(true))...)
	for {
		err := f.next(dec, enc)
		if errors.Is(err, io.EOF) {
			return hook.RawJSON(out.Bytes()), f.missing, nil
		}
		if err != nil {
			return hook.JSON{}, nil, fmt.Errorf("the tool's input: %w", err)
		}
	}
}

// next passes on one token.
func (f *filler) next(dec *jsontext.Decoder, enc *jsontext.Encoder) error {
	parent, n := dec.StackIndex(dec.StackDepth())
	isName := parent == '{' && n%2 == 0
	switch dec.PeekKind() {
	case '{', '}', '[', ']':
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		return enc.WriteToken(token)
	}
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() == '"' && !isName && bytes.Contains(value, []byte("${")) {
		if value, err = f.replace(value); err != nil {
			return err
		}
	}
	return enc.WriteValue(value)
}

// replace returns the value that a string with placeholders stands for.
func (f *filler) replace(quoted jsontext.Value) (jsontext.Value, error) {
	s, _ := hook.RawJSON(quoted).AsString()
	if path, rest, ok := placeholder(s); ok && rest == "" {
		return jsontext.Value(f.value(path).Raw()), nil
	}
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, "${")
		out.WriteString(before)
		if !found {
			return jsontext.AppendQuote(nil, out.String())
		}
		path, rest, ok := placeholder("${" + after)
		if !ok {
			out.WriteString("${")
			s = after
			continue
		}
		value := f.value(path)
		if str, ok := value.AsString(); ok {
			out.WriteString(str)
		} else {
			out.WriteString(value.Raw())
		}
		s = rest
	}
}

// placeholder splits a string that begins with ${path}.
func placeholder(s string) (path, rest string, ok bool) {
	inner, ok := strings.CutPrefix(s, "${")
	if !ok {
		return "", "", false
	}
	path, rest, ok = strings.Cut(inner, "}")
	valid := ok && path != "" && !strings.ContainsFunc(path, func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		return !letter && !strings.ContainsRune("._-", c)
	})
	return path, rest, valid
}

// value finds a value of the event, an empty string when there is none.
func (f *filler) value(path string) hook.JSON {
	at := f.event
	for segment := range strings.SplitSeq(path, ".") {
		var ok bool
		if strings.HasPrefix(at.Raw(), "[") {
			at, ok = element(at, segment)
		} else {
			at, ok = at.Get(segment)
		}
		if !ok {
			if !slices.Contains(f.missing, path) {
				f.missing = append(f.missing, path)
			}
			return hook.RawJSON(`""`)
		}
	}
	return at
}

// element returns an element of an array.
func element(array hook.JSON, index string) (hook.JSON, bool) {
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 {
		return hook.JSON{}, false
	}
	dec := jsontext.NewDecoder(strings.NewReader(array.Raw()), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if _, err := dec.ReadToken(); err != nil {
		return hook.JSON{}, false
	}
	for dec.PeekKind() != ']' {
		value, err := dec.ReadValue()
		if err != nil {
			return hook.JSON{}, false
		}
		if n == 0 {
			return hook.RawJSON(value), true
		}
		n--
	}
	return hook.JSON{}, false
}
