package patch

import (
	"fmt"
	"path/filepath"

	"github.com/hookline-dev/hookline/hook"
)

// Tool is the tool that takes patches.
const Tool = "apply_patch"

// Splitter takes calls of apply_patch apart, as a dialect.Splitter.
type Splitter struct {
	// Key is the member of the tool's input that is the patch.
	Key string
}

// Split returns a call for each file of a patch; nil for another tool.
func (c Splitter) Split(in hook.Input) (out []hook.Input) {
	tool, input := CallOf(in)
	if tool != Tool {
		return nil
	}
	for _, one := range changes(input.String(c.Key)) {
		tools, inputs := one.calls(in.Base().CWD)
		for i := range tools {
			out = append(out, withCall(in, tools[i], inputs[i]))
		}
	}
	return out
}

// Join returns the patch that does what the calls do as hooks left them: what they did not
// touch stays as it was. A change that a patch cannot make is an error.
func (c Splitter) Join(in hook.Input, calls []hook.Input) (hook.JSON, error) {
	_, input := CallOf(in)
	list, at := changes(input.String(c.Key)), 0
	for i := range list {
		tools, inputs := list[i].calls(in.Base().CWD)
		for k := range tools {
			if at >= len(calls) {
				return hook.JSON{}, fmt.Errorf("join a patch: it has more than %d files", len(calls))
			}
			tool, now := CallOf(calls[at])
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
	if err := out.Set(c.Key, patchOf(list...)); err != nil {
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

// CallOf is the tool call that an event is about, of a call that has not failed.
func CallOf(in hook.Input) (tool string, input hook.JSON) {
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
