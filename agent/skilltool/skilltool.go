// Package skilltool lets a model load skills: it is shown their names and
// descriptions, and asks for the one that it needs.
package skilltool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/recipe"
	"github.com/hookline-dev/hookline/skill"
)

const schema = `{"type":"object","properties":{
"skill":{"type":"string","minLength":1,"description":"The name of the skill."},
"args":{"type":"string","description":"What the skill is to be used for."}
},"required":["skill"],"additionalProperties":false}`

// Options say what the tool works with. The zero value does without.
type Options struct {
	// Use is told of a skill that the model loads, and returns the allow rules that it
	// brings while it is in force; on an error it is not loaded. Nil grants nothing,
	// whatever a skill says.
	Use func(s *skill.Skill) ([]permission.Rule, error)
}

// New returns the tool for a set of skills, nil when there is none that the model may use.
func New(set *skill.Set, o Options) tool.Tool {
	active := slices.DeleteFunc(set.Active(), func(s *skill.Skill) bool { return s.PersonOnly })
	if len(active) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("Loads a skill: instructions for a kind of work, and files that go with them. Load the one that fits before you begin. The skills:")
	for _, s := range active {
		fmt.Fprintf(&b, "\n- %s: %s", s.Name, s.Summary())
	}
	return &skillTool{set: set, description: b.String(), opts: o}
}

type skillTool struct {
	set         *skill.Set
	description string
	opts        Options
}

func (t *skillTool) Name() string           { return "Skill" }
func (t *skillTool) Description() string    { return t.description }
func (t *skillTool) Schema() jsontext.Value { return jsontext.Value(schema) }
func (t *skillTool) ReadOnly() bool         { return true }

// Run has the model told the skill's text and the names of its files.
func (t *skillTool) Run(ctx context.Context, in tool.Input) (tool.Result, error) {
	asked := hook.RawJSON(in.JSON)
	s, err := t.set.Lookup(asked.String("skill"))
	if err != nil {
		return tool.Result{}, err
	}
	if s.PersonOnly {
		return tool.Result{}, fmt.Errorf("the skill %s is for people only: who wants it types /%s; do not do its work by other means", s.Name, s.Name)
	}
	text, err := Text(ctx, s, asked.String("args"))
	if err != nil {
		return tool.Result{}, err
	}
	response, err := json.Marshal(used{true, s.Name, s.AllowedTools})
	if err != nil {
		return tool.Result{}, fmt.Errorf("encoding the skill: %w", err)
	}
	out := tool.Result{Content: []model.Block{model.Text("The skill " + s.Name + " is loaded; its text follows.")}, Response: response, Then: text}
	if t.opts.Use != nil {
		out.Granted, err = t.opts.Use(s)
	}
	return out, err
}

// used is what hooks see of a skill that was loaded.
type used struct {
	Success      bool     `json:"success"`
	CommandName  string   `json:"commandName"`
	AllowedTools []string `json:"allowedTools,omitempty"`
}

// Text is what the model is told of a skill that is loaded: its text with the arguments,
// its place and the names of its files. The error is one of reading its directory.
func Text(ctx context.Context, s *skill.Skill, args string) (string, error) {
	files, truncated, err := s.Resources(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The skill %s, whose files are in %s.\n\n%s", s.Name, s.Dir, strings.TrimSpace(recipe.FillArguments(s.Body, args)))
	for i, f := range files {
		if i == 0 {
			b.WriteString("\n\nFiles:")
		}
		fmt.Fprintf(&b, "\n- %s (%d bytes)", f.Path, f.Size)
	}
	if truncated {
		b.WriteString("\n(There are more.)")
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD"), nil
}
