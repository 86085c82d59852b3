package foreign

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// EncodeOutcome answers the host with JSON and exit code 0. What it cannot be asked or told
// goes to the nearest stricter thing: a question to a person that it does not put, a
// decision that is put off and the end of the run are refusals with the reason, where
// the event can be refused. Notes name what is lost.
func (c *codec) EncodeOutcome(in hook.Input, out *hook.Outcome) (handler.Answer, []string, error) {
	t, row := c.row(in)
	if row == nil {
		return handler.Answer{}, nil, fmt.Errorf("the %s dialect has no %v", t.Name, in.Event())
	}
	e := &encoder{t: t, e: row, in: in, out: out, doc: hook.RawJSON("{}")}
	e.person()
	e.decide()
	e.changes()
	doc := e.whole()
	if t.Silent && len(doc.Keys()) == 0 {
		return handler.Answer{}, out.Lost(e.wrote), nil
	}
	return handler.Answer{Stdout: append(doc.AppendTo(nil), '\n')}, out.Lost(e.wrote), nil
}

// encoder builds an answer.
type encoder struct {
	t     *Table
	e     *Event
	in    hook.Input
	out   *hook.Outcome
	doc   hook.JSON
	inner []inner
	wrote hook.Fields
}

// inner is an object in an answer.
type inner struct {
	name string
	doc  hook.JSON
}

// set writes the member with a meaning and counts the parts as said. It reports whether
// there is such a member.
func (e *encoder) set(m Meaning, v any, parts hook.Fields) bool {
	member := e.e.member(m)
	if member == nil {
		return false
	}
	if member.Out != nil {
		v = member.Out(v)
	}
	e.put(member.Path, v)
	e.wrote |= parts
	return true
}

// put writes a member of the answer or of an object in it.
func (e *encoder) put(path string, v any) {
	object, name, nested := strings.Cut(path, ".")
	if !nested {
		_ = e.doc.Set(path, v) // an object of our own
		return
	}
	for i := range e.inner {
		if e.inner[i].name == object {
			set(&e.inner[i].doc, name, v)
			return
		}
	}
	one := inner{object, hook.RawJSON("{}")}
	if m := e.e.member(NamesEvent); m != nil && strings.HasPrefix(m.Path, object+".") {
		set(&one.doc, strings.TrimPrefix(m.Path, object+"."), e.e.Name)
	}
	set(&one.doc, name, v)
	e.inner = append(e.inner, one)
}

// set sets a member of an object of our own, or one of an object in it.
func set(doc *hook.JSON, path string, v any) {
	object, name, nested := strings.Cut(path, ".")
	if !nested {
		_ = doc.Set(path, v)
		return
	}
	inside, ok := doc.Get(object)
	if !ok {
		inside = hook.RawJSON("{}")
	}
	set(&inside, name, v)
	_ = doc.Set(object, inside)
}

func (e *encoder) whole() hook.JSON {
	for _, i := range e.inner {
		_ = e.doc.Set(i.name, i.doc) // an object of our own
	}
	return e.doc
}

// person writes what is for the person and for the model.
func (e *encoder) person() {
	o := e.out
	if said := append(append([]string{}, o.SystemMessages...), o.Notices...); len(said) > 0 {
		e.set(Notice, strings.Join(said, "\n"), hook.FieldSystemMessage|hook.FieldNotice)
	}
	if o.SuppressOutput {
		e.set(Suppress, true, hook.FieldSuppressOutput)
	}
	if len(o.Context) > 0 {
		e.set(AddsContext, strings.Join(o.Context, "\n"), hook.FieldContext)
	}
}

// The parts that a refusal, and what keeps an agent going, say.
const (
	refused   = hook.FieldDeny | hook.FieldCancel | hook.FieldContinue
	goesOn    = refused | hook.FieldFollowUps
	questions = hook.FieldAsk | hook.FieldDefer
)

// decide writes the decision.
func (e *encoder) decide() {
	o, keeps := e.out, e.e.Event.Spec().KeepsGoing()
	if o.Halt && e.halt() {
		if keeps {
			e.wrote |= goesOn // the run ends, so that nothing is to go on
		}
		return
	}
	switch {
	case o.Halt && keeps:
		e.wrote |= goesOn // nothing holds the agent back from stopping
	case o.Halt:
		e.refuse(reasonOr(o.StopReason, "a hook ends the run"), hook.FieldHalt|hook.FieldAllow|refused)
	case keeps && o.KeepGoing:
		e.goOn(strings.Join(o.Continuation(), "\n\n"))
	case o.Blocked():
		e.refuse(reasonOr(o.Reason, "refused by a hook"), refused)
		if o.Interrupt {
			e.set(Interrupts, true, hook.FieldInterrupt)
		}
	case o.Decision == hook.DecisionDefer:
		e.refuse("deferred, and nobody is there to decide: "+o.Reason, questions)
	case o.Decision == hook.DecisionAsk:
		e.ask()
	case o.Decision == hook.DecisionAllow && !e.e.RewriteAllows && (o.UpdatedInput.IsZero() || e.e.member(NewInput) != nil):
		e.say(hook.DecisionAllow, o.Reason, hook.FieldAllow)
	}
}

func reasonOr(reason, otherwise string) string {
	if strings.TrimSpace(reason) == "" {
		return otherwise
	}
	return reason
}

// halt ends the run, where the host lets a hook do that. A call that it lets through all
// the same is refused as well.
func (e *encoder) halt() bool {
	const parts = hook.FieldHalt | hook.FieldAllow
	if !e.set(Halts, false, parts) && !e.set(Ends, true, parts) {
		return false
	}
	why := reasonOr(e.out.Reason, "refused by a hook")
	if stop := e.out.StopReason; stop != "" && !e.set(HaltReason, stop, 0) {
		e.set(Reason, stop, 0)
		why += "\n" + stop
	}
	if e.out.Blocked() {
		e.refuse(why, refused)
	}
	return true
}

// say writes a decision and its reason, and reports whether the host has a word for it.
func (e *encoder) say(d hook.Decision, reason string, parts hook.Fields) bool {
	word := e.e.member(Decides).word(d)
	if word == "" {
		return false
	}
	e.set(Decides, word, parts)
	if reason != "" {
		e.set(Reason, reason, 0)
	}
	return true
}

// refuse says no in the host's way.
func (e *encoder) refuse(reason string, parts hook.Fields) {
	switch {
	case e.say(hook.DecisionDeny, reason, parts), e.set(Refuses, reason, parts):
	case e.set(GoesOn, false, parts):
		e.set(Reason, reason, 0)
	}
}

// ask has the host ask a person, and refuses where it would not.
func (e *encoder) ask() {
	if !e.say(hook.DecisionAsk, e.out.Reason, hook.FieldAsk) {
		e.refuse("a person would have to be asked: "+e.out.Reason, questions)
	}
}

// goOn keeps an agent from stopping.
func (e *encoder) goOn(why string) {
	if !e.say(hook.DecisionDeny, why, goesOn) {
		e.set(FollowUp, why, goesOn)
	}
}

// changes writes a changed input and a changed result, of a call that is not refused.
func (e *encoder) changes() {
	o := e.out
	if !o.UpdatedInput.IsZero() && !e.refuses() {
		tool, _ := toolOf(e.in)
		_, input := e.t.Tools.Out(tool, o.UpdatedInput)
		if e.t.Merges {
			input = e.over(input)
		}
		if e.set(NewInput, input, hook.FieldUpdatedInput) && e.e.RewriteAllows {
			e.say(hook.DecisionAllow, "", hook.FieldAllow)
		}
	}
	if !o.UpdatedOutput.IsZero() {
		output := o.UpdatedOutput
		if tool, _ := toolOf(e.in); e.t.Result.Out != nil {
			output = e.t.Result.Out(tool, output)
		}
		if e.e.RefusalReplaces && !e.refuses() {
			text, _ := Text("", o.UpdatedOutput).AsString()
			e.refuse(reasonOr(text, "(nothing)"), hook.FieldUpdatedOutput)
			return
		}
		e.set(NewOutput, output, hook.FieldUpdatedOutput)
	}
}

// over is a changed input that a host puts over the one that was: of what is not in it any
// more it says null.
func (e *encoder) over(input hook.JSON) hook.JSON {
	tool, was := toolOf(e.in)
	_, was = e.t.Tools.Out(tool, was)
	for _, key := range was.Keys() {
		if !input.Has(key) {
			_ = input.Set(key, nil) // an object, or the tool could not take it
		}
	}
	return input
}

// refuses reports whether the answer is anything but a go-ahead.
func (e *encoder) refuses() bool {
	return e.out.Halt || e.out.Blocked() || e.out.Decision == hook.DecisionDefer ||
		e.out.Decision == hook.DecisionAsk && e.e.member(Decides).word(hook.DecisionAsk) == ""
}
