package oracle

import (
	"encoding/json"
	"strings"
)

// Case is one cell of a table: what is set, what the model does, what hooks answer.
// In its strings $HOOK is the command of a recording hook, which gets its name, $PROJ the project and $HOME
// the home directory; in its files $MODEL is the address of the scripted model.
type Case struct {
	// Name is unique in its table.
	Name string
	// Settings is the person's settings file, Project that of the project.
	Settings, Project map[string]any
	// Files are made in the project first, by their path in it; those of which the
	// path begins with ~/ in the home directory.
	Files map[string]string
	// Answers are what the recording hooks say, by name, one for each call; the last
	// counts for the calls that follow. A hook without any says nothing.
	Answers map[string][]Answer
	// Script is what the model says.
	Script Script
	// Prompt is what the person says; Args are further arguments of the program.
	Prompt string
	Args   []string
	// Allowed are the tools that need no permission.
	Allowed []string
	// Again are prompts that are put to the same session afterwards.
	Again []string
	// Front is what the program is worked with; "" is its own run for one prompt. There the
	// Steps happen, one after the other.
	Front string
	Steps []Step
	// Surroundings says that the environment of hooks and the kinds of lines that the
	// caller got are compared too: they are the same in every case.
	Surroundings bool
}

// Step is what a person at a terminal or another program does while the program runs; what
// Do may be is the front end's business.
type Step struct {
	Do, Text string
	// Until is the name of a recording hook that has to run once more before the next step.
	Until string
	// Only is the name of the program whose step it is; "" is both.
	Only string
}

// Answer is what a recording hook does after it has recorded its input.
type Answer struct {
	JSON   any     `json:",omitempty"` // printed as one line
	Out    string  `json:",omitempty"`
	Err    string  `json:",omitempty"`
	Exit   int     `json:",omitempty"`
	Sleep  float64 `json:",omitempty"` // seconds, before it says anything
	Append string  `json:",omitempty"` // put at the end of the file that CLAUDE_ENV_FILE names
}

// Script is what the model says: a turn for each request, counted by the answers that
// the request's conversation holds since the message that has the text After in it. Sub has
// the turns of conversations whose first message contains a marker. Aside is what is said
// to the programs' own requests, by a marker in them; Own is what tells those that have tools
// all the same: a text in their last message. To others it is ok.
type Script struct {
	Turns []Turn
	After string
	Sub   map[string][]Turn
	Aside map[string]string
	Own   string
}

// Turn is one answer of the model: blocks, or an HTTP status that is an error.
type Turn struct {
	Blocks []Block
	Status int
}

// Block is text, or the call of a tool.
type Block struct {
	Text  string
	Tool  string
	Input map[string]any
}

// Say is a turn of text.
func Say(text string) Turn { return Turn{Blocks: []Block{{Text: text}}} }

// Call is a turn that calls one tool.
func Call(tool string, input map[string]any) Turn {
	return Turn{Blocks: []Block{{Tool: tool, Input: input}}}
}

// fill puts the places of a room into a value's strings.
func fill[T any](v T, places *strings.Replacer) (T, error) {
	var out T
	raw, err := json.Marshal(v)
	if err != nil {
		return out, err
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return out, err
	}
	if raw, err = json.Marshal(walk(tree, places.Replace)); err != nil {
		return out, err
	}
	return out, json.Unmarshal(raw, &out)
}

// walk returns a JSON value with its strings changed.
func walk(v any, change func(string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = walk(v[i], change)
		}
	case map[string]any:
		for k, member := range v {
			v[k] = walk(member, change)
		}
	}
	return v
}
