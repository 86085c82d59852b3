package prompt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

// TestVerdictsOfOtherShapes: prompts ask for the answer of a command hook, too.
func TestVerdictsOfOtherShapes(t *testing.T) {
	for said, want := range map[string]string{
		`{"decision":"block","reason":"no"}`:              "false no",
		`{"decision":"deny"}`:                             "false ",
		`{"decision":"approve"}`:                          "true ",
		`{"decision":"approve","ok":false,"reason":"no"}`: "false no",
		`{"decision":"block","ok":true}`:                  "false ",
		`{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}`:            "false no",
		`{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny"}}`:                       "false ",
		`{"decision":"block","hookSpecificOutput":{"permissionDecision":"allow"}}`:                        "false ",
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"},"reason":"x"}`: "true x",
		`{"decision":"ask"}`: "error",
		`{"decision":""}`:    "error",
		`{"decision":true}`:  "error",
	} {
		v, _, err := parse(said, strict)
		got := "error"
		if err == nil {
			got = fmt.Sprint(*v.OK, " ", v.Reason)
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", said, got, err, want)
		}
	}
}

const strict, lenient = true, false

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"ok":true}`, "```json\n{\"ok\":false}\n```", "```", "``````", `{"ok":true}x`, "\uFEFF{}", `{"ok":false,"x":[[[]]]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		exact, _, strictErr := parse(said, strict)
		v, _, err := parse(said, lenient)
		if err == nil && v.OK == nil || strictErr == nil && exact.OK == nil {
			t.Error("a verdict without ok")
		}
		if strictErr == nil && (err != nil || *v.OK != *exact.OK) {
			t.Error("strict mode takes what the other does not")
		}
	})
}

func FuzzFill(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":"${x}"}`, `{"a":"${x.0.y} ${","b":["\ud800${x}"]}`, `{"a":"${x..y}"}`, `{"a":` + strings.Repeat("[", 50)} {
		f.Add(s, `{"x":[{"y":"z"},1]}`)
	}
	f.Add(`{"a":"${x.1}"}`, `{"x":[`)
	f.Fuzz(func(t *testing.T, template, event string) {
		filled, _, err := fill(hook.RawJSON(template), hook.RawJSON(event))
		if err == nil && !filled.Valid() {
			t.Errorf("%q with %q became %q", template, event, filled.Raw())
		}
	})
}
