package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// topLevelKeys are the members of an answer.
var topLevelKeys = []string{
	"continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence",
	"decision", "reason", "hookSpecificOutput", "async", "asyncTimeout",
}

func topLevel(key string) bool { return slices.Contains(topLevelKeys, key) }

// decisionLike reports whether an unknown member looks like an attempt to decide.
func decisionLike(key string) bool {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key)) {
	case "decision", "permissiondecision", "permission", "result", "status", "verdict", "action", "behavior", "behaviour",
		"allow", "allowed", "deny", "denied", "block", "blocked", "approve", "approved", "reject", "rejected", "continue",
		"hookspecificoutput":
		return true
	}
	return false
}

// decisionAt is one decision of an answer and where it stands.
type decisionAt struct {
	where    string
	decision hook.Decision
}

// answer collects what an object says.
type answer struct {
	r   *reader
	res hook.Result

	decisions               []decisionAt
	reason, specificReason  string
	systemMessage           string
	known                   int
	problems                []string // members of the wrong kind
	unread                  []string // unknown members that look like a decision
	fromToolOutput, silence bool
}

// object reads an answer that is a JSON object.
func (r *reader) object(members []member) (hook.Result, error) {
	a := &answer{r: r}
	for _, m := range r.withoutInput(members) {
		a.top(m)
	}
	a.decide()
	if !refusal(&a.res) {
		if err := a.fault(len(members)); err != nil {
			return hook.Result{}, err
		}
	}
	for _, p := range a.problems {
		r.note("%s", p)
	}
	if a.silence {
		return hook.Result{}, nil
	}
	a.route()
	return a.res, nil
}

// withoutInput leaves out the members of an input that a hook printed back, which are not an
// answer.
func (r *reader) withoutInput(members []member) []member {
	has := func(key string) bool {
		return slices.ContainsFunc(members, func(m member) bool { return m.key == key })
	}
	if !has("hook_event_name") || !has("session_id") {
		return members
	}
	r.note("the output has the hook's input in it, which is not an answer")
	keys := inputKeys(r.event())
	return slices.DeleteFunc(slices.Clone(members), func(m member) bool { return slices.Contains(keys, m.key) && !topLevel(m.key) })
}

// fault says why an answer that does not refuse cannot be taken as one.
func (a *answer) fault(members int) error {
	switch {
	case len(a.problems) > 0:
		return hook.Failf(hook.FailureAnswer, "%s", strings.Join(a.problems, "; "))
	case a.r.strict && len(a.unread) > 0:
		return hook.Failf(hook.FailureAnswer, "unknown key %s, no decision read", strings.Join(a.unread, ", "))
	case a.r.strict && a.known == 0 && members > 0:
		return hook.Failf(hook.FailureAnswer, "the answer has no key that is known")
	}
	return nil
}

func (a *answer) problem(format string, args ...any) {
	a.problems = append(a.problems, fmt.Sprintf(format, args...))
}

// wrong records a member of the wrong kind.
func (a *answer) wrong(key string, v hook.JSON, want string) {
	a.problem("%s must be %s, not %s", key, want, kindOf(v))
}

func kindOf(v hook.JSON) string {
	switch raw := v.Raw(); {
	case raw == "null":
		return "null"
	case raw == "true" || raw == "false":
		return raw
	case strings.HasPrefix(raw, `"`):
		return "a string"
	case strings.HasPrefix(raw, "["):
		return "an array"
	case strings.HasPrefix(raw, "{"):
		return "an object"
	}
	return "a number"
}

// top reads a member of the answer itself.
func (a *answer) top(m member) {
	if topLevel(m.key) {
		a.known++
	}
	switch m.key {
	case "continue":
		a.goOn(m.value)
	case "stopReason":
		a.text(m.key, m.value, &a.res.StopReason)
	case "suppressOutput":
		a.bool(m.key, m.value, &a.res.SuppressOutput)
	case "systemMessage":
		a.text(m.key, m.value, &a.systemMessage)
	case "terminalSequence":
		a.terminal(m.value)
	case "decision":
		a.topDecision(m.value)
	case "reason":
		a.text(m.key, m.value, &a.reason)
	case "hookSpecificOutput":
		a.specific(m.value)
	case "async", "asyncTimeout":
		a.r.note("%s counts only as the first line of the output", m.key)
	default:
		a.unknown(m.key, m.value, topLevelKeys)
	}
}

// unknown notes a member that means nothing. One that may have been meant to decide
// is remembered, for strict mode; a permissionDecision that stands in the wrong
// place and refuses is believed.
func (a *answer) unknown(key string, v hook.JSON, known []string) {
	if key == "permissionDecision" {
		if s, _ := v.AsString(); s == "deny" || s == "block" {
			a.say(key, hook.DecisionDeny)
			a.r.note("permissionDecision belongs into hookSpecificOutput; it refuses all the same")
			return
		}
	}
	tail, decides := "", true
	switch near := nearest.Spelling(key, known); {
	case near != "":
		tail = fmt.Sprintf(" (did you mean %s?)", near)
	case specificRow(key) != nil:
		tail = " (it belongs into hookSpecificOutput)"
	case decisionLike(key):
		tail = fmt.Sprintf(" (a decision is written %s)", decisionForm(a.r.row))
	default:
		decides = false
	}
	if !decides {
		a.r.note("unknown key %s", shown(key))
		return
	}
	a.unread = append(a.unread, shown(key)+tail)
	a.r.note("unknown key %s, no decision read%s", shown(key), tail)
}

// shown is a key as a message shows it: quoted when it has more than words.
func shown(key string) string {
	if len(key) > 80 || key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return fmt.Sprintf("%q", beginning(key))
	}
	return key
}

// decisionForm says how a decision on an event is written.
func decisionForm(r eventRow) string {
	switch {
	case slices.Contains(r.specific, "permissionDecision"):
		return `{"hookSpecificOutput":{"hookEventName":"` + r.event.String() + `","permissionDecision":"deny"}}`
	case r.event == hook.EventPermissionRequest:
		return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}`
	case r.block:
		return `{"decision":"block","reason":"..."}`
	}
	return "by exit code, or not at all on this event"
}

func (a *answer) text(key string, v hook.JSON, dst *string) {
	s, ok := v.AsString()
	if !ok {
		a.wrong(key, v, "a string")
		return
	}
	*dst = s
}

func (a *answer) bool(key string, v hook.JSON, dst *bool) {
	switch v.Raw() {
	case "true", "false":
		*dst = v.Raw() == "true"
	default:
		a.wrong(key, v, "true or false")
	}
}

func (a *answer) goOn(v hook.JSON) {
	ev := a.r.event()
	switch v.Raw() {
	case "false":
		a.res.Continue = hook.No
	case "true":
		switch stops := ev == hook.EventStop || ev == hook.EventSubagentStop; {
		case stops && a.r.codec.opts.StopOnContinueTrue:
			a.res.Continue = hook.Yes
		case stops:
			a.r.note(`continue true does not keep the agent going: {"decision":"block","reason":"..."} does, or claude.stopOnContinueTrue in config.json`)
		}
	default:
		a.wrong("continue", v, "true or false")
	}
}

// host returns the host effects, made when first asked for.
func (a *answer) host() *hook.HostEffects {
	if a.res.Host == nil {
		a.res.Host = &hook.HostEffects{}
	}
	return a.res.Host
}

func (a *answer) say(where string, d hook.Decision) {
	a.decisions = append(a.decisions, decisionAt{where: where, decision: d})
}

// word reads the word of a decision; aliases are noted.
func (a *answer) word(key string, v hook.JSON) (d hook.Decision, ok bool) {
	s, isString := v.AsString()
	if !isString {
		a.wrong(key, v, "a word")
		return 0, false
	}
	switch s {
	case "deny", "block":
		d = hook.DecisionDeny
	case "allow", "approve":
		d = hook.DecisionAllow
	case "ask":
		d = hook.DecisionAsk
	case "defer":
		d = hook.DecisionDefer
	default:
		a.problem("unknown %s %q%s", key, beginning(s), suggest(s))
		return 0, false
	}
	if key == "permissionDecision" && (s == "block" || s == "approve") {
		a.r.note("permissionDecision %q is read as %v", s, d)
	}
	return d, true
}

func suggest(word string) string {
	if near := nearest.Spelling(word, []string{"allow", "deny", "ask", "defer", "block", "approve"}); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return " (the words are allow, deny, ask and defer, or block)"
}

// topDecision reads the member decision of the answer itself, which knows block
// and, on PreToolUse, approve.
func (a *answer) topDecision(v hook.JSON) {
	d, ok := a.word("decision", v)
	if !ok {
		return
	}
	ev := a.r.event()
	switch {
	case ev == hook.EventPreToolUse:
		a.r.note("decision on PreToolUse is deprecated: use hookSpecificOutput.permissionDecision")
		a.say("decision", d)
	case ev == hook.EventPermissionRequest && d != hook.DecisionDeny:
		a.r.note("decision is not read on PermissionRequest: it takes hookSpecificOutput.decision")
		a.unread = append(a.unread, "decision")
	case d == hook.DecisionDeny:
		a.say("decision", d)
	case d == hook.DecisionAllow:
		// approve is the format's word for no objection.
	default:
		a.r.note("decision %v has no effect on %v", d, ev)
	}
}

// undisclosedReason is what the model is told of a refusal whose reason is not for it.
const undisclosedReason = "Permission to use this tool was refused by a hook"

// decide settles on the strictest decision.
func (a *answer) decide() {
	for _, s := range a.decisions {
		if s.decision > a.res.Decision {
			a.res.Decision = s.decision
		}
	}
	for _, s := range a.decisions {
		if s.decision != a.res.Decision {
			a.r.note("the answer contradicts itself: %s says %v, and %v counts as the stricter", s.where, s.decision, a.res.Decision)
		}
	}
	a.res.Reason = a.specificReason
	if a.res.Reason == "" {
		a.res.Reason = a.reason
	}
	if a.r.event() == hook.EventPermissionRequest && a.res.Decision == hook.DecisionDeny && a.specificReason == "" && a.reason != "" {
		a.r.note("the model is told the message of hookSpecificOutput.decision only, and the person this reason")
		a.res.Notice, a.res.Reason = joined(a.res.Notice, a.reason), undisclosedReason
	}
	switch {
	case a.res.Decision == hook.DecisionNone && a.res.Reason != "":
		a.r.note("a reason without a decision is not read")
		a.res.Reason = ""
	case a.res.Decision == hook.DecisionDeny && a.res.Reason == "" && a.systemMessage != "":
		a.r.note("the refusal has no reason: systemMessage is not what the model is told")
	}
	a.halt()
	if a.r.settled() && a.res.Decision == hook.DecisionDeny {
		a.r.note("%s cannot be refused", a.r.what())
		a.res.Decision, a.res.Reason = hook.DecisionNone, ""
	}
	if a.r.event() == hook.EventStopFailure {
		a.silence = a.res.Continue != hook.No
		a.r.note("the output has no effect on StopFailure")
	}
}

// halt lets continue false outrank an allow.
func (a *answer) halt() {
	switch {
	case a.res.Continue != hook.No && a.res.StopReason != "":
		a.r.note("stopReason is read only with continue false")
		a.res.StopReason = ""
	case a.res.Continue == hook.No && a.res.Decision == hook.DecisionAllow:
		a.r.note("the answer contradicts itself: continue false counts, not the allow")
		a.res.Decision, a.res.Reason = hook.DecisionNone, ""
	}
}

// route sends systemMessage where it goes.
func (a *answer) route() {
	switch {
	case a.systemMessage == "":
	case a.r.codec.opts.SystemMessage == ToPerson:
		a.res.Notice = a.systemMessage
	case a.r.codec.opts.SystemMessage == ToModel:
		a.res.Context = append(a.res.Context, a.systemMessage)
	default:
		a.res.SystemMessage = a.systemMessage
	}
}
