package claude

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// HandlerType is the type of a hook.
type HandlerType string

// The types.
const (
	TypeCommand HandlerType = "command"
	TypeHTTP    HandlerType = "http"
	TypeMCPTool HandlerType = "mcp_tool"
	TypePrompt  HandlerType = "prompt"
	TypeAgent   HandlerType = "agent"
	// TypeWorker is an addition of ours: a program that stays and answers many calls.
	TypeWorker HandlerType = "worker"
)

// typeRow is what there is to know of a type beside its members, which handlerFields has.
type typeRow struct {
	name HandlerType
	// line says for people what an entry runs, and label names it by that.
	line, label func(e *Entry) string
	// timeout is how long one may take when its file does not say; 0 is as for commands.
	timeout time.Duration
	// model says that only some events may ask a model.
	model bool
	// handler makes the handler of an entry.
	handler func(b *Builder, e *Entry, in surroundings) (hook.Handler, error)
}

// surroundings are what a handler needs to know of its entry's file.
type surroundings struct {
	file  *Settings
	set   *fileSet
	codec *Codec
	label string // the entry's
}

// typeTable has a row for each type. It is written once, here, and never changed.
var typeTable = []typeRow{
	{name: TypeCommand, line: commandLine, label: commandLine, handler: (*Builder).command},
	{name: TypeHTTP, line: func(e *Entry) string { return "POST " + e.URL }, label: func(e *Entry) string { return redacted(e.URL) }, handler: (*Builder).request},
	{name: TypeMCPTool, line: serverTool, label: serverTool, handler: (*Builder).tool},
	{name: TypePrompt, line: promptText, label: promptText, timeout: 30 * time.Second, model: true, handler: (*Builder).question},
	{name: TypeAgent, line: promptText, label: promptText, timeout: 60 * time.Second, model: true, handler: (*Builder).question},
	{name: TypeWorker, line: commandLine, label: commandLine, handler: (*Builder).worker},
}

// row returns what there is to know of a type, nil when there is no such type.
func (t HandlerType) row() *typeRow {
	i := slices.IndexFunc(typeTable, func(r typeRow) bool { return r.name == t })
	if i < 0 {
		return nil
	}
	return &typeTable[i]
}

func typeNames() []string {
	out := make([]string, len(typeTable))
	for i, r := range typeTable {
		out[i] = string(r.name)
	}
	return out
}

// line says for people what the entry runs.
func (e *Entry) line() string {
	if k := e.Type.row(); k != nil {
		return k.line(e)
	}
	return ""
}

// startsProgram reports whether the entry has a command, whose files approval covers.
func (e *Entry) startsProgram() bool { return slices.Contains(ofProgram, e.Type) }

func commandLine(e *Entry) string { return strings.Join(append([]string{e.Command}, e.Args...), " ") }

func serverTool(e *Entry) string { return e.Server + "/" + e.Tool }

func promptText(e *Entry) string { return e.Prompt }

// redacted returns a URL without its user and password.
func redacted(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "a URL"
	}
	u.User = nil
	return u.String()
}
