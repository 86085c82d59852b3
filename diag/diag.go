package diag

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Severity says how bad a diagnostic is. The zero value is an error.
type Severity uint8

// The severities.
const (
	Error   Severity = iota // something was not loaded
	Warning                 // it was loaded, and probably does not do what was meant
	Info                    // worth knowing
)

// String returns error, warning or info.
func (s Severity) String() string {
	switch s {
	case Warning:
		return "warning"
	case Info:
		return "info"
	}
	return "error"
}

// MarshalText returns the severity's word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Diagnostic is one fault or remark.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	// Path is the file, as it was named by whoever asked to read it.
	Path string `json:"path,omitzero"`
	// Line and Column count from 1; 0 is unknown. A column counts characters.
	Line   int `json:"line,omitzero"`
	Column int `json:"column,omitzero"`
	// Pointer is the JSON pointer (RFC 6901) of the value, "" for the whole file.
	Pointer string `json:"pointer,omitzero"`
	// Message says what is wrong, Remedy what to do about it.
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitzero"`
}

// Position returns "path:line:column", without what is unknown.
func (d Diagnostic) Position() string {
	parts := []string{}
	if d.Path != "" {
		parts = append(parts, d.Path)
	}
	if d.Line > 0 {
		parts = append(parts, strconv.Itoa(d.Line))
		if d.Column > 0 {
			parts = append(parts, strconv.Itoa(d.Column))
		}
	}
	return strings.Join(parts, ":")
}

// String returns "path:line:column: message", without what is unknown.
func (d Diagnostic) String() string {
	if at := d.Position(); at != "" {
		return at + ": " + d.Message
	}
	return d.Message
}

// Error returns "path:line:column: message; remedy", without what is unknown, so that
// a pointer to a diagnostic can be an error.
func (d *Diagnostic) Error() string {
	if d.Remedy != "" {
		return d.String() + "; " + d.Remedy
	}
	return d.String()
}

// joined is an error of several, as errors.Join makes it.
type joined interface{ Unwrap() []error }

// In lists the diagnostics that are joined in an error. What is no diagnostic becomes one
// without a place.
func In(err error) []Diagnostic {
	if err == nil {
		return nil
	}
	if many, ok := err.(joined); ok {
		var out []Diagnostic
		for _, one := range many.Unwrap() {
			out = append(out, In(one)...)
		}
		return out
	}
	if d, ok := err.(*Diagnostic); ok {
		return []Diagnostic{*d}
	}
	return []Diagnostic{{Message: err.Error()}}
}

// HasErrors reports whether one of the diagnostics is an error.
func HasErrors(list []Diagnostic) bool {
	return slices.ContainsFunc(list, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort orders diagnostics by file, line and column, and keeps the order of those
// at the same place.
func Sort(list []Diagnostic) {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
