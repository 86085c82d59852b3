package hook_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/hook"
)

// TestEveryPartHasARow takes the answer table at its word: the example of a row has its
// part and no other, survives its JSON form and the way through an outcome, and is told
// in words.
func TestEveryPartHasARow(t *testing.T) {
	names := map[string]bool{}
	for i, p := range hook.AnswerParts() {
		if p.Field != 1<<i || names[p.Name] || p.Folds == "" || len(p.Members) == 0 {
			t.Errorf("row %d: %+v", i, p)
		}
		names[p.Name] = true
		var r hook.Result
		if err := json.Unmarshal([]byte(p.Example), &r); err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if r.Fields() != p.Field {
			t.Errorf("%s: its example has %q", p.Name, r.Fields().Names())
		}
		if b, err := json.Marshal(r); err != nil || string(b) != p.Example {
			t.Errorf("%s: %s became %s, %v", p.Name, p.Example, b, err)
		}
		for _, ev := range hook.Events() {
			if ev.Spec().Honours&p.Field == 0 && !p.Everywhere() || ev.Spec().Honours&hook.FieldCancel != 0 {
				continue // a deny is a cancel there
			}
			out, _ := foldOf(t, ev, hook.Sequential, []asked{{answer: r}}, nil)
			said := out.Result()
			if p.Field == hook.FieldContext {
				if len(said.Context) != 2 || !strings.Contains(said.Context[1], r.ContextFiles[0]) {
					t.Errorf("%v: context %q does not name the files", ev, said.Context)
				}
				said.Context, said.ContextFiles = said.Context[:1], r.ContextFiles
			}
			if p.Field == hook.FieldUpdatedInput {
				said.UpdatedInput, said.InputPatch = r.UpdatedInput, true // the whole input, after the patch
			}
			if ev.Spec().KeepsGoing() {
				said.Continue = r.Continue
			}
			if d := cmp.Diff(r, said, sameJSON); d != "" {
				t.Errorf("%s on %v: %s", p.Name, ev, d)
			}
			out.Drop(p.Field)
			if said = out.Result(); said.Fields()&p.Field != 0 {
				t.Errorf("%s on %v is still there after it was dropped", p.Name, ev)
			}
		}
	}
	for _, m := range hook.AnswerMembers() {
		if m.Doc == "" {
			t.Errorf("%s says nothing", m.Name)
		}
	}
}

func TestAnswerInJSON(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{}`, `{}`},
		{`{"decision":"none","reason":""}`, `{}`},
		{`{"decision":null,"context":null,"messages":null,"updated_input":null,"system_prompt":null,"inject":null,"continue":null}`, `{}`},
		{`{"inject":{"custom_type":"x","content":null,"details":null}}`, `{"inject":{"custom_type":"x"}}`},
		{`{"messages":[]}`, `{"messages":[]}`},
		{`{"handled":false,"display_content":""}`, `{"display_content":""}`},
		{`{"updated_input":{"z":1,"a":9007199254740993,"z":2}}`, ""},
		{`{"decision":"deny","decision":"allow"}`, ""},
		{`{"Decision":"deny"}`, ""},
		{`{"decision":"Deny"}`, ""},
		{`{"decision":4}`, ""},
		{`{"continue":"no"}`, ""},
		{`[]`, ""},
		{`"deny"`, ""},
		{`{"decision":`, ""},
		{`{"context":["a"`, ""},
	} {
		var r hook.Result
		err := json.Unmarshal([]byte(tt.text), &r)
		if (err != nil) != (tt.want == "") {
			t.Errorf("%s: %v", tt.text, err)
		}
		if b, err := json.Marshal(r); tt.want != "" && (err != nil || string(b) != tt.want) {
			t.Errorf("%s became %s, %v", tt.text, b, err)
		}
	}
}

func TestDecisionThatDoesNotExistIsNone(t *testing.T) {
	if f := (&hook.Result{Decision: 9, Reason: "r"}).Fields(); f != 0 {
		t.Errorf("it has %q", f.Names())
	}
}

// TestEffectsThatAHookKeepsAreNotChanged drops a part of effects that a hook gives
// again and again.
func TestEffectsThatAHookKeepsAreNotChanged(t *testing.T) {
	mine := &hook.HostEffects{SessionTitle: "title", Retry: true}
	hooks := []asked{{answer: hook.Result{Host: mine}}, {answer: hook.Result{Host: &hook.HostEffects{SessionTitle: "other"}}}}
	out, _ := foldOf(t, hook.EventSessionStart, hook.Sequential, hooks, nil)
	if mine.SessionTitle != "title" || !mine.Retry || out.Host.SessionTitle != "other" || out.Host.Retry {
		t.Errorf("the hook's own: %+v, the outcome's %+v", mine, out.Host)
	}
}
