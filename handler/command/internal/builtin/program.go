package builtin

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Lang is the shell that a script was written for.
type Lang uint8

// The shells. In Sh, what only bash has is unsupported, and echo expands backslashes.
const (
	Sh Lang = iota
	Bash
)

// String returns "sh" or "bash".
func (l Lang) String() string {
	if l == Bash {
		return "bash"
	}
	return "sh"
}

// Program is a script that was read. It is not changed by running and may run several
// times at once. The files of scripts that it calls are kept with it once read, as are
// the filters of jq.
type Program struct {
	// Memory is how much this process may grow while the program runs, in bytes; 0 is
	// DefaultMemory. Set it before the first run.
	Memory uint64

	file *syntax.File
	lang Lang
	line bool     // it is what a shell got by -c
	call []string // the words of a line that only calls a script
	kept *cache
}

// UnsupportedError says that a script needs a real shell.
type UnsupportedError struct {
	// What is missing, in a few words, and the Line on which it is needed, from 1.
	What string
	Line uint
}

// Error names what is missing.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the built-in shell has no %s (line %d)", e.What, e.Line)
}

// Parse reads the line that a shell would get by its option -c. The error is an
// *UnsupportedError, or says what is wrong with the syntax; a real shell is then the
// one to report it.
func Parse(line string, lang Lang) (*Program, error) {
	return parse(line, lang.String(), lang, lineText, newKept())
}

// maxScript bounds the size of a script. How deep a script can nest, and how much
// stack reading it takes, depends on it.
const maxScript = 64 << 10

// form is where a script's text is from.
type form bool

const (
	fileText form = false
	lineText form = true
)

func parse(text, name string, lang Lang, from form, k *cache) (*Program, error) {
	if len(text) > maxScript {
		return nil, &UnsupportedError{What: "room for scripts of this size", Line: 1}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), name)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	line := from == lineText
	s := screen{lang: lang, line: line}
	if err := s.check(file); err != nil {
		return nil, err
	}
	p := &Program{file: file, lang: lang, line: line, kept: k}
	if p.call = scriptCall(file); line && len(p.call) > 0 && inProcess(p.call[0]) {
		p.call = nil
	}
	rewrite(file, s.declared)
	return p, nil
}
