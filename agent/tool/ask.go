package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/ui"
)

const askSchema = `{"type":"object","properties":{
"questions":{"type":"array","minItems":1,"maxItems":4,"items":{"type":"object","properties":{
"question":{"type":"string","minLength":1},
"header":{"type":"string","description":"One or two words that name the subject."},
"options":{"type":"array","minItems":2,"maxItems":8,"items":{"type":"object","properties":{
"label":{"type":"string","minLength":1},"description":{"type":"string"}
},"required":["label"],"additionalProperties":false}},
"multiSelect":{"type":"boolean","description":"More than one option may be taken."}
},"required":["question","options"],"additionalProperties":false}},
"answers":{"type":"object","additionalProperties":{"type":"string"},"description":"Answers that are known already, by question."}
},"required":["questions"],"additionalProperties":false}`

type askOption struct {
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
}

type askQuestion struct {
	Question    string      `json:"question"`
	Header      string      `json:"header,omitzero"`
	Options     []askOption `json:"options"`
	MultiSelect bool        `json:"multiSelect,omitzero"`
}

type askInput struct {
	Questions []askQuestion     `json:"questions"`
	Answers   map[string]string `json:"answers"`
}

type askResponse struct {
	Questions []askQuestion     `json:"questions"`
	Answers   map[string]string `json:"answers"`
}

func (s *Set) askUserQuestion() Tool {
	return define("AskUserQuestion", "Asks the person up to four questions with options to choose from; they may always answer "+
		"something else. Use it when the answer decides how to go on.", askSchema, s.runAsk)
}

func (s *Set) runAsk(ctx context.Context, in askInput, call Input) (Result, error) {
	resp := askResponse{Questions: in.Questions, Answers: make(map[string]string)}
	var b strings.Builder
	for _, q := range in.Questions {
		answer, known := in.Answers[q.Question]
		if !known {
			var err error
			if answer, err = s.ask(ctx, q, ui.Dialog{Source: call.Source}); err != nil {
				return Result{}, err
			}
		}
		resp.Answers[q.Question] = answer
		if answer == "" {
			answer = "(no answer)"
		}
		fmt.Fprintf(&b, "%s\n→ %s\n", q.Question, answer)
	}
	return result(b.String(), resp)
}

const otherAnswer = "Something else…"

// ask returns the labels that the person takes, or their own words; "" when
// they dismiss the question.
func (s *Set) ask(ctx context.Context, q askQuestion, d ui.Dialog) (string, error) {
	title := q.Question
	if q.Header != "" {
		title = q.Header + ": " + title
	}
	if q.MultiSelect {
		return s.askMany(ctx, title, q.Options, d)
	}
	i, ok, err := s.cfg.UI.Select(ctx, title, append(labels(q.Options), otherAnswer), d)
	switch {
	case err != nil:
		return "", noAnswer(err)
	case !ok:
		return "", nil
	case i == len(q.Options):
		text, _, err := s.cfg.UI.Input(ctx, title, "", d)
		return text, noAnswer(err)
	}
	return q.Options[i].Label, nil
}

// askMany asks until the person is done.
func (s *Set) askMany(ctx context.Context, title string, options []askOption, d ui.Dialog) (string, error) {
	taken := make([]bool, len(options))
	own := ""
	for {
		choices := labels(options)
		for i := range choices {
			mark := "[ ] "
			if taken[i] {
				mark = "[x] "
			}
			choices[i] = mark + choices[i]
		}
		choices = append(choices, otherAnswer, "Done")
		i, ok, err := s.cfg.UI.Select(ctx, title, choices, d)
		switch {
		case err != nil:
			return "", noAnswer(err)
		case !ok || i == len(options)+1:
			return joinTaken(options, taken, own), nil
		case i == len(options):
			if own, _, err = s.cfg.UI.Input(ctx, title, "", d); err != nil {
				return "", noAnswer(err)
			}
		default:
			taken[i] = !taken[i]
		}
	}
}

func joinTaken(options []askOption, taken []bool, own string) string {
	var out []string
	for i, o := range options {
		if taken[i] {
			out = append(out, o.Label)
		}
	}
	if own != "" {
		out = append(out, own)
	}
	return strings.Join(out, ", ")
}

func labels(options []askOption) []string {
	var out []string
	for _, o := range options {
		if o.Description != "" {
			out = append(out, o.Label+" - "+o.Description)
		} else {
			out = append(out, o.Label)
		}
	}
	return slices.Clip(out)
}

func noAnswer(err error) error {
	if errors.Is(err, ui.ErrNoUI) {
		return fmt.Errorf("nobody is there to answer questions; decide yourself, or say what you would need to know: %w", err)
	}
	return err
}
