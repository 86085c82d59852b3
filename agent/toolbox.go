package agent

import (
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/internal/toolrule"
	"github.com/hookline-dev/hookline/permission"
)

// toolbox is the tools of an agent, and which of them the model is offered. Any goroutine
// may call it; it calls nothing of the agent's but the sources of tools.
type toolbox struct {
	given   []tool.Tool // as configured, which is what subagents are given
	fixed   []tool.Tool // those and the agent's own
	sources []ToolSource

	mu         sync.Mutex         // guards what follows
	active     []string           // names of the tools that the model is offered, nil for all
	defined    []model.Tool       // what the model is told about fixed, once it was
	validators map[string]checked // of tools that don't check inputs themselves, by name
}

// all returns all tools, active or not: a source's in the place of one of the same name, and
// the first source's of each name.
func (t *toolbox) all() []tool.Tool {
	var more []tool.Tool
	for _, s := range t.sources {
		more = append(more, s.Tools()...)
	}
	more = distinct(more)
	all := slices.Clone(t.fixed)
	for i, one := range all {
		if j := slices.IndexFunc(more, func(m tool.Tool) bool { return m.Name() == one.Name() }); j >= 0 {
			all[i] = more[j]
			more = slices.Delete(more, j, j+1)
		}
	}
	return append(all, more...)
}

// offered returns the tools that the model is offered.
func (t *toolbox) offered() []tool.Tool {
	active := t.limits()
	switch {
	case active != nil:
		return filterTools(t.all(), func(name string) bool { return slices.Contains(active, name) })
	case len(t.sources) > 0:
		return t.all()
	}
	return t.fixed
}

// limit has the model offered the tools of these names only; nil lifts the limit.
func (t *toolbox) limit(names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active = slices.Clone(names)
}

// limits are the names of the tools that the model is offered, nil for all.
func (t *toolbox) limits() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.active
}

// definitions tells the model about the tools that it is offered. Where these never change
// it is made once.
func (t *toolbox) definitions() []model.Tool {
	if len(t.sources) > 0 || t.limits() != nil {
		return define(t.offered())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.defined == nil {
		t.defined = define(t.fixed)
	}
	return t.defined
}

func define(tools []tool.Tool) []model.Tool {
	out := make([]model.Tool, 0, len(tools))
	for _, t := range tools {
		out = append(out, tool.Definition(t))
	}
	return out
}

// checked is a compiled schema.
type checked struct {
	schema    string
	validator *tool.Validator
}

// check reports whether an input fits the schema of a tool, which is known to the model by
// a name.
func (t *toolbox) check(name string, of tool.Tool, input jsontext.Value) error {
	if own, ok := of.(tool.Checker); ok {
		return own.Check(input)
	}
	schema := of.Schema()
	t.mu.Lock()
	known, ok := t.validators[name]
	t.mu.Unlock()
	if !ok || known.schema != string(schema) {
		v, err := tool.NewValidator(name, schema)
		if err != nil {
			return err
		}
		known = checked{string(schema), v}
		t.mu.Lock()
		if t.validators == nil {
			t.validators = map[string]checked{}
		}
		t.validators[name] = known
		t.mu.Unlock()
	}
	return known.validator.Check(input)
}

// distinct returns the first tool of each name.
func distinct(all []tool.Tool) []tool.Tool {
	seen := make(map[string]bool, len(all))
	out := make([]tool.Tool, 0, len(all))
	for _, t := range all {
		if !seen[t.Name()] {
			seen[t.Name()] = true
			out = append(out, t)
		}
	}
	return out
}

func filterTools(tools []tool.Tool, offers func(name string) bool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t tool.Tool) bool { return !offers(t.Name()) })
}

// filtered is a source with some of its tools.
type filtered struct {
	ToolSource
	offers func(name string) bool
}

func (f filtered) Tools() []tool.Tool { return filterTools(f.ToolSource.Tools(), f.offers) }

func filterSources(sources []ToolSource, offers func(name string) bool) []ToolSource {
	var out []ToolSource
	for _, s := range sources {
		out = append(out, filtered{s, offers})
	}
	return out
}

// Tools returns the tools that the model is offered: those of AllTools that are active.
func (a *Agent) Tools() []tool.Tool { return a.tools.offered() }

// AllTools returns all tools, active or not: a source's in the place of one of the
// same name, and the first source's of each name.
func (a *Agent) AllTools() []tool.Tool { return a.tools.all() }

// SetActiveTools limits what the model is offered to the tools of these names, from
// the next model call on; nil lifts the limit.
func (a *Agent) SetActiveTools(names []string) { a.tools.limit(names) }

// readOnly reports whether a call changes nothing: that of a tool which never does, or a
// shell command that is known to read only.
func (r *run) readOnly(c *toolCall) bool {
	if c.tool == nil || c.tool.ReadOnly() || !toolrule.IsShell(c.block.Name) {
		return c.tool != nil && c.tool.ReadOnly()
	}
	judge, ok := r.cfg.Permission.(ReadOnlyJudge)
	return ok && judge.ReadsOnly(permission.Request{Tool: c.block.Name, Input: c.input, Cwd: r.Dir(), Root: r.Root()})
}

// check reports whether the input of a call fits the tool's schema.
func (r *run) check(c *toolCall) error {
	return r.tools.check(c.block.Name, c.tool, jsontext.Value(c.input.Raw()))
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
