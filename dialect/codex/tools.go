package codex

import (
	"fmt"
	"path/filepath"

	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// applyPatch is the tool that changes files, several at once.
const applyPatch = "apply_patch"

// names are the host's names of tools. Their inputs are patches.
var names = vocab.Vocabulary{
	{Canonical: "Write", Dialect: applyPatch}, {Canonical: "Edit", Dialect: applyPatch}, {Canonical: "MultiEdit", Dialect: applyPatch},
}

// tools translates calls that change files into patches. A patch stays one when it comes
// from the host, until Split makes calls of it.
type tools struct{}

// Out writes a call that changes a file as a patch.
func (tools) Out(name string, input hook.JSON) (string, hook.JSON) {
	if names.DialectName(name) != applyPatch {
		return name, input
	}
	if input.IsZero() {
		return applyPatch, input
	}
	c := change{verb: updateFile, path: input.String("file_path")}
	switch {
	case name == "Write" && input.Bool("delete"):
		c.verb = deleteFile
	case name == "Write":
		c.verb, c.body = addFile, prefixed("+", input.String("content"))
	case name == "Edit":
		c.body = piece("", input.String("old_string"), input.String("new_string"))
	default:
		var edits []hook.JSON
		_ = member(input, "edits").Decode(&edits) // what is no list has no pieces
		for _, e := range edits {
			c.body = append(c.body, piece("", e.String("old_string"), e.String("new_string"))...)
		}
	}
	return applyPatch, hook.MustJSON(map[string]string{"command": patchOf(c)})
}

// In leaves a call as it is.
func (tools) In(name string, input hook.JSON) (string, hook.JSON) { return name, input }

// rewritten reads what a hook of the dialect makes of a tool's input.
func rewritten(in hook.Input, v hook.JSON) (hook.JSON, error) {
	tool, _ := callOf(in)
	patch, isString := member(v, "command").AsString()
	switch {
	case names.DialectName(tool) != applyPatch:
		if (tool == "Bash" || tool == applyPatch) && !isString {
			return v, fmt.Errorf("it needs a string command")
		}
		return v, nil
	case !isString:
		return v, fmt.Errorf("it needs a patch in command")
	}
	list := changes(patch)
	if len(list) != 1 || list[0].to != "" {
		return v, fmt.Errorf("the patch has %d changes: the call is for one file", len(list))
	}
	kind, input := list[0].call(list[0].path)
	if kind != tool {
		return v, fmt.Errorf("the patch is a %s, the call a %s", kind, tool)
	}
	return input, nil
}

// callOf is the tool call that an event is about.
func callOf(in hook.Input) (tool string, input hook.JSON) {
	switch in := in.(type) {
	case *hook.PreToolUse:
		return in.ToolName, in.ToolInput
	case *hook.PermissionRequest:
		return in.ToolName, in.ToolInput
	case *hook.PostToolUse:
		return in.ToolName, in.ToolInput
	}
	return "", hook.JSON{}
}

// withCall is an input with another call.
func withCall(in hook.Input, tool string, input hook.JSON) hook.Input {
	switch in := in.(type) {
	case *hook.PreToolUse:
		c := *in
		c.ToolName, c.ToolInput = tool, input
		return &c
	case *hook.PermissionRequest:
		c := *in
		c.ToolName, c.ToolInput = tool, input
		return &c
	case *hook.PostToolUse:
		c := *in
		c.ToolName, c.ToolInput = tool, input
		return &c
	}
	return in
}

// Split returns a call for each file of a patch; nil for another tool.
func (codec) Split(in hook.Input) (out []hook.Input) {
	tool, input := callOf(in)
	if tool != applyPatch {
		return nil
	}
	for _, c := range changes(input.String("command")) {
		tools, inputs := c.calls(in.Base().CWD)
		for i := range tools {
			out = append(out, withCall(in, tools[i], inputs[i]))
		}
	}
	return out
}

// Join returns the patch that does what the calls do as hooks left them: what they did not
// touch stays as it was. A change that a patch cannot make is an error.
func (codec) Join(in hook.Input, calls []hook.Input) (hook.JSON, error) {
	_, input := callOf(in)
	list, at := changes(input.String("command")), 0
	for i := range list {
		tools, inputs := list[i].calls(in.Base().CWD)
		for k := range tools {
			if at >= len(calls) {
				return hook.JSON{}, fmt.Errorf("join a patch: it has more than %d files", len(calls))
			}
			tool, now := callOf(calls[at])
			at++
			if tool != tools[k] {
				return hook.JSON{}, fmt.Errorf("join a patch: the call for %s is another tool's: %s", list[i].path, tool)
			}
			if now == inputs[k] {
				continue
			}
			var err error
			if list[i], err = list[i].changed(pathOf(in, &list[i], now), now); err != nil {
				return hook.JSON{}, fmt.Errorf("join a patch: %w", err)
			}
		}
	}
	out := input
	if err := out.Set("command", patchOf(list...)); err != nil {
		return hook.JSON{}, fmt.Errorf("join a patch: %w", err)
	}
	return out, nil
}

// pathOf is the path of a changed call as the patch writes it.
func pathOf(in hook.Input, c *change, input hook.JSON) string {
	path := input.String("file_path")
	if rel, err := filepath.Rel(in.Base().CWD, path); err == nil && filepath.IsLocal(rel) && !filepath.IsAbs(c.path) {
		return filepath.ToSlash(rel)
	}
	return path
}
