package claude

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/toolrule"
)

// Registrations turns the entries of one file into registrations, as those of a set of
// files are.
func (f *Settings) Registrations(b Builder) ([]hook.Registration, []diag.Diagnostic) {
	return newFileSet(f).Registrations(b)
}

// Registrations turns the entries of all files into registrations of one group, in
// declared order: one for each entry, in the order of Files and of their Entries,
// save for the files of agents when no agent is running. An entry that could not
// be loaded, or whose handler cannot be made, becomes a hook that fails wherever
// it would have run.
func (s *fileSet) Registrations(b Builder) ([]hook.Registration, []diag.Diagnostic) {
	b.Commands = b.Commands.ready()
	var regs []hook.Registration
	var diags []diag.Diagnostic
	for _, f := range s.files {
		if f.Scope == ScopeAgent && b.AgentID == "" {
			continue // its agent is not running
		}
		r, d := s.registrationsOf(f, b)
		regs, diags = append(regs, r...), append(diags, d...)
	}
	return regs, diags
}

// registrationsOf makes those of one file of the set; b's Commands are ready.
func (s *fileSet) registrationsOf(f *Settings, b Builder) (regs []hook.Registration, diags []diag.Diagnostic) {
	budget := b.SessionEndBudget
	if budget <= 0 {
		budget = s.SessionEndBudget()
	}
	off, _ := s.disabled(f)
	for i := range f.Entries {
		m := maker{set: s, f: f, b: &b, e: &f.Entries[i], off: off, budget: budget}
		regs = append(regs, m.registration())
		diags = append(diags, m.diags...)
	}
	return regs, diags
}

// maker makes one registration.
type maker struct {
	set    *fileSet
	f      *Settings
	b      *Builder
	e      *Entry
	off    string
	budget time.Duration
	diags  []diag.Diagnostic
}

func (m *maker) report(s diag.Severity, remedy, format string, args ...any) {
	d := place(m.f.Path, m.e.Line, m.e.Column, m.e.Pointer)
	d.Severity, d.Remedy, d.Message = s, remedy, fmt.Sprintf(format, args...)
	m.diags = append(m.diags, d)
}

func (m *maker) registration() hook.Registration {
	e := m.e
	r := hook.Registration{
		Event: e.Event, Name: m.f.named(m.e.Label()), Dialect: Name, Source: m.source(), Scope: m.f.Scope.String(),
		Matcher: e.matcher, Condition: m.b.whileUsed(m.f, heard(e.Event, m.condition())), Group: m.b.Group,
		OnFailure: e.OnFailure, Guard: e.Guard, Once: e.Once, MainOnly: !e.IncludeSubagents, Inactive: m.off, Summaries: true,
	}
	if e.Type == TypeWorker && e.Guard && e.OnFailure == hook.FailDefault {
		r.OnFailure = hook.FailClosed
	}
	if m.f.Scope == ScopeAgent {
		r.AgentID = m.b.AgentID
	}
	if e.Broken != "" {
		r.Handler = unloaded(fmt.Sprintf("it could not be loaded from %s: %s", r.Source, e.Broken))
		return r
	}
	m.times(&r)
	m.run(&r)
	return r
}

func (m *maker) source() string {
	if m.e.Line == 0 {
		return m.f.Path
	}
	return fmt.Sprintf("%s:%d", m.f.Path, m.e.Line)
}

// times sets the deadline and whether the hook runs in the background.
func (m *maker) times(r *hook.Registration) {
	e := m.e
	r.Timeout = e.Timeout
	if r.Timeout == 0 {
		r.Timeout = defaultTimeout(e.Type, e.Event)
	}
	if e.Event == hook.EventSessionEnd {
		// They start together, so that each may use what all have.
		r.Timeout = m.budget
		if e.Timeout > 0 {
			r.Timeout = min(e.Timeout, m.budget)
		}
	}
	switch {
	case e.AsyncRewake:
		r.Async, r.AsyncTimeout = hook.AsyncRewake, r.Timeout
	case e.Async:
		// The default times are for hooks that somebody waits for.
		r.Async, r.AsyncTimeout = hook.AsyncYes, e.Timeout
	}
}

// run sets the handler.
func (m *maker) run(r *hook.Registration) {
	e := m.e
	if e.Type == TypeHTTP && !m.set.URLAllowed(m.f, e.URL) {
		why := fmt.Sprintf("allowedHttpHookUrls does not let %s through", redacted(e.URL))
		m.report(diag.Warning, "add it to allowedHttpHookUrls", "%s", why)
		r.Handler = unloaded(why)
		return
	}
	if _, refused := m.set.allowedEnv(m.f, e.AllowedEnvVars); len(refused) > 0 {
		m.report(diag.Warning, "add them to httpHookAllowedEnvVars", "httpHookAllowedEnvVars does not let %s through", strings.Join(refused, ", "))
	}
	if missing := m.missing(); missing != "" {
		m.report(diag.Error, "set the plugin's option", "${%s} has no value: the hook cannot run", missing)
		r.Handler = unloaded("${" + missing + "} has no value")
		return
	}
	h, err := m.b.handler(m.f, m.set, e)
	if err != nil {
		m.report(diag.Error, "", "the hook cannot be run: %v", err)
		h = unloaded(err.Error())
	}
	r.Handler = &namedHandler{Handler: h, identity: m.identity(), entry: e}
}

// missing returns a variable of the exec form that has no value.
func (m *maker) missing() string {
	if !m.e.startsProgram() || m.e.Args == nil {
		return ""
	}
	vars, missing := m.f.vars(m.b.ProjectDir), ""
	for _, s := range append([]string{m.e.Command}, m.e.Args...) {
		replaceVars(s, func(name string) (string, bool) {
			if _, ok := vars[name]; !ok && missing == "" && strings.HasPrefix(name, "user_config.") {
				missing = name
			}
			return "", false
		})
	}
	return missing
}

// condition decides by the entry's filter.
func (m *maker) condition() hook.Condition {
	e := m.e
	switch {
	case e.If == "" || e.Broken != "" && e.filter.Tool() == "":
		return nil
	case !hasTool(e.Event):
		return func(hook.Input) (hook.Matched, string) {
			return hook.MatchNo, "if works on tool events only"
		}
	}
	filter, project, home := e.filter, m.b.ProjectDir, m.b.Home
	return func(in hook.Input) (hook.Matched, string) { return matchIf(filter, in, project, home) }
}

// unheard is what hooks of this format are not told of, though other hooks are.
func unheard(in hook.Input) string {
	switch in := in.(type) {
	case *hook.PermissionDenied:
		if in.Explicit {
			return "the agent did not refuse it by itself: it was told to"
		}
	case *hook.PostToolUseFailure:
		if in.IsInterrupt {
			return "a person interrupted the call"
		}
	}
	return ""
}

// heard is a condition that also leaves out what hooks are not told of.
func heard(event hook.Event, next hook.Condition) hook.Condition {
	if event != hook.EventPermissionDenied && event != hook.EventPostToolUseFailure {
		return next
	}
	return func(in hook.Input) (hook.Matched, string) {
		switch why := unheard(in); {
		case why != "":
			return hook.MatchNo, why
		case next != nil:
			return next(in)
		}
		return hook.MatchYes, ""
	}
}

// matchIf tests a filter. What cannot be decided runs the hook, and so does a
// filter that fails.
func matchIf(filter toolrule.Rule, in hook.Input, project, home string) (m hook.Matched, why string) {
	defer func() {
		if p := recover(); p != nil {
			m, why = hook.MatchUncertain, fmt.Sprintf("the filter failed: %v", p)
		}
	}()
	tool, input := toolCall(in)
	got := toolrule.MatchIf(filter, toolrule.Call{Tool: tool, Input: jsontext.Value(input.Raw()), Cwd: in.Base().CWD, ProjectDir: project, Home: home})
	why = fmt.Sprintf("if %s: %s", filter, got.Why)
	if got.Part != "" {
		why += fmt.Sprintf(" (%s)", truncate(got.Part, 80))
	}
	switch got.Answer {
	case toolrule.Yes:
		return hook.MatchYes, why
	case toolrule.No:
		return hook.MatchNo, why
	}
	return hook.MatchUncertain, why
}

func toolCall(in hook.Input) (tool string, input hook.JSON) {
	switch in := in.(type) {
	case *hook.PreToolUse:
		return in.ToolName, in.ToolInput
	case *hook.PermissionRequest:
		return in.ToolName, in.ToolInput
	case *hook.PermissionDenied:
		return in.ToolName, in.ToolInput
	case *hook.PostToolUse:
		return in.ToolName, in.ToolInput
	case *hook.PostToolUseFailure:
		return in.ToolName, in.ToolInput
	}
	return "", hook.JSON{}
}

// identity tells hooks apart after their variables have been replaced. Copies that
// differ in when they run, for how long, or in what their failure counts as are
// different hooks, so that the laxer one never stands in for the stricter.
func (m *maker) identity() string {
	e, vars := m.e, m.f.vars(m.b.ProjectDir)
	expand := func(s string) string {
		return replaceVars(s, func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
	}
	sum := sha256.New()
	add := func(parts ...string) {
		fmt.Fprintf(sum, "%d;", len(parts))
		for _, p := range parts {
			fmt.Fprintf(sum, "%d:%s", len(p), p)
		}
	}
	add(string(e.Type), m.f.origin(), e.OnFailure.String(), fmt.Sprint(e.Async, e.AsyncRewake, e.Args != nil, e.ContinueOnBlock, e.Guard))
	add(e.If, e.Timeout.String(), e.RewakeMessage, e.RewakeSummary)
	add(expand(e.Command), e.Shell, e.URL, e.Server, e.Tool, e.Input.Raw(), e.Prompt, e.Model)
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = expand(a)
	}
	add(args...)
	add(pairs(e.Env)...)
	add(pairs(e.Headers)...)
	add(e.AllowedEnvVars...)
	return "claude:" + hex.EncodeToString(sum.Sum(nil))
}

func pairs(m map[string]string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k, m[k])
	}
	return out
}

// unloaded is a hook that cannot run, and says why.
type unloaded string

func (u unloaded) Handle(context.Context, *hook.Call) (hook.Result, error) {
	return hook.Result{}, hook.Failf(hook.FailureLoad, "%s", string(u))
}

// namedHandler gives a handler the identity of its entry.
type namedHandler struct {
	hook.Handler
	identity string
	entry    *Entry
}

var (
	_ hook.Identifier = (*namedHandler)(nil)
	_ hook.Graceful   = (*namedHandler)(nil)
	_ dialect.Wrapper = (*namedHandler)(nil)
)

// Identity tells the hook apart from others of its group.
func (h *namedHandler) Identity() string { return h.identity }

// Grace is that of the handler itself.
func (h *namedHandler) Grace() time.Duration {
	if g, ok := h.Handler.(hook.Graceful); ok {
		return g.Grace()
	}
	return 0
}

// Unwrap returns the handler itself.
func (h *namedHandler) Unwrap() hook.Handler { return h.Handler }

// Handle runs the hook. What a rewaking hook has to say is put as its entry asks.
// A call that a hook could not even be told of is refused where one can be.
func (h *namedHandler) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	res, err := h.Handler.Handle(ctx, call)
	if e, ok := errors.AsType[*encodeError](err); ok && (e.Event == hook.EventPreToolUse || e.Event == hook.EventPermissionRequest) {
		return hook.Deny(e.Error()), nil
	}
	if err == nil && h.entry.AsyncRewake && res.Decision == hook.DecisionDeny {
		res.Reason = joined(h.entry.RewakeMessage, res.Reason)
		res.Notice = joined(res.Notice, h.entry.RewakeSummary)
	}
	return res, err
}
