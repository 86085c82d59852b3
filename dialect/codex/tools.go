package codex

import (
	"fmt"

	"github.com/hookline-dev/hookline/dialect/internal/patch"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// names are the host's names of tools. Their inputs are patches.
var names = vocab.Vocabulary{
	{Canonical: "Write", Dialect: patch.Tool}, {Canonical: "Edit", Dialect: patch.Tool}, {Canonical: "MultiEdit", Dialect: patch.Tool},
}

// tools translates calls that change files into patches. A patch stays one when it comes
// from the host, until its codec makes calls of it.
type tools struct{}

// Out writes a call that changes a file as a patch.
func (tools) Out(name string, input hook.JSON) (string, hook.JSON) {
	if names.DialectName(name) != patch.Tool {
		return name, input
	}
	if input.IsZero() {
		return patch.Tool, input
	}
	return patch.Tool, hook.MustJSON(map[string]string{"command": patch.Of(name, input)})
}

// In leaves a call as it is.
func (tools) In(name string, input hook.JSON) (string, hook.JSON) { return name, input }

// rewritten reads what a hook of the dialect makes of a tool's input.
func rewritten(in hook.Input, v hook.JSON) (hook.JSON, error) {
	tool := in.Subject()
	command, _ := v.Get("command")
	text, isString := command.AsString()
	switch {
	case names.DialectName(tool) != patch.Tool:
		if (tool == "Bash" || tool == patch.Tool) && !isString {
			return v, fmt.Errorf("it needs a string command")
		}
		return v, nil
	case !isString:
		return v, fmt.Errorf("it needs a patch in command")
	}
	kind, input, err := patch.One(text)
	if err != nil {
		return v, err
	}
	if kind != tool {
		return v, fmt.Errorf("the patch is a %s, the call a %s", kind, tool)
	}
	return input, nil
}
