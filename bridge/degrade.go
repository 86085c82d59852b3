package bridge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// loss is a part of an outcome that a host could not be told.
type loss struct {
	// Field is the part's name in the answer table, and Hook who said it, "" when nobody
	// knows.
	Field, Hook string
	// Why says what is in the way, and Instead what was done.
	Why, Instead string
}

func (l loss) String() string {
	said := l.Field
	if l.Hook != "" {
		said += " of " + l.Hook
	}
	return fmt.Sprintf("%s: %s; %s", said, l.Why, l.Instead)
}

// needsPerson begins the reason of a deny in the place of a question.
const needsPerson = "This needs a person, and cannot be asked here: "

// degrade makes of an outcome one that a host can be told on an event that honours some
// parts: never a weaker one. held is context that is for a later event.
func degrade(h *dialect.Host, e *dialect.HostEvent, honours hook.Fields, out *hook.Outcome) (losses []loss, held []string) {
	d := degrader{host: h, event: e, honours: honours, out: out}
	said := out.Result()
	lost := said.Fields() &^ honours
	d.decision(lost)
	d.halt(lost)
	d.rewrite(lost&hook.FieldUpdatedInput, "call it again with this input", out.UpdatedInput.Raw())
	if out.UpdatedPrompt != nil {
		d.rewrite(lost&hook.FieldUpdatedPrompt, "send this prompt", *out.UpdatedPrompt)
	}
	d.output(lost & hook.FieldUpdatedOutput)
	d.speech(lost)
	const done = hook.FieldAllow | hook.FieldAsk | hook.FieldDefer | hook.FieldDeny | hook.FieldHalt |
		hook.FieldUpdatedInput | hook.FieldUpdatedPrompt | hook.FieldUpdatedOutput | hook.FieldContext | hook.FieldSystemMessage
	for _, p := range hook.AnswerParts() {
		if lost&p.Field&^done != 0 {
			d.lose(p.Field, "it has no effect")
		}
	}
	out.Drop(lost &^ (hook.FieldAllow | hook.FieldAsk | hook.FieldDefer | hook.FieldDeny))
	return d.losses, d.forLater
}

type degrader struct {
	host     *dialect.Host
	event    *dialect.HostEvent
	honours  hook.Fields
	out      *hook.Outcome
	losses   []loss
	forLater []string
}

// canDeny reports whether a deny keeps the host from something.
func (d *degrader) canDeny() bool {
	return d.honours&hook.FieldDeny != 0 && d.event.Event.Spec().CanFailClosed()
}

func (d *degrader) lose(part hook.Field, instead string) {
	d.losses = append(d.losses, loss{
		Field: strings.Join(part.Names(), ", "), Hook: d.who(part), Instead: instead,
		Why: fmt.Sprintf("%s cannot be told it on %s", d.host.Title, d.event.Name),
	})
}

// who is the hook that said a part.
func (d *degrader) who(part hook.Field) string {
	if part&(hook.FieldAllow|hook.FieldAsk|hook.FieldDefer|hook.FieldDeny) != 0 {
		return d.out.DecidedBy
	}
	var names []string
	for _, r := range d.sayers(part) {
		if !slices.Contains(names, r.Hook.Name) {
			names = append(names, r.Hook.Name)
		}
	}
	return strings.Join(names, ", ")
}

// sayers are the runs whose answer has a part.
func (d *degrader) sayers(part hook.Field) []*hook.Run {
	var out []*hook.Run
	for i := range d.out.Runs {
		if r := &d.out.Runs[i]; r.Answer != nil && r.Answer.Fields()&part != 0 {
			out = append(out, r)
		}
	}
	return out
}

// deny makes a deny of what is lost.
func (d *degrader) deny(part hook.Field, reason string) {
	d.lose(part, "denied")
	o := d.out
	if o.Decision == hook.DecisionDeny {
		o.Reason += "\n" + reason
		return
	}
	o.DecidedBy = cmp.Or(d.who(part), o.DecidedBy)
	o.Decision, o.Reason = hook.DecisionDeny, reason
	o.Cancel = o.Cancel || d.honours&hook.FieldCancel != 0
}

func (d *degrader) decision(lost hook.Fields) {
	o := d.out
	switch part := lost & (hook.FieldAllow | hook.FieldAsk | hook.FieldDefer | hook.FieldDeny); {
	case part == 0:
	case part == hook.FieldAllow:
		d.lose(part, "its own rules decide")
		o.Drop(part)
	case part != hook.FieldDeny && d.canDeny():
		d.deny(part, needsPerson+cmp.Or(o.Reason, "a hook of "+cmp.Or(o.DecidedBy, "this person")+" asks"))
	default:
		d.lose(part, "it has no effect")
		o.Notices = append(o.Notices, "A hook said "+o.Decision.String()+", which has no effect here: "+o.Reason)
		o.Drop(part)
	}
}

// halt makes a deny of the end of the run. Where the agent stops anyway, it does.
func (d *degrader) halt(lost hook.Fields) {
	switch {
	case lost&hook.FieldHalt == 0:
	case d.event.Event.Spec().KeepsGoing():
		d.lose(hook.FieldHalt, "the agent stops as it wanted to")
	case d.canDeny():
		d.deny(hook.FieldHalt, cmp.Or(d.out.StopReason, "A hook ends the run here."))
	default:
		d.lose(hook.FieldHalt, "the run goes on")
	}
}

// rewrite gives up a change. One of a guard becomes a deny that says what to do instead.
// An allow that counted for the changed input does not outlive it.
func (d *degrader) rewrite(part hook.Field, remedy, changed string) {
	if part == 0 {
		return
	}
	if d.out.Decision == hook.DecisionAllow {
		d.out.Drop(hook.FieldAllow)
	}
	if d.ofGuard(part) && d.canDeny() {
		d.deny(part, fmt.Sprintf("A hook changes this, which cannot be done here: %s instead: %s", remedy, changed))
		return
	}
	d.lose(part, "dropped")
}

// ofGuard reports whether a guard said a part.
func (d *degrader) ofGuard(part hook.Field) bool {
	return slices.ContainsFunc(d.sayers(part), func(r *hook.Run) bool {
		return r.Hook.Guard || r.Hook.Policy == hook.FailClosed || r.Hook.Policy == hook.FailAsk
	})
}

// output gives up a change of a result. One of a guard becomes a refusal of the result, which
// some hosts take out of the model's sight, and which tells the model in any case.
func (d *degrader) output(part hook.Field) {
	switch {
	case part == 0:
	case d.ofGuard(part) && d.canDeny():
		d.deny(part, "A hook changes this result, which cannot be done here. Take this for it: "+d.out.UpdatedOutput.Raw())
	default:
		d.lose(part, "the model reads the result as it was")
	}
}

// speech holds context for a later event. A message for both the model and the person is
// context and a notice.
func (d *degrader) speech(lost hook.Fields) {
	o := d.out
	if lost&hook.FieldSystemMessage != 0 {
		d.lose(hook.FieldSystemMessage, "context and a notice")
		o.Context, o.Notices = append(o.Context, o.SystemMessages...), append(o.Notices, o.SystemMessages...)
	}
	if d.honours&hook.FieldContext == 0 && len(o.Context) > 0 {
		if d.host.Takes(hook.FieldContext) {
			d.lose(hook.FieldContext, "held for the next event of the session that takes it")
			d.forLater = o.Context
		} else {
			d.lose(hook.FieldContext, "it has no effect")
		}
		o.Drop(hook.FieldContext)
	}
}
