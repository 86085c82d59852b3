package script

import (
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/handler/script/internal/vm"
)

// Names of the scripts in stack traces.
const (
	bundleName  = "hookline:module"
	runtimeName = "hookline:runtime"
)

var bundleFrame = regexp.MustCompile(`^\s*at (?:(.*) \()?` + bundleName + `(?:/\d+)?:(\d+)(?::(\d+))?\)?$`)

// jsError turns an exception into an Error whose places are those of the
// module's own files.
func (i *instance) jsError(name, message, code, stack string) *Error {
	e := &Error{Name: name, Message: message, Code: code}
	var lines []string
	for line := range strings.Lines(stack) {
		g := bundleFrame.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if g == nil {
			continue // the runtime and the engine themselves
		}
		row, _ := strconv.Atoi(g[2])
		col, _ := strconv.Atoi(g[3])
		pos, ok := i.m.bundle.positions.find(row, col)
		if !ok || strings.HasPrefix(pos.File, virtualPrefix) || filepath.Base(pos.File) == entryFile {
			continue
		}
		if e.Position.File == "" {
			e.Position = pos
		}
		if g[1] == "" || g[1] == "<anonymous>" {
			lines = append(lines, "    at "+pos.String())
		} else {
			lines = append(lines, "    at "+g[1]+" ("+pos.String()+")")
		}
	}
	e.Stack = strings.Join(lines, "\n")
	return e
}

// loadError turns the failure of a module's first run into a LoadError.
func (i *instance) loadError(err error) error {
	if errors.Is(err, ErrClosed) {
		return err
	}
	p := Problem{Position: Position{File: i.m.path}, Message: err.Error()}
	if js, ok := errors.AsType[*Error](err); ok {
		if js.Position.File != "" {
			p.Position = js.Position
		}
		p.Message = js.Message
		if js.Name != "" && js.Name != "Error" {
			p.Message = js.Name + ": " + js.Message
		}
	}
	return &LoadError{Path: i.m.path, Problems: []Problem{p}, Err: err}
}

func isMemoryError(e jsException) bool { return vm.IsOutOfMemory(e.Name, e.Message) }

func memoryError(e jsException) error {
	return &vm.Error{Name: e.Name, Message: e.Message, Stack: e.Stack}
}
