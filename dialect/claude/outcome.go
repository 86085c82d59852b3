package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// EncodeOutcome answers a host of this dialect: what a hook would have to print,
// and the code with which it would have to exit, for the host to do what the
// outcome says. notes name what this dialect cannot say.
//
// What the outcome has for the person goes into systemMessage, since a host shows
// that to nobody else; with the option ToModel, messages of hooks become
// additional context instead.
func (c *Codec) EncodeOutcome(in hook.Input, out *hook.Outcome) (ans handler.Answer, notes []string, err error) {
	e := &encoder{codec: c, in: in, row: row(in.Event()), out: out, host: out.Host}
	if e.host == nil {
		e.host = &hook.HostEffects{}
	}
	e.universal()
	e.event()
	ans.ExitCode = e.exit
	if ans.Stdout, err = e.stdout(); err != nil {
		return handler.Answer{}, nil, fmt.Errorf("encode the outcome of %v: %w", in.Event(), err)
	}
	if e.stderr != "" {
		ans.Stderr = []byte(e.stderr + "\n")
	}
	return ans, out.Lost(e.wrote), nil
}

// encoder builds an answer.
type encoder struct {
	codec *Codec
	in    hook.Input
	row   eventRow
	out   *hook.Outcome
	host  *hook.HostEffects

	top      members
	specific members
	plain    string // stdout that is not JSON
	exit     int
	stderr   string
	wrote    hook.Fields
}

// members are the members of an object in their order.
type members []outMember

type outMember struct {
	key   string
	value any
}

func (m *members) add(key string, value any) { *m = append(*m, outMember{key, value}) }

// MarshalJSONTo writes the members as an object.
func (m members) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, one := range m {
		if err := enc.WriteToken(jsontext.String(one.key)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, one.value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

func (e *encoder) stdout() ([]byte, error) {
	if e.plain != "" {
		return []byte(e.plain + "\n"), nil
	}
	if len(e.specific) > 0 {
		e.top.add("hookSpecificOutput", append(members{{"hookEventName", e.row.event.String()}}, e.specific...))
	}
	if len(e.top) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(e.top, hook.EncodeOptions())
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

func (e *encoder) has(key string) bool { return slices.Contains(e.row.specific, key) }

// universal writes what every event may answer.
func (e *encoder) universal() {
	o := e.out
	e.wrote = hook.FieldHalt
	if o.Halt {
		e.top.add("continue", false)
		if o.StopReason != "" {
			e.top.add("stopReason", o.StopReason)
		}
	}
	if e.row.event == hook.EventStopFailure {
		return // where nothing else is read
	}
	e.wrote |= hook.FieldSuppressOutput | hook.FieldSystemMessage | hook.FieldNotice | hook.FieldTerminalSequence
	if o.SuppressOutput {
		e.top.add("suppressOutput", true)
	}
	said, context := slices.Clone(o.SystemMessages), slices.Clone(o.Context)
	if e.codec.opts.SystemMessage == ToModel && e.has(addContext) {
		context, said = append(context, said...), nil
	}
	if said = append(said, o.Notices...); len(said) > 0 {
		e.top.add("systemMessage", strings.Join(said, "\n"))
	}
	if e.host.TerminalSequence != "" {
		e.top.add("terminalSequence", e.host.TerminalSequence)
	}
	if len(context) > 0 && e.has(addContext) {
		e.specific.add(addContext, strings.Join(context, "\n"))
		e.wrote |= hook.FieldContext
	}
}

// event writes the decision and what only the event knows.
func (e *encoder) event() {
	switch ev := e.row.event; {
	case e.out.Halt && ev.Spec().KeepsGoing():
		e.wrote |= refused // the run ends, so that nothing is to go on
	case e.has("permissionDecision"):
		e.permission()
	case ev == hook.EventPermissionRequest:
		e.request()
	case ev == hook.EventStop || ev == hook.EventSubagentStop:
		if e.out.KeepGoing {
			e.block(strings.Join(e.out.Continuation(), "\n\n"))
			e.wrote |= hook.FieldFollowUps
		}
	case ev == hook.EventWorktreeCreate:
		e.worktree()
	case ev == hook.EventElicitation || ev == hook.EventElicitationResult:
		e.elicitation()
	case e.out.Decision == hook.DecisionDeny || e.out.Cancel:
		e.refuse()
	}
	e.single()
}

func (e *encoder) block(reason string) {
	e.top.add("decision", "block")
	e.top.add("reason", reason)
	e.wrote |= refused
}

// refused are the parts that a refusal says: that something is not to happen, be it
// that the agent stops.
const refused = hook.FieldDeny | hook.FieldCancel | hook.FieldContinue

// exitTwo refuses by exit code, which is all that some events know.
func (e *encoder) exitTwo() { e.only(2, e.reason(), refused) }

// only answers by exit code, beside which a host reads nothing.
func (e *encoder) only(code int, why string, said hook.Fields) {
	e.exit, e.stderr, e.wrote = code, why, said
	e.top, e.specific = nil, nil
}

// refuse writes a deny on an event without a decision of its own.
func (e *encoder) refuse() {
	switch {
	case e.row.block:
		e.block(e.reason())
	case e.row.two == exitTwoDenies:
		e.exitTwo()
	}
}

func (e *encoder) reason() string {
	if e.out.Reason != "" {
		return e.out.Reason
	}
	return "refused by a hook"
}

func (e *encoder) permission() {
	if d := e.out.Decision; d != hook.DecisionNone {
		e.specific.add("permissionDecision", d.String())
		e.wrote |= hook.FieldAllow | hook.FieldAsk | hook.FieldDefer | hook.FieldDeny
		if e.out.Reason != "" {
			e.specific.add("permissionDecisionReason", e.out.Reason)
		}
	}
	if e.has("updatedInput") && !e.out.UpdatedInput.IsZero() {
		e.specific.add("updatedInput", e.out.UpdatedInput)
		e.wrote |= hook.FieldUpdatedInput
	}
}

func (e *encoder) request() {
	var d members
	switch e.out.Decision {
	case hook.DecisionAllow:
		d.add("behavior", "allow")
		e.wrote |= hook.FieldAllow
		if !e.out.UpdatedInput.IsZero() {
			d.add("updatedInput", e.out.UpdatedInput)
			e.wrote |= hook.FieldUpdatedInput
		}
		if len(e.out.PermissionUpdates) > 0 {
			d.add("updatedPermissions", e.out.PermissionUpdates)
			e.wrote |= hook.FieldPermissionUpdates
		}
	case hook.DecisionDeny:
		d.add("behavior", "deny")
		e.wrote |= hook.FieldDeny
		d.add("message", e.reason())
		if e.out.Interrupt {
			d.add("interrupt", true)
			e.wrote |= hook.FieldInterrupt
		}
	default:
		return // the person is asked anyway
	}
	e.specific.add("decision", d)
}

// worktree answers with the path as plain text, which is what a host reads. A
// hook in place of git that made no worktree has failed.
func (e *encoder) worktree() {
	switch {
	case e.out.Decision == hook.DecisionDeny:
		e.exitTwo()
	case e.host.WorktreePath == "" || strings.ContainsAny(e.host.WorktreePath, "\r\n"):
		e.only(1, "no hook created the worktree", hook.FieldWorktreePath)
	default:
		e.only(0, "", hook.FieldWorktreePath)
		e.plain = e.host.WorktreePath
	}
}

func (e *encoder) elicitation() {
	if e.out.Decision == hook.DecisionDeny {
		e.exitTwo()
		return
	}
	if e.host.ElicitationAction != "" {
		e.wrote |= hook.FieldElicitation
		e.specific.add("action", e.host.ElicitationAction)
		if !e.host.ElicitationContent.IsZero() {
			e.specific.add("content", e.host.ElicitationContent)
		}
	}
}

// single writes the members of hookSpecificOutput that say one part of an outcome each.
func (e *encoder) single() {
	for _, m := range specificMembers() {
		if m.write == nil || !e.has(m.key) {
			continue
		}
		if v, set := m.write(e); set {
			e.specific.add(m.key, v)
			e.wrote |= m.says
		}
	}
}

// changedOutput is the output that a hook left, if it has the form that the host takes.
func (e *encoder) changedOutput() (any, bool) {
	if e.out.UpdatedOutput.IsZero() {
		return nil, false
	}
	_, keeps := keepsForm(e.in, e.out.UpdatedOutput)
	return e.out.UpdatedOutput, keeps
}
