package agentsdk

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/permission"
)

// structuredTool is the tool that takes the model's answer.
const structuredTool = "StructuredOutput"

// maxReminders is how often the model is told in one prompt that its answer is still to come.
const maxReminders = 5

// NoAnswer is the subtype of a result without the answer that was to fit a schema.
const NoAnswer = "error_max_structured_output_retries"

// structured is an answer that has to fit a schema: the model gives it by calling a tool.
type structured struct {
	schema jsontext.Value

	mu        sync.Mutex
	output    jsontext.Value // of this prompt, nil before it came
	reminders int
}

// Answer has the agent's answers fit a JSON Schema, which is an object's: the result has them
// as structured_output. The first schema counts. Call it before the agent is made.
func (s *Stream) Answer(schema jsontext.Value, o *host.Options, ao *host.AgentOptions) error {
	if s.structured != nil {
		return nil
	}
	if _, err := tool.NewValidator(structuredTool, schema); err != nil {
		return fmt.Errorf("the schema of the answer: %w", err)
	}
	allow, err := permission.ParseRule(structuredTool)
	if err != nil {
		return err
	}
	s.structured = &structured{schema: schema}
	ao.Rules = append(ao.Rules, permission.Entry{Rule: allow, Behavior: permission.Allow, Scope: permission.ScopeCLI})
	change := ao.Change
	ao.Change = func(c *agent.Config) {
		if change != nil {
			change(c)
		}
		c.MainTools = append(c.MainTools, s.structured)
	}
	if o.Registry == nil {
		o.Registry = hook.NewRegistry()
	}
	hook.On(o.Registry, s.structured.remind, hook.Name("structured output"))
	return nil
}

// remind keeps the agent going that wants to stop without its answer.
func (s *structured) remind(_ context.Context, in *hook.Stop) (hook.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.output != nil || s.reminders >= maxReminders {
		return hook.None(), nil
	}
	s.reminders++
	return hook.Deny("Give your answer by calling " + structuredTool + "."), nil
}

// begin forgets the answer of the prompt before.
func (s *structured) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.output, s.reminders = nil, 0
}

// Name is what the model calls it.
func (s *structured) Name() string { return structuredTool }

// Description tells the model to call it once.
func (s *structured) Description() string {
	return "Takes your final answer, as the schema wants it. Call it once, when you are done."
}

// Schema is that of the answer.
func (s *structured) Schema() jsontext.Value { return s.schema }

// ReadOnly returns true: it changes nothing.
func (s *structured) ReadOnly() bool { return true }

// Run keeps the answer.
func (s *structured) Run(_ context.Context, in tool.Input) (tool.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.output = in.JSON.Clone()
	return tool.Result{Content: []model.Block{model.Text("The answer is taken.")}, Response: s.output, Last: true}, nil
}

// take puts the answer into a result, which without it has failed.
func (s *structured) take(r *Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.output != nil:
		r.Structured = s.output
	case r.Subtype == "success" && !r.IsError:
		r.Subtype, r.IsError = NoAnswer, true
		r.Reason = "the model did not give its answer by " + structuredTool
	}
}
