// Package report is the JSON shape in which outcomes are printed and recorded.
package report

import (
	"reflect"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/schema"
)

// Outcome is what fire --json prints. Fields may be added, never renamed; empty
// lists are [].
type Outcome struct {
	Event         string       `json:"event" doc:"canonical name of the event"`
	Decision      string       `json:"decision" doc:"none, allow, ask, defer or deny"`
	Reason        string       `json:"reason" doc:"reason of the hook that decided"`
	DecidedBy     string       `json:"decided_by,omitzero" doc:"name of the hook that decided"`
	Halt          bool         `json:"halt" doc:"whether the whole run ends"`
	StopReason    string       `json:"stop_reason,omitzero" doc:"why it ends, for the person"`
	KeepGoing     bool         `json:"keep_going,omitzero" doc:"whether the agent goes on instead of stopping"`
	Continuation  []string     `json:"continuation,omitempty" doc:"what the agent is then told"`
	UpdatedInput  *hook.JSON   `json:"updated_input" doc:"the tool input after all changes, null when unchanged"`
	OriginalInput hook.JSON    `json:"original_input,omitzero" doc:"the tool input before"`
	Context       []string     `json:"context" doc:"text for the next model call"`
	ContextFiles  []string     `json:"context_files,omitempty" doc:"paths that the model is offered instead of their contents"`
	System        []string     `json:"system_messages,omitempty" doc:"text for the person and the model"`
	Notices       []string     `json:"notices" doc:"text for the person"`
	Environment   string       `json:"environment,omitzero" doc:"shell text that hooks put before later shell commands"`
	Runs          []Run        `json:"runs" doc:"one record a hook"`
	Diagnostics   []Diagnostic `json:"diagnostics" doc:"what was wrong with files that were loaded"`

	Host  *hook.HostEffects `json:"host,omitzero" doc:"effects that only this event has"`
	Parts map[string]any    `json:",embed"` // the rest of the answer table
}

// Run is the record of one hook.
type Run struct {
	Name         string       `json:"name" doc:"name of the hook"`
	Dialect      string       `json:"dialect" doc:"dialect that it is written in"`
	Source       string       `json:"source" doc:"where it is defined"`
	Scope        string       `json:"scope,omitzero" doc:"level at which it was found"`
	Group        string       `json:"group,omitzero" doc:"group that it runs in"`
	Status       string       `json:"status" doc:"ran, skipped, failed, cancelled, timed_out or pending"`
	Why          string       `json:"why" doc:"why it was skipped, or ran though it might not have"`
	Decision     string       `json:"decision" doc:"its own decision"`
	Reason       string       `json:"reason" doc:"its own reason"`
	Error        string       `json:"error,omitzero" doc:"why it could not answer"`
	ErrorKind    string       `json:"error_kind,omitzero" doc:"launch, exit, signal, timeout, answer, panic, load or error"`
	FailedClosed bool         `json:"failed_closed,omitzero" doc:"whether its failure counted against the call"`
	Again        bool         `json:"again,omitzero" doc:"whether this is a guard's second look"`
	Ignored      []string     `json:"ignored" doc:"parts of its answer that had no effect"`
	Notes        []string     `json:"notes,omitempty" doc:"other remarks"`
	Uncertain    bool         `json:"uncertain" doc:"whether it was undecidable that it should run"`
	ExitCode     *int         `json:"exit_code" doc:"exit code of the process, null without one"`
	Signal       string       `json:"signal,omitzero" doc:"signal that ended the process"`
	DurationMS   float64      `json:"duration_ms" doc:"how long it ran"`
	StdoutBytes  int64        `json:"stdout_bytes" doc:"size of its output"`
	Stderr       string       `json:"stderr" doc:"what it wrote to stderr"`
	Truncated    bool         `json:"truncated" doc:"whether output was cut"`
	Phases       *Phases      `json:"phases,omitzero" doc:"where the time went"`
	Answer       *hook.Result `json:"-"`
}

// Phases says where a process's time went, in milliseconds.
type Phases struct {
	StartMS float64 `json:"start_ms" doc:"until the process ran"`
	StdinMS float64 `json:"stdin_ms" doc:"until it had taken its input"`
	RunMS   float64 `json:"run_ms" doc:"until it ended"`
	DrainMS float64 `json:"drain_ms" doc:"until its output was read"`
}

// Diagnostic is a fault in a file.
type Diagnostic struct {
	Severity string `json:"severity" doc:"error, warning or info"`
	Source   string `json:"source" doc:"path:line:column"`
	Message  string `json:"message" doc:"what is wrong"`
	Remedy   string `json:"remedy,omitzero" doc:"what to do about it"`
	Pointer  string `json:"pointer,omitzero" doc:"JSON pointer of the value"`
}

// New converts an outcome.
func New(out *hook.Outcome, diags []diag.Diagnostic) Outcome {
	r := Outcome{
		Event: out.Event.String(), Decision: out.Decision.String(), Reason: out.Reason, DecidedBy: out.DecidedBy,
		Halt: out.Halt, StopReason: out.StopReason, KeepGoing: out.KeepGoing, Continuation: out.Continuation(),
		OriginalInput: out.OriginalInput, Context: list(out.Context), ContextFiles: out.ContextFiles,
		System: out.SystemMessages, Notices: list(out.Notices),
		Runs: make([]Run, 0, len(out.Runs)), Diagnostics: Diagnostics(diags), Host: out.Host, Parts: parts(out),
	}
	if out.InputChanged {
		r.UpdatedInput = &out.UpdatedInput
	}
	for i := range out.Runs {
		r.Runs = append(r.Runs, newRun(&out.Runs[i]))
	}
	return r
}

// parts are the parts of an outcome that are a value of their own, by their names in
// reports.
func parts(out *hook.Outcome) map[string]any {
	m := map[string]any{}
	for _, p := range hook.AnswerParts() {
		if p.Of == nil {
			continue
		}
		if v := p.Of(out); v != nil {
			m[nameOf(p)] = v
		}
	}
	return m
}

// nameOf is a part's name as the members of a report are spelt.
func nameOf(p hook.AnswerPart) string {
	var b strings.Builder
	for _, c := range p.Name {
		if 'A' <= c && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Schema returns the JSON Schema of an Outcome.
func Schema() ([]byte, error) {
	s := schema.Object(reflect.TypeFor[Outcome](), "Outcome", "What the hooks of one event came to, as fire --json prints it.")
	for _, p := range hook.AnswerParts() {
		if p.Type != nil {
			schema.Member(s, nameOf(p), p.Type, p.Members[0].Doc)
		}
	}
	return schema.Encode(s)
}

// newRun converts the record of one hook.
func newRun(run *hook.Run) Run {
	r := Run{
		Name: run.Hook.Name, Dialect: run.Hook.Dialect, Source: run.Hook.Source, Scope: run.Hook.Scope, Group: run.Hook.Group,
		Status: run.Status.String(), Why: run.Why, Decision: run.Decision.String(), Reason: run.Reason,
		FailedClosed: run.FailedClosed, Again: run.Again, Ignored: list(run.Ignored), Notes: run.Notes, Uncertain: run.Uncertain,
		DurationMS: ms(run.Duration), Answer: run.Answer,
	}
	if run.Err != nil {
		r.Error = run.Err.Error()
		r.ErrorKind = string(kindOf(run.Err))
	}
	if p := run.Report; p != nil {
		r.ExitCode, r.Signal, r.StdoutBytes, r.Stderr, r.Truncated = p.ExitCode, p.Signal, p.StdoutBytes, p.Stderr, p.Truncated
		if p.Phases != (hook.Phases{}) {
			r.Phases = &Phases{ms(p.Phases.Start), ms(p.Phases.Stdin), ms(p.Phases.Run), ms(p.Phases.Drain)}
		}
	}
	return r
}

// Diagnostics converts diagnostics; the result is never nil.
func Diagnostics(diags []diag.Diagnostic) []Diagnostic {
	out := make([]Diagnostic, 0, len(diags))
	for _, d := range diags {
		out = append(out, Diagnostic{d.Severity.String(), d.Position(), d.Message, d.Remedy, d.Pointer})
	}
	return out
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// ms is a duration in milliseconds, to a microsecond.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
