package jsonx

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrorText puts an error of decoding JSON into the words of those who write the JSON,
// such as "/blocked must be true or false, not a string": the decoder speaks of types
// of Go. Errors of other kinds keep their text.
func ErrorText(err error) string {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		text := strings.TrimPrefix(e.Err.Error(), "jsontext: ")
		if e.JSONPointer != "" {
			text += fmt.Sprintf(" in %s", e.JSONPointer)
		}
		if e.ByteOffset > 0 {
			text += fmt.Sprintf(" (behind byte %d)", e.ByteOffset)
		}
		return text
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case !ok:
		return err.Error()
	case errors.Is(e.Err, json.ErrUnknownName):
		return fmt.Sprintf("there is no member %q", e.JSONPointer.LastToken())
	case e.GoType == nil || e.JSONKind == 0:
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	what := string(e.JSONPointer)
	if what == "" {
		what = "it"
	}
	text := fmt.Sprintf("%s must be %s, not %s", what, wanted(e.GoType), kind(e.JSONKind))
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "another value"
}

func kind(k jsontext.Kind) string {
	switch k {
	case '{', '}':
		return "an object"
	case '[', ']':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "this number"
	case 'n':
		return "null"
	}
	return "true or false"
}
