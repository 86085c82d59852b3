package node

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// latin1 is bytes whose JSON form is a string of one character, U+0000 to
// U+00FF, for each.
type latin1 []byte

var (
	_ json.MarshalerTo     = latin1(nil)
	_ json.UnmarshalerFrom = (*latin1)(nil)
)

// MarshalJSONTo writes the string.
func (b latin1) MarshalJSONTo(enc *jsontext.Encoder) error {
	out := make([]byte, 0, len(b)+len(b)/4)
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return enc.WriteToken(jsontext.String(string(out)))
}

// UnmarshalJSONFrom reads the string; a character above U+00FF is an error.
func (b *latin1) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() == 'n' {
		*b = nil
		return nil
	}
	if token.Kind() != '"' {
		return &Error{Name: "TypeError", Code: "ERR_INVALID_ARG_TYPE", Message: "bytes must be a string"}
	}
	text := token.String()
	out := make(latin1, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return &Error{Name: "TypeError", Code: "ERR_INVALID_ARG_VALUE", Message: "bytes must be characters up to U+00FF"}
		}
		out = append(out, byte(r))
	}
	*b = out
	return nil
}
