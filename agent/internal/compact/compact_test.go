package compact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/internal/compact"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
)

func user(text string) model.Message { return model.UserText(text) }
func said(text string) model.Message {
	return model.Message{Role: model.Assistant, Content: []model.Block{model.Text(text)}}
}

func calls(id string) model.Message {
	return model.Message{Role: model.Assistant, Content: []model.Block{model.ToolUse(id, "Read", `{"file_path":"/a.go"}`)}}
}

func result(id, text string) model.Message {
	return model.Message{Role: model.User, Content: []model.Block{model.ToolResult(id, model.Text(text))}}
}

func entries(msgs ...model.Message) []compact.Entry {
	var out []compact.Entry
	for i, m := range msgs {
		out = append(out, compact.Entry{ID: fmt.Sprint(i), Message: m})
	}
	return out
}

func TestMake(t *testing.T) {
	long := strings.Repeat("word ", 100) // about 125 tokens
	tests := []struct {
		name    string
		entries []compact.Entry
		keep    int64
		first   string
		n       int
		split   bool
		ok      bool
	}{
		{"nothing", nil, 0, "", 0, false, false},
		{"all of it", entries(user(long), said(long)), -1, "", 2, false, true},
		{"from a turn on", entries(user(long), said(long), user("b"), said("c")), 50, "2", 2, false, true},
		{"the earliest turn that fits", entries(user(long), said(long), user("b"), said("c"), user("d"), said("e")), 50, "2", 2, false, true},
		{"within a turn, not between call and result", entries(user(long), said(long), calls("1"), result("1", "x"), said("y")), 50, "2", 2, true, true},
		{"a result that would be first", entries(user("a"), calls("1"), result("1", long), said("y")), 130, "3", 3, true, true},
		{"one message", entries(user("a")), 100, "", 1, false, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, ok := compact.Make(test.entries, compact.Options{Keep: test.keep})
			if ok != test.ok || p.FirstKept != test.first || len(p.Summarise) != test.n || p.Split != test.split {
				t.Errorf("ok %v, first %q, %d summarised, split %v", ok, p.FirstKept, len(p.Summarise), p.Split)
			}
			open := map[string]bool{}
			for _, e := range p.Kept {
				for _, c := range e.Message.ToolUses() {
					open[c.ID] = true
				}
				for _, b := range e.Message.Content {
					if b.Type == model.ToolResultBlock && !open[b.ToolUseID] {
						t.Errorf("the result of %s is parted from its call", b.ToolUseID)
					}
				}
			}
		})
	}
}

func TestAnEarlierSummaryIsTakenUp(t *testing.T) {
	list := append([]compact.Entry{{ID: "s", Message: user("what was before"), Summary: true}}, entries(user("a"), said("b"))...)
	p, ok := compact.Make(list, compact.Options{Keep: -1})
	if !ok || p.Previous != "what was before" || len(p.Summarise) != 2 {
		t.Fatalf("%+v", p)
	}
	prep, err := p.Preparation()
	if err != nil || prep.String("previousSummary") != "what was before" {
		t.Errorf("%s, %v", prep.Raw(), err)
	}
	text := p.Request("m", "", hook.CompactingAnswer{}).Messages[0].Text()
	if !strings.Contains(text, "<earlier-summary>\nwhat was before") {
		t.Error(text)
	}
	if _, ok := compact.Make(list[:1], compact.Options{}); ok {
		t.Error("a summary alone was compacted again")
	}
}

func TestRequest(t *testing.T) {
	p, _ := compact.Make(entries(user("fix it"), calls("1"), result("1", strings.Repeat("x", 10_000)), said("done")), compact.Options{Keep: -1})
	req := p.Request("m", "in French", hook.CompactingAnswer{Context: []string{"the colour"}, Prompt: "Be short."})
	text := req.Messages[0].Text()
	for _, want := range []string{"[user] fix it", `[call Read] {"file_path":"/a.go"}`, "(10000 bytes in all)", "[assistant] done", "the colour", "Be short.", "in French"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the request", want)
		}
	}
	if len(text) > 6_000 {
		t.Errorf("the request has %d bytes", len(text))
	}
	prep, err := p.Preparation()
	ops, _ := prep.Get("fileOps")
	if err != nil || fmt.Sprint(ops.Strings("read")) != "[/a.go]" {
		t.Errorf("%s, %v", prep.Raw(), err)
	}
}

func Example() {
	plan, ok := compact.Make([]compact.Entry{
		{ID: "a", Message: model.UserText(strings.Repeat("What is in this repository? ", 20))},
		{ID: "b", Message: model.Message{Role: model.Assistant, Content: []model.Block{model.Text("Hooks.")}}},
		{ID: "c", Message: model.UserText("And what do they do?")},
	}, compact.Options{Keep: 20})
	fmt.Println(ok, len(plan.Summarise), plan.FirstKept)
	// Output: true 2 c
}
