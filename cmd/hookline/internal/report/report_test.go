package report_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/hook"
)

// TestEveryPartIsReported compares the report of what each part of an answer comes to
// with the report of an answer without it, and with the schema.
func TestEveryPartIsReported(t *testing.T) {
	text, err := report.Schema()
	if err != nil {
		t.Fatal(err)
	}
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range hook.AnswerParts() {
		var r hook.Result
		if err := json.Unmarshal([]byte(p.Example), &r); err != nil {
			t.Fatal(err)
		}
		for _, ev := range hook.Events() {
			if ev.Spec().Honours&p.Field == 0 && !p.Everywhere() {
				continue
			}
			got, without := reportOf(t, ev, r), reportOf(t, ev, hook.Result{})
			if got == without {
				t.Errorf("%v: the report does not say %s: %s", ev, p.Name, got)
			}
			var v any
			if err := json.Unmarshal([]byte(got), &v); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(v); err != nil {
				t.Errorf("%v, %s: %v", ev, p.Name, err)
			}
		}
	}
}

func TestRawValuesAreReportedAsTheyAre(t *testing.T) {
	const raw = `{"n":9007199254740993,"n":1,"s":"\ud800"}`
	b, err := json.Marshal(report.New(&hook.Outcome{Event: hook.EventPostToolUse, UpdatedOutput: hook.RawJSON(raw)}, nil), hook.EncodeOptions())
	if err != nil || !strings.Contains(string(b), `"updated_output":`+raw) {
		t.Errorf("%s, %v", b, err)
	}
}

// reportOf is the report of what one answer comes to, without the record of its hook.
func reportOf(t *testing.T, ev hook.Event, r hook.Result) string {
	t.Helper()
	reg := hook.NewRegistry()
	hook.OnEvent(reg, func(context.Context, hook.Input) (hook.Result, error) { return r, nil }, []hook.Event{ev})
	eng := hook.New(reg)
	defer eng.Close()
	in, err := hook.UnmarshalInput(ev, []byte(`{"tool_input":{},"payload":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := eng.Fire(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	out.Runs = nil
	b, err := json.Marshal(report.New(&out, nil), hook.EncodeOptions())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
