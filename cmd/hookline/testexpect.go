package main

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/hook"
)

// expectation is what a case demands; what it leaves out is not looked at. Texts
// are regular expressions.
type expectation struct {
	Decision  string         `yaml:"decision,omitempty" doc:"none, allow, ask, defer or deny"`
	Reason    string         `yaml:"reason,omitempty" doc:"pattern of the reason"`
	Context   []string       `yaml:"context,omitempty" doc:"patterns of context that is added"`
	Input     map[string]any `yaml:"input,omitempty" doc:"members of the tool's input afterwards"`
	Output    string         `yaml:"output,omitempty" doc:"pattern of the tool's output afterwards"`
	Prompt    string         `yaml:"prompt,omitempty" doc:"pattern of the prompt afterwards"`
	Notices   []string       `yaml:"notices,omitempty" doc:"patterns of notices"`
	FollowUps []string       `yaml:"follow_ups,omitempty" doc:"patterns of messages that follow"`
	Injected  []string       `yaml:"injected,omitempty" doc:"patterns of messages that come with the answer"`
	Sent      []string       `yaml:"sent,omitempty" doc:"patterns of messages that modules send into the session"` // messages that modules send into the session
	Entries   []string       `yaml:"entries,omitempty" doc:"what modules keep in the session: TYPE: JSON"`         // what modules keep in the session: TYPE: JSON
	UI        []string       `yaml:"ui,omitempty" doc:"what the person is shown and asked: KIND: TEXT"`            // what the person is shown and asked: KIND: TEXT
	Messages  *int           `yaml:"messages,omitempty" doc:"how many there are, when hooks changed them"`
	KeepGoing *bool          `yaml:"keep_going,omitempty" doc:"whether the agent is kept going"`
	Halt      *bool          `yaml:"halt,omitempty" doc:"whether the session ends"`
	Stop      string         `yaml:"stop_reason,omitempty" doc:"pattern of why it ends"`
	Ran       []string       `yaml:"ran,omitempty" doc:"hooks that ran"`
	Failed    []string       `yaml:"failed,omitempty" doc:"hooks that failed"`
}

// decisionWords are the decisions that can be expected.
var decisionWords = []string{"none", "allow", "ask", "defer", "deny"}

// check refuses expectations that prove nothing or can't be read.
func (e *expectation) check() error {
	if reflect.ValueOf(*e).IsZero() {
		return fmt.Errorf("the case expects nothing, so it cannot fail; write what it expects below the key expect")
	}
	if e.Decision != "" && !slices.Contains(decisionWords, e.Decision) {
		return fmt.Errorf("unknown decision %q: one of %s", e.Decision, strings.Join(decisionWords, ", "))
	}
	for _, pattern := range slices.Concat([]string{e.Reason, e.Output, e.Prompt, e.Stop}, e.Context, e.Notices, e.FollowUps, e.Injected, e.Sent, e.Entries, e.UI) {
		if _, err := regexp.Compile(pattern); err != nil {
			return fmt.Errorf("what the case expects: %w", err)
		}
	}
	return nil
}

// faults compares an outcome, and what hooks did besides, with what is expected, which
// was checked.
func (e *expectation) faults(out *hook.Outcome, rep *report.Outcome, did deeds) []string {
	found := []string{}
	fault := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	matches := func(what, pattern, got string) {
		if !regexp.MustCompile(pattern).MatchString(got) {
			fault("%s is %q, expected to match %q", what, got, pattern)
		}
	}
	if e.Decision != "" && e.Decision != rep.Decision {
		fault("decision is %s, expected %s (reason: %q)", rep.Decision, e.Decision, rep.Reason)
	}
	matches("reason", e.Reason, rep.Reason)
	var injected []string
	for _, m := range out.Inject {
		injected = append(injected, contentText(m.Content))
	}
	for _, l := range []struct {
		what      string
		want, got []string
	}{
		{"context", e.Context, rep.Context},
		{"notices", e.Notices, rep.Notices},
		{"follow_ups", e.FollowUps, out.FollowUps},
		{"injected", e.Injected, injected},
		{"sent", e.Sent, did.sent},
		{"entries", e.Entries, did.entries},
		{"ui", e.UI, did.ui},
	} {
		for _, pattern := range l.want {
			matches(l.what, pattern, strings.Join(l.got, "\n"))
		}
	}
	matches("stop_reason", e.Stop, rep.StopReason)
	if e.Messages != nil && *e.Messages != len(out.Messages) {
		fault("there are %d messages, expected %d", len(out.Messages), *e.Messages)
	}
	matches("output", e.Output, out.UpdatedOutput.Raw())
	if e.Prompt != "" {
		got := ""
		if out.UpdatedPrompt != nil {
			got = *out.UpdatedPrompt
		}
		matches("prompt", e.Prompt, got)
	}
	e.inputFaults(rep, fault)
	if e.KeepGoing != nil && *e.KeepGoing != rep.KeepGoing {
		fault("keep_going is %v, expected %v", rep.KeepGoing, *e.KeepGoing)
	}
	if e.Halt != nil && *e.Halt != rep.Halt {
		fault("halt is %v, expected %v", rep.Halt, *e.Halt)
	}
	e.runFaults(rep, fault)
	return found
}

// inputFaults compares single members of the input as it is after all hooks.
func (e *expectation) inputFaults(rep *report.Outcome, fault func(string, ...any)) {
	for k, want := range e.Input {
		got := hook.JSON{}
		if rep.UpdatedInput != nil {
			got, _ = rep.UpdatedInput.Get(k)
		}
		if w := hook.MustJSON(want); got != w {
			fault("input.%s is %s, expected %s", k, orDash(got.Raw()), w.Raw())
		}
	}
}

func (e *expectation) runFaults(rep *report.Outcome, fault func(string, ...any)) {
	for _, n := range e.Ran {
		if got := statuses(rep, n); !slices.Contains(got, "ran") {
			fault("hook %s is %s, expected to have run", n, orDash(strings.Join(got, ", ")))
		}
	}
	for _, n := range e.Failed {
		if got := statuses(rep, n); !slices.ContainsFunc(got, failedStatus) {
			fault("hook %s is %s, expected to have failed", n, orDash(strings.Join(got, ", ")))
		}
	}
	for i := range rep.Runs {
		r := &rep.Runs[i]
		if failedStatus(r.Status) && !slices.ContainsFunc(e.Failed, func(n string) bool { return isOf(r.Name, n) }) {
			fault("hook %s failed: %s", r.Name, firstLine(r.Error))
		}
	}
}

func failedStatus(s string) bool { return s == "failed" || s == "timed_out" }

// statuses returns what became of the hooks of a name.
func statuses(rep *report.Outcome, name string) []string {
	var out []string
	for i := range rep.Runs {
		if r := &rep.Runs[i]; isOf(r.Name, name) {
			out = append(out, r.Status)
		}
	}
	return out
}

// isOf reports whether a record is of a hook of that name; a worker's name stands for
// all of its hooks.
func isOf(record, name string) bool {
	return record == name || strings.HasPrefix(record, name+"#")
}
