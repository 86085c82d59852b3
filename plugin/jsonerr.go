package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/diag"
)

// jsonDiagnostic says where a JSON text is wrong, and what is wrong there.
func jsonDiagnostic(path string, data []byte, err error) diag.Diagnostic {
	offset, pointer, inner := int64(-1), jsontext.Pointer(""), error(nil)
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, pointer, inner = e.ByteOffset, e.JSONPointer, e.Err
	} else if e, ok := errors.AsType[*json.SemanticError](err); ok {
		offset, pointer, inner = e.ByteOffset, e.JSONPointer, e.Err
		if inner == nil {
			inner = fmt.Errorf("a value of the wrong type")
		}
	}
	if offset < 0 {
		return diag.Diagnostic{Path: path, Message: err.Error()}
	}
	before := data[:min(offset, int64(len(data)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	message := strings.TrimPrefix(inner.Error(), "jsontext: ")
	if pointer != "" {
		message = fmt.Sprintf("%s: %s", pointer, message)
	}
	return diag.Diagnostic{Path: path, Line: line, Column: column, Message: message}
}
