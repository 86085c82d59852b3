package builtin

import (
	"bytes"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// inputs are the values of jq's input: one after the other, all in one array, or none.
type inputs struct {
	call  *call
	query *query

	began   bool
	missing bool   // a file could not be read
	stdin   []byte // what was read of standard input
	nulls   bool
	dec     *jsontext.Decoder
	ended   bool
	file    string
}

// first returns what the filter is run on next.
func (in *inputs) first() (any, bool) {
	switch {
	case in.query.null:
		once := !in.nulls
		in.nulls = true
		return nil, once
	case in.query.slurp:
		if in.nulls {
			return nil, false
		}
		in.nulls = true
		all := []any{}
		for {
			v, more := in.Next()
			if err, bad := v.(error); bad {
				return err, true
			}
			if !more {
				return all, true
			}
			all = append(all, v)
		}
	}
	return in.Next()
}

// Next returns the next value of the input, for input and inputs too. An error ends it.
func (in *inputs) Next() (any, bool) {
	if !in.began {
		in.began = true
		in.open()
	}
	if in.ended {
		return nil, false
	}
	v, err := decode(in.dec)
	if err == nil {
		return v, true
	}
	in.ended = true
	if err == io.EOF {
		return nil, false
	}
	return err, true
}

// open reads all inputs at once; a value may begin in one file and end in the next.
func (in *inputs) open() {
	var all []byte
	in.missing = !in.call.each(in.query.files, func(name string, r io.Reader) error {
		b, err := io.ReadAll(r)
		all = append(all, b...)
		if name == "-" || name == "/dev/stdin" {
			in.stdin = append([]byte{}, b...)
		}
		in.file = name
		return err
	})
	in.dec = newDecoder(bytes.NewReader(all))
}

func (in *inputs) name() string {
	if in.file == "-" || in.file == "" {
		return "<stdin>"
	}
	return in.file
}

func newDecoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// decode reads one value in the types of gojq.
func decode(dec *jsontext.Decoder) (any, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return tok.Bool(), nil
	case '"':
		return tok.String(), nil
	case '0':
		return jqNumber(tok.String()), nil
	case '[':
		array := []any{}
		for dec.PeekKind() != ']' {
			v, err := decode(dec)
			if err != nil {
				return nil, err
			}
			array = append(array, v)
		}
		_, err := dec.ReadToken()
		return array, err
	}
	object := map[string]any{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if object[key], err = decode(dec); err != nil {
			return nil, err
		}
	}
	_, err = dec.ReadToken()
	return object, err
}

func jqNumber(s string) any {
	if !strings.ContainsAny(s, ".eE") {
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
		if n, ok := new(big.Int).SetString(s, 10); ok {
			return n
		}
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f
}
