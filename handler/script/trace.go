package script

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/handler/script/internal/vm"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// Names of the scripts in stack traces.
const (
	bundleName  = "hookline:module"
	runtimeName = "hookline:runtime"
)

var bundleFrame = lazyregexp.New(`^\s*at (?:(.*) \()?` + bundleName + `(?:/\d+)?:(\d+)(?::(\d+))?\)?$`)

// jsError turns an exception into an Error whose places are those of the
// module's own files.
func (i *instance) jsError(name, message, code, stack string) *Error {
	e := &Error{Name: name, Message: message, Code: code}
	var lines []string
	for line := range strings.Lines(stack) {
		text, pos, ok := i.m.bundle.frame(strings.TrimRight(line, "\r\n"))
		if !ok {
			continue // the runtime and the engine themselves
		}
		if e.Position.File == "" {
			e.Position = pos
		}
		lines = append(lines, text)
	}
	e.Stack = strings.Join(lines, "\n")
	return e
}

// frame translates a line of a stack trace to the module's own files; ok is
// false when the line is none of them.
func (b *bundle) frame(line string) (text string, pos Position, ok bool) {
	g := bundleFrame.Get().FindStringSubmatch(line)
	if g == nil {
		return "", pos, false
	}
	row, _ := strconv.Atoi(g[2])
	col, _ := strconv.Atoi(g[3])
	pos, ok = b.positions.find(row, col)
	if !ok || strings.HasPrefix(pos.File, virtualPrefix) || filepath.Base(pos.File) == entryFile {
		return "", pos, false
	}
	if g[1] == "" || g[1] == "<anonymous>" {
		return "    at " + pos.String(), pos, true
	}
	return "    at " + g[1] + " (" + pos.String() + ")", pos, true
}

var anyFrame = lazyregexp.New(`^\s*at .*\b(` + bundleName + `|` + runtimeName + `|native\b)`)

// readable translates the stack traces in what a module printed.
func (b *bundle) readable(text string) string {
	if !strings.Contains(text, virtualPrefix) {
		return text
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if !anyFrame.Get().MatchString(line) {
			lines = append(lines, line)
		} else if frame, _, ok := b.frame(line); ok {
			lines = append(lines, frame)
		}
	}
	return strings.Join(lines, "\n")
}

// loadError turns the failure of a module's first run into a LoadError.
func (i *instance) loadError(err error) error {
	if errors.Is(err, errClosed) {
		return err
	}
	p := diag.Diagnostic{Path: i.m.path, Message: err.Error()}
	if js, ok := errors.AsType[*Error](err); ok {
		if js.Position.File != "" {
			p.Path, p.Line, p.Column = js.Position.File, js.Position.Line, js.Position.Column
		}
		p.Message = js.Message
		if js.Name != "" && js.Name != "Error" {
			p.Message = js.Name + ": " + js.Message
		}
	}
	return &LoadError{Path: i.m.path, Problems: []diag.Diagnostic{p}, Err: err}
}

func isMemoryError(e jsException) bool { return vm.IsOutOfMemory(e.Name, e.Message) }

func memoryError(e jsException) error {
	return &vm.Error{Name: e.Name, Message: e.Message, Stack: e.Stack}
}
