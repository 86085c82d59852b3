package acpproxy

import (
	"cmp"
	"fmt"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// ended is what came of a call.
type ended struct {
	response hook.JSON
	failed   bool
	problem  string // of one that failed
	// replaceable says that the agent is yet to read the response.
	replaceable bool
}

// post fires PostToolUse or PostToolUseFailure. It returns what hooks put in the place of
// the output, absent when they leave it. The agent has no place for more at once: it is told
// the rest with its next prompt.
func (s *session) post(t *tool, end ended) (hook.JSON, error) {
	var in hook.Input
	var cell *hook.JSON
	if end.failed {
		one := &hook.PostToolUseFailure{ToolName: t.name, ToolInput: t.input, ToolUseID: t.id, Error: end.problem, ToolResponse: end.response, OriginalToolInput: t.original}
		in, cell = one, &one.ToolResponse
	} else {
		one := &hook.PostToolUse{ToolName: t.name, ToolInput: t.input, ToolUseID: t.id, ToolResponse: end.response, OriginalToolInput: t.original}
		in, cell = one, &one.ToolResponse
	}
	wrote := hook.FieldDeny
	if end.replaceable {
		wrote |= hook.FieldUpdatedOutput
	}
	out, err := s.fire(s.p.ctx, in, wrote)
	if err != nil {
		return hook.JSON{}, fmt.Errorf("%s has run, and the hooks that guard its result could not be asked: %w", t.name, err)
	}
	if out.Decision == hook.DecisionDeny && out.Reason != "" {
		s.note(fmt.Sprintf("%v hook blocking error: %s", out.Event, out.Reason))
	}
	switch {
	case !out.UpdatedOutput.IsZero():
		return out.UpdatedOutput, nil
	case *cell != end.response:
		return *cell, nil
	}
	return hook.JSON{}, nil
}

// failedWith shows hooks that a request failed.
func (c *call) failedWith(m *jsonrpc.Message) []byte {
	problem := cmp.Or(m.Content().String("message"), "the editor answered with an error")
	if _, err := c.session.post(&c.tool, ended{response: m.Content(), failed: true, problem: problem}); err != nil {
		return c.refuse(err.Error())
	}
	return m.Raw
}

// afterRead shows hooks what the agent is about to read.
func afterRead(_ *proxy, c *call, m *jsonrpc.Message) []byte {
	if m.Failed {
		return c.failedWith(m)
	}
	result := m.Content()
	response := hook.MustJSON(map[string]any{"type": "text", "file": map[string]string{
		"filePath": c.tool.input.String("file_path"), "content": result.String("content"),
	}})
	changed, err := c.session.post(&c.tool, ended{response: response, replaceable: true})
	switch {
	case err != nil:
		return c.refuse(err.Error())
	case changed.IsZero():
		return m.Raw
	}
	if file, ok := changed.Get("file"); ok {
		changed = file
	}
	if err := result.Set("content", textOf(changed, "content")); err != nil {
		return c.refuse("the file cannot be put together with what hooks made of it: " + err.Error())
	}
	return m.With(result)
}

// textOf is an output of hooks as text: a text, the first of some members that is one, or
// else its JSON.
func textOf(output hook.JSON, members ...string) string {
	text, ok := output.AsString()
	for _, key := range members {
		if !ok {
			v, _ := output.Get(key)
			text, ok = v.AsString()
		}
	}
	if !ok {
		return output.Raw()
	}
	return text
}

// afterWrite shows hooks that the agent has written a file.
func afterWrite(_ *proxy, c *call, m *jsonrpc.Message) []byte {
	if m.Failed {
		return c.failedWith(m)
	}
	response := hook.MustJSON(map[string]string{"filePath": c.tool.input.String("file_path"), "content": c.tool.input.String("content")})
	if _, err := c.session.post(&c.tool, ended{response: response}); err != nil {
		return c.refuse(err.Error())
	}
	return m.Raw
}

// terminal is one of the editor that runs a command for the agent.
type terminal struct {
	tool tool
	// What the editor said of it last, and what the agent got, which it gets again for the same.
	said, passed hook.JSON
}

// afterTerminal remembers what a terminal runs.
func afterTerminal(_ *proxy, c *call, m *jsonrpc.Message) []byte {
	if m.Failed {
		return c.failedWith(m)
	}
	id := m.Content().String("terminalId")
	c.session.passes(id)
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.terminals[id] = &terminal{tool: c.tool}
	return m.Raw
}

// afterTerminalOutput shows hooks what the agent is about to read of a terminal: each time
// that there is something new, since whatever is read may have to be changed.
func afterTerminalOutput(p *proxy, c *call, m *jsonrpc.Message) []byte {
	if m.Failed {
		return m.Raw
	}
	if err := p.of(c); err != nil {
		return c.refuse(err.Error())
	}
	s, id := c.session, c.params.String("terminalId")
	s.mu.Lock()
	t := s.terminals[id]
	if t == nil { // made before the proxy knew the session
		t = &terminal{tool: tool{id: id, name: "Bash", input: hook.RawJSON("{}")}}
		s.terminals[id] = t
	}
	same := t.said == m.Content()
	passed := t.passed
	s.mu.Unlock()
	if same {
		return m.With(passed)
	}
	result := m.Content()
	exit, _ := result.Get("exitStatus")
	code, over := exit.Int("exitCode")
	response := map[string]any{"stdout": result.String("output"), "stderr": "", "interrupted": exit.String("signal") != ""}
	if over {
		response["exitCode"] = code
	}
	changed, err := s.post(&t.tool, ended{
		response: hook.MustJSON(response), replaceable: true,
		failed: over && code != 0, problem: fmt.Sprintf("Exit code %d\n%s", code, result.String("output")),
	})
	if err == nil && !changed.IsZero() {
		err = result.Set("output", textOf(changed, "stdout", "output")+changed.String("stderr"))
	}
	if err != nil {
		return c.refuse(err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.said, t.passed = m.Content(), result
	return m.With(result)
}
