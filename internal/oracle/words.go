package oracle

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// ownWords are tools of which a result that is not a failure is in words of the program's own:
// that it says something is compared, which files of the project it names, and what a hook
// caused.
var ownWords = []string{"Agent", "Edit", "Skill", "TaskCreate", "TaskUpdate", "Write"}

// onlyMarks are tools of which also the failures are in such words: whether a call failed is
// compared, and what the hook said.
var onlyMarks = []string{"EnterWorktree", "ExitWorktree"}

// projectPath is a file of the project in a text that is steady.
var projectPath = regexp.MustCompile(`<ROOM>/project/[-\w./]*[-\w/]`)

var markWord = regexp.MustCompile(Mark + `[-A-Z0-9]*`)

// told is what is compared of a result that the model was sent.
func (p *Play) told(tool, text string, failed bool) string {
	switch {
	case slices.Contains(onlyMarks, tool):
		return strings.Join(markWord.FindAllString(text, 1), "")
	case failed || !slices.Contains(ownWords, tool):
		return p.steady(p.refused(text))
	}
	return p.words(text)
}

// words stands for a text in a program's own words.
func (p *Play) words(text string) string {
	if text == "" {
		return ""
	}
	text = p.steady(text)
	out := append([]string{"(words of the tool)"}, projectPath.FindAllString(text, -1)...)
	return strings.Join(append(out, marked(text)...), " ")
}

// didNotRun stands for the result of a call that could not run.
const didNotRun = "(did not run)"

// sorry stands for a sentence in which a program says that the model's service failed: what
// it says of that service, and whom it advises to ask, are its own words.
const sorry = `"(words about the service)"`

// apology is the sentence of a hook's member or of a result, as JSON, or what stands for it.
func apology(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil || text == "" || strings.Contains(text, Mark) {
		return string(value)
	}
	return sorry
}

// refused is the text of a result, or a word for it when the call could not run: each
// program has words of its own for that.
func (p *Play) refused(text string) string {
	if p.refusal != nil && !strings.Contains(text, Mark) && p.refusal.MatchString(text) {
		return didNotRun
	}
	return text
}

// batch is the value tool_calls of a payload, with what stands for calls that did not run
// and for the words of tools that have their own.
func (p *Play) batch(value json.RawMessage) string {
	var calls []json.RawMessage
	if json.Unmarshal(value, &calls) != nil {
		return string(value)
	}
	for i, raw := range calls {
		var call struct {
			Tool     string          `json:"tool_name"`
			Response json.RawMessage `json:"tool_response"`
		}
		if json.Unmarshal(raw, &call) != nil || len(call.Response) == 0 || !bytes.HasSuffix(raw, append(slices.Clone(call.Response), '}')) {
			continue
		}
		text, err := resultText(call.Response)
		if err != nil || call.Response[0] != '"' && !slices.Contains(ownWords, call.Tool) {
			continue
		}
		if text = p.refused(text); text != didNotRun && slices.Contains(ownWords, call.Tool) {
			text = p.words(text)
		}
		instead, _ := plainJSON(text)
		head := bytes.TrimSuffix(raw, append(slices.Clone(call.Response), '}'))
		calls[i] = slices.Concat(head, bytes.TrimSpace(instead), []byte("}"))
	}
	return string(bytes.Join([][]byte{[]byte("["), bytes.Join(rawLines(calls), []byte(",")), []byte("]")}, nil))
}

func rawLines(calls []json.RawMessage) [][]byte {
	out := make([][]byte, len(calls))
	for i, c := range calls {
		out[i] = c
	}
	return out
}

// marked keeps the lines that a hook caused: around a subagent's report each program has
// words of its own.
func marked(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, Mark) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// reminder is what a program puts beside a result on its own account, for the model.
var reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>| \(file state is current[^)]*\)`)

// withoutReminders leaves out of a result what no hook caused.
func withoutReminders(text string) string {
	return strings.TrimSpace(reminder.ReplaceAllStringFunc(text, func(s string) string {
		if strings.Contains(s, Mark) {
			return s
		}
		return ""
	}))
}
