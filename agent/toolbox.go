package agent

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/permission/rule"
)

// readOnly reports whether a call changes nothing: that of a tool which never does, or a
// shell command that is known to read only.
func (r *run) readOnly(c *toolCall) bool {
	if c.tool == nil || c.tool.ReadOnly() || !rule.IsShell(c.block.Name) {
		return c.tool != nil && c.tool.ReadOnly()
	}
	p, ok := r.cfg.Permission.(interface {
		ReadsOnly(req permission.Request) bool
	})
	return ok && p.ReadsOnly(permission.Request{Tool: c.block.Name, Input: c.input, Cwd: r.Dir(), Root: r.Root()})
}

// checked is a compiled schema of a tool that doesn't check inputs itself.
type checked struct {
	schema    string
	validator *tool.Validator
}

// check reports whether the input of a call fits the tool's schema.
func (r *run) check(c *toolCall) error {
	input := jsontext.Value(c.input.Raw())
	if own, ok := c.tool.(tool.Checker); ok {
		return own.Check(input)
	}
	schema := c.tool.Schema()
	r.mu.Lock()
	known, ok := r.schemas[c.block.Name]
	r.mu.Unlock()
	if !ok || known.schema != string(schema) {
		v, err := tool.NewValidator(c.block.Name, schema)
		if err != nil {
			return err
		}
		known = checked{string(schema), v}
		r.mu.Lock()
		if r.schemas == nil {
			r.schemas = map[string]checked{}
		}
		r.schemas[c.block.Name] = known
		r.mu.Unlock()
	}
	return known.validator.Check(input)
}

// invalid explains an input that doesn't fit, and who wrote it.
func (c *toolCall) invalid(err error) string {
	text := err.Error()
	if !c.original.IsZero() {
		return text + " (a hook changed the input)"
	}
	if c.block.InputError != "" {
		text += ": " + c.block.InputError
	}
	return text
}
