package modulehost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// Runner runs the tools of a module. A *script.Module is one.
type Runner interface {
	RunTool(ctx context.Context, name, toolCallID string, input []byte, onUpdate func([]byte)) ([]byte, error)
}

// NewTool returns a tool of a module as the agent's. One with the name that a built-in
// tool has in the modules' vocabulary gets the name that it has here, and so do its
// parameters: rules and hooks for the one hold for the other.
func NewTool(m Runner, info script.ToolInfo, v vocab.Vocabulary) tool.Tool {
	t := &moduleTool{m: m, info: info, name: v.CanonicalName(info.Name)}
	t.fields = v.Renames(t.name)
	t.schema = jsontext.Value(`{"type":"object"}`)
	if len(info.Parameters) > 0 {
		t.schema = jsontext.Value(vocab.RenameParameters(hook.RawJSON(info.Parameters), back(t.fields)).Raw())
	}
	return t
}

// back is the way back of renames.
func back(renames [][2]string) (out [][2]string) {
	for _, r := range renames {
		out = append(out, [2]string{r[1], r[0]})
	}
	return out
}

type moduleTool struct {
	m      Runner
	info   script.ToolInfo
	name   string
	schema jsontext.Value
	fields [][2]string // the names of parameters here and in the module
}

var _ tool.Checker = (*moduleTool)(nil)

func (t *moduleTool) Name() string { return t.name }

func (t *moduleTool) Description() string {
	return strings.TrimSpace(strings.Join(append([]string{t.info.Description, t.info.PromptSnippet}, t.info.PromptGuidelines...), "\n"))
}

func (t *moduleTool) Schema() jsontext.Value { return t.schema }

func (t *moduleTool) ReadOnly() bool { return false }

// Check leaves arguments to the module: it may prepare them before it checks them, and
// takes a number that is written as a text.
func (t *moduleTool) Check(input jsontext.Value) error {
	if input.Kind() != '{' {
		return fmt.Errorf("invalid input for %s: it is not an object", t.name)
	}
	return nil
}

// Run runs the tool: its content is for the model, all of it for hooks.
func (t *moduleTool) Run(ctx context.Context, in tool.Input) (tool.Result, error) {
	input := hook.RawJSON(in.JSON)
	for _, f := range t.fields {
		input.Rename(f[0], f[1])
	}
	onUpdate, end := passOn(in.Progress)
	raw, err := t.m.RunTool(ctx, t.info.Name, in.ID, []byte(input.Raw()), onUpdate)
	end()
	if thrown, ok := errors.AsType[*script.Error](err); ok && thrown.Message != "" {
		return tool.Result{}, errors.New(thrown.Message) // the tool's own words for the model
	}
	if err != nil {
		return tool.Result{}, err
	}
	result := hook.RawJSON(raw)
	if result.Bool("isError") {
		return tool.Result{Response: jsontext.Value(raw)}, errors.New(textOf(result))
	}
	return tool.Result{Content: contentOf(result), Response: jsontext.Value(raw), Last: result.Bool("terminate")}, nil
}

// passOn hands what a tool reports to who wants to know, in a goroutine of its own: it
// may be the module itself, which waits in its call. end waits until all is told.
func passOn(progress func(string, jsontext.Value)) (onUpdate func([]byte), end func()) {
	if progress == nil {
		return nil, func() {}
	}
	var mu sync.Mutex
	var waiting []hook.JSON
	ended := false
	more, told := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(told)
		for range more {
			mu.Lock()
			partials := waiting
			waiting = nil
			mu.Unlock()
			for _, p := range partials {
				progress(textOf(p), jsontext.Value(p.Raw()))
			}
		}
	}()
	return func(partial []byte) {
			mu.Lock()
			defer mu.Unlock()
			if ended {
				return
			}
			if waiting = append(waiting, hook.RawJSON(partial)); len(waiting) == 1 {
				more <- struct{}{} // there is room: the last one was taken before the list was emptied
			}
		}, func() {
			mu.Lock()
			ended = true
			close(more)
			mu.Unlock()
			<-told
		}
}

// contentOf is what the model gets of a module's result: its text, and its pictures where there are some.
func contentOf(result hook.JSON) []model.Block {
	var blocks []hook.JSON
	content, _ := result.Get("content")
	_ = content.Decode(&blocks) // what is not a list has no pictures
	isPicture := func(b hook.JSON) bool { return b.String("type") == "image" && b.String("data") != "" }
	if !slices.ContainsFunc(blocks, isPicture) {
		return []model.Block{model.Text(textOf(result))}
	}
	var out []model.Block
	for _, b := range blocks {
		if isPicture(b) {
			out = append(out, model.Block{Type: model.ImageBlock, Source: &model.Image{Type: "base64", MediaType: cmp.Or(b.String("mimeType"), "image/png"), Data: b.String("data")}})
		} else if text := b.String("text"); text != "" {
			out = append(out, model.Text(text))
		}
	}
	return out
}

// textOf is the text of a module's result.
func textOf(result hook.JSON) string {
	content, ok := result.Get("content")
	if !ok {
		content = result
	}
	if s := (hook.Message{Content: content}).Text(); s != "" {
		return s
	}
	return content.Raw()
}
