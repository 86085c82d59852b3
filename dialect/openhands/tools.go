package openhands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// editor is one tool that reads, makes and changes files, by a member of its input.
const editor = "file_editor"

// editorCommands are the words of that member, with the tools that they stand for: the first
// one of a tool is what it is without more words.
var editorCommands = []struct{ word, tool string }{
	{"view", "Read"}, {"create", "Write"}, {"str_replace", "Edit"}, {"insert", "Edit"}, {"undo_edit", "Edit"},
}

// tools are a vocabulary, and the editor.
type tools struct{ vocab.Vocabulary }

// Out writes a tool's name and input as OpenHands has them.
func (t tools) Out(name string, input hook.JSON) (string, hook.JSON) {
	i, known := wordOf(name), input.Has("command")
	name, input = t.Vocabulary.Out(name, input)
	if i >= 0 && !known && !input.IsZero() {
		_ = input.Set("command", editorCommands[i].word) // an object, or the tool could not take it
	}
	return name, input
}

// In reads them. A word of the editor's that a tool alone does not say stays in the input.
func (t tools) In(name string, input hook.JSON) (string, hook.JSON) {
	if name != editor {
		return t.Vocabulary.In(name, input)
	}
	word := input.String("command")
	i := slices.IndexFunc(editorCommands, func(c struct{ word, tool string }) bool { return c.word == word })
	if i < 0 {
		return name, input
	}
	tool := editorCommands[i].tool
	for _, one := range t.Vocabulary {
		if one.Canonical == tool {
			_, input = vocab.Vocabulary{one}.In(name, input)
		}
	}
	if i == wordOf(tool) {
		input.Delete("command")
	}
	return tool, input
}

// wordOf is the place of a tool's first word, -1 for one that is not the editor.
func wordOf(tool string) int {
	return slices.IndexFunc(editorCommands, func(c struct{ word, tool string }) bool { return c.tool == tool })
}

// textOf is the text of what a tool returned.
func textOf(response hook.JSON) hook.JSON {
	content, _ := response.Get("content")
	var list []hook.JSON
	if content.Decode(&list) != nil {
		return response
	}
	var lines []string
	for _, one := range list {
		if text := one.String("text"); text != "" {
			lines = append(lines, text)
		}
	}
	return hook.MustJSON(strings.Join(lines, "\n"))
}

func resultIn(tool string, response hook.JSON) hook.JSON {
	return foreign.Printed(tool, textOf(response))
}

func resultOut(tool string, response hook.JSON) hook.JSON {
	if response.Has("content") && response.Has("is_error") {
		return response
	}
	return observation(foreign.Text(tool, response))
}

// observation is text as what a tool returned.
func observation(text hook.JSON) hook.JSON {
	return hook.RawJSON(fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"is_error":false}`, text.Raw()))
}

// errorOut is text as what a tool that failed returned.
func errorOut(text hook.JSON) hook.JSON {
	return hook.RawJSON(fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"is_error":true}`, text.Raw()))
}
