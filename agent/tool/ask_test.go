package tool_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/ui"
)

func TestAskUserQuestion(t *testing.T) {
	opts := []args{{"label": "Go", "description": "fast"}, {"label": "Rust"}}
	one := []args{{"question": "Which?", "header": "Language", "options": opts}}
	many := []args{{"question": "Which?", "options": opts, "multiSelect": true}}
	tests := []struct {
		name    string
		answers []ui.Answer
		in      args
		want    string
	}{
		{"one", []ui.Answer{ui.Choose(1)}, args{"questions": one}, "Rust"},
		{"own words", []ui.Answer{ui.Choose(2), ui.Type("Zig")}, args{"questions": one}, "Zig"},
		{"dismissed", []ui.Answer{ui.Dismiss()}, args{"questions": one}, ""},
		{"several", []ui.Answer{ui.Choose(0), ui.Choose(1), ui.Choose(0), ui.Choose(0), ui.Choose(2), ui.Type("Zig"), ui.Choose(3)}, args{"questions": many}, "Go, Rust, Zig"},
		{"known", nil, args{"questions": one, "answers": args{"Which?": "C"}}, "C"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := ui.NewRecorder(tt.answers...)
			s, _ := newSet(t, func(c *tool.Config) { c.UI = rec })
			r, err := run(t, s, "AskUserQuestion", tt.in)
			if err != nil {
				t.Fatal(err)
			}
			type resp struct {
				Answers map[string]string `json:"answers"`
			}
			if got := response[resp](t, r).Answers["Which?"]; got != tt.want || rec.Remaining() != 0 {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if tt.name == "one" {
				c := rec.Calls()[0]
				if c.Title != "Language: Which?" || !slices.Equal(c.Choices, []string{"Go - fast", "Rust", "Something else…"}) || !strings.Contains(r.Text(), "→ Rust") {
					t.Errorf("asked %+v, text %q", c, r.Text())
				}
			}
		})
	}
	s, _ := newSet(t)
	if _, err := run(t, s, "AskUserQuestion", args{"questions": one}); !errors.Is(err, ui.ErrNoUI) || !strings.Contains(err.Error(), "nobody is there") {
		t.Errorf("got %v", err)
	}
}
