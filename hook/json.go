package hook

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSON is a raw JSON value that is carried through unchanged: key order, unknown
// keys, 64-bit integers, escapes such as unpaired surrogates and duplicate keys
// survive a round trip, and a setter changes only what it sets. The zero JSON is
// an absent value.
//
// A JSON may hold text that is not valid JSON, since models do produce it; Valid
// tells. Such a value has no members, and hooks receive it as a string with a
// mark. JSON values are immutable apart from their setters, comparable with ==
// (which compares the text), and may be shared between goroutines.
type JSON struct{ text string }

// ToolInput is the arguments of a tool call.
type ToolInput = JSON

// RawJSON returns a JSON that holds a copy of b as it is, valid or not.
func RawJSON[T ~[]byte | ~string](b T) JSON { return JSON{strings.TrimSpace(string(b))} }

// ToJSON encodes v. Bytes of its strings that are not UTF-8, which tools and models do
// produce, become U+FFFD.
func ToJSON(v any) (JSON, error) {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return JSON{}, fmt.Errorf("encode %T as JSON: %w", v, err)
	}
	return JSON{string(b)}, nil
}

// MustJSON is ToJSON for values that are known to encode; it panics otherwise.
func MustJSON(v any) JSON {
	j, err := ToJSON(v)
	if err != nil {
		panic(err)
	}
	return j
}

// Raw returns the text as it is, "" when absent.
func (j JSON) Raw() string { return j.text }

// IsZero reports whether the value is absent.
func (j JSON) IsZero() bool { return j.text == "" }

// Valid reports whether the text is one JSON value. Duplicate keys and unpaired
// surrogates are valid here.
func (j JSON) Valid() bool {
	return j.text != "" && jsontext.Value(j.text).IsValid(lenient...)
}

var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// Decode decodes the value into v under strict rules: duplicate keys and invalid
// UTF-8 are errors and names are case-sensitive.
func (j JSON) Decode(v any) error {
	if err := json.Unmarshal([]byte(j.text), v); err != nil {
		return fmt.Errorf("decode JSON value: %w", err)
	}
	return nil
}

// Get returns the member of an object by its literal key; ok is false when there
// is none or the value is not an object. Of duplicate keys the last one counts, as
// in JavaScript.
func (j JSON) Get(key string) (value JSON, ok bool) {
	for m := range members(j.text) {
		if m.keyIs(key) {
			value, ok = JSON{m.value}, true
		}
	}
	return value, ok
}

// Has reports whether the object has the key.
func (j JSON) Has(key string) bool {
	_, ok := j.Get(key)
	return ok
}

// String returns a string member, "" when it is absent or no string. An unpaired
// surrogate reads as U+FFFD.
func (j JSON) String(key string) string {
	v, _ := j.Get(key)
	s, _ := v.AsString()
	return s
}

// Bool returns a boolean member, false when it is absent or no boolean.
func (j JSON) Bool(key string) bool {
	v, _ := j.Get(key)
	return v.text == "true"
}

// Int returns an integer member; ok is false when it is absent, no number, or not
// exactly an int64.
func (j JSON) Int(key string) (n int64, ok bool) {
	v, _ := j.Get(key)
	if v.IsZero() || v.text[0] != '-' && (v.text[0] < '0' || v.text[0] > '9') {
		return 0, false
	}
	return n, json.Unmarshal([]byte(v.text), &n) == nil
}

// Float returns a number member; ok is false when it is absent or no number.
func (j JSON) Float(key string) (f float64, ok bool) {
	v, _ := j.Get(key)
	if v.IsZero() || v.text[0] != '-' && (v.text[0] < '0' || v.text[0] > '9') {
		return 0, false
	}
	return f, json.Unmarshal([]byte(v.text), &f) == nil
}

// Strings returns a member that is an array of strings, nil otherwise.
func (j JSON) Strings(key string) []string {
	v, _ := j.Get(key)
	var out []string
	if v.IsZero() || v.text[0] != '[' || json.Unmarshal([]byte(v.text), &out) != nil {
		return nil
	}
	return out
}

// AsString returns the value itself as a string; ok is false when it is none.
func (j JSON) AsString() (s string, ok bool) {
	if len(j.text) < 2 || j.text[0] != '"' {
		return "", false
	}
	if body := j.text[1 : len(j.text)-1]; strings.IndexByte(body, '\\') < 0 {
		return body, true
	}
	b, err := jsontext.AppendUnquote(nil, j.text)
	if err != nil && len(b) == 0 {
		return "", false
	}
	return string(b), true
}

// Keys returns the keys of an object in their order, duplicates included.
func (j JSON) Keys() []string {
	var out []string
	for m := range members(j.text) {
		out = append(out, m.name())
	}
	return out
}

// DuplicateKeys returns the keys that an object has more than once. A guard that
// looks at a value by key may treat such an input as suspicious: which of the
// values a tool will use depends on the tool's decoder.
func (j JSON) DuplicateKeys() []string {
	seen, out := map[string]bool{}, []string(nil)
	for _, k := range j.Keys() {
		if seen[k] && !slices.Contains(out, k) {
			out = append(out, k)
		}
		seen[k] = true
	}
	return out
}

// Set sets a member of an object and leaves every other byte of the value as it
// is. An absent value becomes an object. Of duplicate keys the last is set and
// the others are removed. It fails when the value is not an object or v does not
// encode.
func (j *JSON) Set(key string, v any) error {
	enc, ok := v.(JSON)
	if !ok {
		var err error
		if enc, err = ToJSON(v); err != nil {
			return err
		}
	}
	if j.text == "" {
		j.text = "{}"
	}
	if !j.isObject() {
		return fmt.Errorf("set %q: the value is not a JSON object", key)
	}
	j.text = setMember(j.text, key, enc.text)
	return nil
}

// SetString is Set for a string. It reports whether the value is an object and so
// could be changed.
func (j *JSON) SetString(key, s string) bool { return j.Set(key, s) == nil }

// Delete removes a member and leaves the rest as it is.
func (j *JSON) Delete(key string) {
	if j.isObject() {
		j.text = deleteMembers(j.text, key, 0)
	}
}

// Rename gives a member another key and leaves its place and its value as they are.
// It does nothing when there is no such member or the new key is taken.
func (j *JSON) Rename(key, to string) {
	if !j.isObject() || j.Has(to) {
		return
	}
	for m := range members(j.text) {
		if m.keyIs(key) {
			name, _ := jsontext.AppendQuote(nil, to)
			j.text = j.text[:m.start] + string(name) + j.text[m.start+len(m.rawName):]
			return
		}
	}
}

// Merge applies a shallow patch: each member of patch is set as it stands, and a
// null removes the member. Keys are literal, never paths.
func (j *JSON) Merge(patch JSON) error {
	if !patch.isObject() {
		return fmt.Errorf("merge: the patch is not a JSON object")
	}
	for m := range members(patch.text) {
		if m.value == "null" {
			j.Delete(m.name())
			continue
		}
		if err := j.Set(m.name(), JSON{m.value}); err != nil {
			return err
		}
	}
	return nil
}

func (j JSON) isObject() bool {
	return len(j.text) >= 2 && j.text[0] == '{' && j.Valid()
}

// AppendTo appends the value to dst on one line: whitespace between tokens is
// removed when it holds a line break, and everything else stays as it is. Text
// that is not valid JSON is appended as a JSON string. An absent value is null.
func (j JSON) AppendTo(dst []byte) []byte {
	switch {
	case j.text == "":
		return append(dst, "null"...)
	case !j.Valid():
		quoted, _ := jsontext.AppendQuote(dst, strings.ToValidUTF8(j.text, "\uFFFD"))
		return quoted
	case strings.ContainsAny(j.text, "\r\n"):
		v := jsontext.Value(j.text)
		if v.Compact(lenient...) == nil {
			return append(dst, v...)
		}
	}
	return append(dst, j.text...)
}

// MarshalJSONTo writes the value with its bytes kept.
func (j JSON) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(j.AppendTo(nil))
}

// UnmarshalJSONFrom reads the next value and keeps its bytes.
func (j *JSON) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	j.text = string(bytes.TrimSpace(v))
	return nil
}

// EncodeOptions are the options under which raw values keep their bytes; encode a
// structure that holds JSON values with them.
func EncodeOptions() json.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
		jsontext.PreserveRawStrings(true), json.Deterministic(true))
}
