package foreign

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/dialect/internal/patch"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// DecodeResult reads what a hook answered. A refusal that can be read is never lost to a
// fault elsewhere; of contradictory parts the strictest counts. With call.Strict, or when
// the failure of the hook refuses, unknown members and text around an answer are failures.
func (c *codec) DecodeResult(call *hook.Call, a handler.Answer) (hook.Result, []string, error) {
	t, e := c.row(call.Input)
	if e == nil {
		return hook.Result{}, nil, hook.Failf(hook.FailureAnswer, "the %s dialect has no %v", t.Name, call.Input.Event())
	}
	r := &reader{t: t, e: e, in: call.Input, strict: call.Strict || call.Hook != nil && call.Hook.Policy == hook.FailClosed}
	res, err := r.read(a)
	return res, r.notes, err
}

// reader reads one answer.
type reader struct {
	t      *Table
	e      *Event
	in     hook.Input
	strict bool
	notes  []string

	res           hook.Result
	reason, other string
	faults        []string
	unknown       []string
}

func (r *reader) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *reader) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// guards reports whether a hook of the event can stop something.
func (r *reader) guards() bool { return r.e.Event.Spec().CanBlock() }

func (r *reader) read(a handler.Answer) (hook.Result, error) {
	text := strings.TrimPrefix(string(a.Stdout), "\ufeff")
	if r.t.Answer != nil {
		text = r.t.Answer(text)
	}
	text = strings.TrimSpace(text)
	stderr := strings.ToValidUTF8(strings.TrimSpace(string(a.Stderr)), "\uFFFD")
	exit := Exit{JSON: true}
	if a.ExitCode != 0 && a.Signal == "" {
		exit = r.t.Exit(r.e, a.ExitCode)
	}
	isObject := strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}")
	var err error
	switch {
	case a.StdoutTruncated:
		err = hook.Failf(hook.FailureAnswer, "its answer is larger than the cap, and part of an answer is none")
	case isObject:
		err = r.object(text)
	case a.ExitCode == 0 && a.Signal == "":
		err = r.plain(text)
	}
	refused := r.res.Decision == hook.DecisionDeny || r.res.Continue == hook.No
	switch {
	case a.Signal != "" || a.ExitCode < 0:
		err = hook.Failf(hook.FailureSignal, "killed by %s: %s", a.Signal, firstLine(stderr, "nothing on stderr"))
	case exit.JSON && (isObject || a.ExitCode == 0):
	case exit.Denies && !r.guards():
		r.note("exit code %d cannot stop %s: stderr is shown to the person", a.ExitCode, r.e.Name)
		return hook.Result{Notice: stderr}, nil
	case exit.Denies && !refused:
		return hook.Deny(stderr), nil
	default:
		err = exitFailure(a.ExitCode, stderr)
	}
	if refused {
		return r.res, nil
	}
	if err != nil {
		return hook.Result{}, err
	}
	return r.res, nil
}

// Exit codes by which a shell says that it could not run a command.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

func exitFailure(code int, stderr string) error {
	kind := hook.FailureExit
	if code == exitNotFound || code == exitNotExecutable {
		kind = hook.FailureLaunch
	}
	return hook.Failf(kind, "exit code %d: %s", code, firstLine(stderr, "nothing on stderr"))
}

func firstLine(s, otherwise string) string {
	line, _, _ := strings.Cut(s, "\n")
	if line = strings.TrimSpace(line); line == "" {
		return otherwise
	}
	return line
}

// plain reads text that is not an object. One that may hold an answer is neither silence nor
// context where an answer can refuse.
func (r *reader) plain(text string) error {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if i := strings.IndexByte(text, '{'); i >= 0 && r.guards() && (r.strict || i == 0 || r.hidden(text[i:])) {
		return hook.Failf(hook.FailureAnswer, "stdout is not one JSON object, so that its answer was not read; it begins with %q", beginning(text))
	}
	switch {
	case text == "":
	case r.e.Text:
		r.res.Context = []string{text}
	default:
		r.note("plain text on stdout has no effect on %s: nobody sees it", r.e.Name)
	}
	return nil
}

// hidden reports whether text has the name of a member that answers have.
func (r *reader) hidden(text string) bool {
	return slices.ContainsFunc(r.e.Answer, func(m Member) bool {
		_, name, nested := strings.Cut(m.Path, ".")
		if !nested {
			name = m.Path
		}
		return strings.Contains(text, `"`+name+`"`)
	})
}

func beginning(s string) string { return strings.ToValidUTF8(s[:min(len(s), 80)], "") }

// object reads an answer that is to be a JSON object.
func (r *reader) object(text string) error {
	doc := hook.RawJSON(text)
	if !utf8.ValidString(text) || !doc.Valid() {
		return hook.Failf(hook.FailureAnswer, "stdout is not one JSON object; it begins with %q", beginning(text))
	}
	r.members("", doc)
	if r.res.Reason = r.reason; r.reason == "" {
		r.res.Reason = r.other
	}
	if r.res.Continue == hook.No && r.res.StopReason == "" {
		r.res.StopReason = r.res.Reason
	}
	if r.res.Decision == hook.DecisionNone && r.res.Reason != "" && r.res.Continue != hook.No {
		r.note("a reason without a decision is not read")
		r.res.Reason = ""
	}
	if r.res.Continue != hook.No {
		r.res.StopReason = ""
	} else if r.res.Decision == hook.DecisionAllow {
		r.note("the answer contradicts itself: the run ends, and the allow does not count")
		r.res.Decision, r.res.Reason = hook.DecisionNone, ""
	}
	for _, u := range r.unknown {
		r.note("unknown key %s", u)
	}
	for _, f := range r.faults {
		r.note("%s", f)
	}
	switch {
	case len(r.faults) > 0:
		return hook.Failf(hook.FailureAnswer, "%s", strings.Join(r.faults, "; "))
	case len(r.unknown) > 0 && (r.strict || r.t.Strict):
		return hook.Failf(hook.FailureAnswer, "unknown key %s: the answer is void", strings.Join(r.unknown, ", "))
	}
	return nil
}

// members reads the members of an object of the answer.
func (r *reader) members(prefix string, doc hook.JSON) {
	if dup := doc.DuplicateKeys(); len(dup) > 0 {
		r.fault("duplicate key %q", dup[0])
		return
	}
	var known []string
	for i := range r.e.Answer {
		known = append(known, r.e.Answer[i].Path)
	}
	for _, key := range doc.Keys() {
		v, _ := doc.Get(key)
		path := prefix + key
		inner := slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, path+".") })
		i := slices.Index(known, path)
		switch {
		case v.Raw() == "null" && (inner || i >= 0):
		case inner && strings.HasPrefix(v.Raw(), "{"):
			r.members(path+".", v)
		case inner && i < 0:
			r.fault("%s must be an object", path)
		case i >= 0:
			r.member(&r.e.Answer[i], v)
		default:
			shown := fmt.Sprintf("%q", beginning(path))
			if near := nearest.Spelling(path, known); near != "" {
				shown += fmt.Sprintf(" (did you mean %s?)", near)
			}
			r.unknown = append(r.unknown, shown)
		}
	}
}

// member reads one member.
func (r *reader) member(m *Member, v hook.JSON) {
	if m.In != nil {
		v = m.In(v)
	}
	switch m.Means {
	case Decides:
		r.decision(m, v)
	case GoesOn, Halts:
		r.goesOn(m, v)
	case Ends:
		ends := false
		if r.flag(m, v, &ends); ends {
			r.res.Continue = hook.No
		}
	case Refuses:
		r.text(m, v, &r.reason)
		r.res.Decision = hook.DecisionDeny
	case Reason:
		r.text(m, v, &r.reason)
	case OtherReason:
		r.text(m, v, &r.other)
	case HaltReason:
		r.text(m, v, &r.res.StopReason)
	case Notice:
		r.text(m, v, &r.res.Notice)
	case Suppress:
		r.flag(m, v, &r.res.SuppressOutput)
	case Interrupts:
		r.flag(m, v, &r.res.Interrupt)
	case AddsContext:
		r.list(m, v, &r.res.Context)
	case FollowUp:
		r.list(m, v, &r.res.FollowUps)
	case NewInput:
		r.input(m, v)
	case NewOutput:
		r.output(v)
	case NamesEvent:
		if s, ok := v.AsString(); !ok || s != r.e.Name {
			r.fault("%s is %s, but the event is %s", m.Path, beginning(v.Raw()), r.e.Name)
		}
	case Nothing:
		r.note("%s has no effect here", m.Path)
	}
}

func (r *reader) decision(m *Member, v hook.JSON) {
	s, isString := v.AsString()
	i := slices.IndexFunc(m.Words, func(w Word) bool { return w.Text == s })
	if !isString || i < 0 {
		var words []string
		for _, w := range m.Words {
			words = append(words, w.Text)
		}
		r.fault("%s must be %s, not %s", m.Path, strings.Join(words, " or "), beginning(v.Raw()))
		return
	}
	r.res.Decision = max(r.res.Decision, m.Words[i].Decision)
}

// goesOn reads a member of which false ends or refuses something.
func (r *reader) goesOn(m *Member, v hook.JSON) {
	on := true
	r.flag(m, v, &on)
	switch {
	case on:
	case m.Means == Halts:
		r.res.Continue = hook.No
	default:
		r.res.Decision = hook.DecisionDeny
	}
}

func (r *reader) text(m *Member, v hook.JSON, dst *string) {
	s, ok := v.AsString()
	if !ok {
		r.fault("%s must be a string", m.Path)
		return
	}
	*dst = s
}

func (r *reader) flag(m *Member, v hook.JSON, dst *bool) {
	switch v.Raw() {
	case "true", "false":
		*dst = v.Raw() == "true"
	default:
		r.fault("%s must be true or false", m.Path)
	}
}

func (r *reader) list(m *Member, v hook.JSON, dst *[]string) {
	var s string
	if r.text(m, v, &s); s != "" {
		*dst = append(*dst, s)
	}
}

// input reads a changed tool input, which replaces the whole one.
func (r *reader) input(m *Member, v hook.JSON) {
	if !strings.HasPrefix(v.Raw(), "{") {
		r.fault("%s must be an object", m.Path)
		return
	}
	v, err := r.t.inputIn(r.in, v)
	if err != nil {
		r.fault("%s: %v", m.Path, err)
		return
	}
	r.res.UpdatedInput = v
}

// output reads a changed result.
func (r *reader) output(v hook.JSON) {
	if tool, _ := toolOf(r.in); r.t.Result.In != nil {
		v = r.t.Result.In(tool, v)
	}
	r.res.UpdatedOutput = v
}

// inputIn makes of the host's form of an event's tool input the canonical one.
func (t *Table) inputIn(in hook.Input, v hook.JSON) (hook.JSON, error) {
	if t.Rewritten != nil {
		return t.Rewritten(in, v)
	}
	tool, input := toolOf(in)
	name, was := t.Tools.Out(tool, input)
	if t.Merges {
		for _, key := range v.Keys() {
			member, _ := v.Get(key)
			if err := was.Set(key, member); err != nil {
				return v, err
			}
		}
		v = was
	}
	_, v = t.Tools.In(name, v)
	return v, nil
}

// toolOf is the tool call that an event is about.
func toolOf(in hook.Input) (tool string, input hook.JSON) {
	if failed, ok := in.(*hook.PostToolUseFailure); ok {
		return failed.ToolName, failed.ToolInput
	}
	return patch.CallOf(in)
}
