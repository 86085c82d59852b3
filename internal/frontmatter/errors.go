package frontmatter

import (
	"fmt"
	"strings"
)

// Error is a fault at one place of a file.
type Error struct {
	File    string // as given to Split
	Line    int    // from 1; 0 when the fault concerns the whole file
	Column  int    // from 1; 0 when only the line is known
	Message string
	Remedy  string // what to do about it; may be empty
}

// Error gives "file:line:column: message; remedy", leaving out what is unknown.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Position())
	b.WriteString(": ")
	b.WriteString(e.Message)
	if e.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(e.Remedy)
	}
	return b.String()
}

// Position gives "file:line:column", leaving out what is unknown.
func (e *Error) Position() string {
	switch {
	case e.Line == 0:
		return e.File
	case e.Column == 0:
		return fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	return fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
}
