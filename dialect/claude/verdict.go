package claude

import (
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// verdict reads the answer of a model: {"ok":true} is no objection, {"ok":false}
// with a reason is one. Models like to put a fence around JSON, which is taken
// off.
func (r *reader) verdict(doc document) (hook.Result, error) {
	if doc.kind == docText {
		doc = recognise([]byte(unfenced(doc.text)), false)
	}
	switch doc.kind {
	case docObject:
	case docBroken:
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "the model's answer: %s", doc.why)
	default:
		return hook.Result{}, hook.Failf(hook.FailureAnswer, `the model must answer {"ok":true} or {"ok":false,"reason":"..."}; its answer begins with %q`, beginning(doc.text))
	}
	a := &answer{r: r}
	ok, impossible, decided := false, false, false
	for _, m := range doc.members {
		switch m.key {
		case "ok":
			a.bool(m.key, m.value, &ok)
			decided = len(a.problems) == 0
		case "reason":
			a.text(m.key, m.value, &a.reason)
		case "impossible":
			a.bool(m.key, m.value, &impossible)
		default:
			r.note("unknown key %s in the model's answer", m.key)
		}
	}
	if !decided {
		a.problem("the model's answer has no ok")
	}
	if len(a.problems) > 0 && (!decided || ok) {
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "%s", strings.Join(a.problems, "; "))
	}
	return r.judged(ok, impossible, a.reason), nil
}

// judged is what a model's verdict means on the event.
func (r *reader) judged(ok, impossible bool, reason string) hook.Result {
	switch {
	case ok:
		return hook.Result{}
	case impossible && r.keepsGoing():
		// Going on cannot bring about what the hook asks for.
		r.note("the model finds that what it asks for is impossible: the agent may stop")
		return hook.Result{Notice: reason}
	case r.hasRun() && r.codec.kind == fromModel:
		return hook.Result{Decision: hook.DecisionDeny, Reason: reason, Continue: hook.No, StopReason: reason}
	}
	return hook.Deny(reason)
}

func (r *reader) keepsGoing() bool {
	switch r.event() {
	case hook.EventStop, hook.EventSubagentStop, hook.EventTeammateIdle:
		return true
	}
	return false
}

// hasRun reports whether the event comes after tools have run.
func (r *reader) hasRun() bool {
	switch r.event() {
	case hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventPostToolBatch:
		return true
	}
	return false
}

// unfenced returns the body of a text that is one fenced block, or the text.
func unfenced(s string) string {
	body, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s
	}
	if body, ok = strings.CutSuffix(strings.TrimSpace(body), "```"); !ok {
		return s
	}
	if _, rest, ok := strings.Cut(body, "\n"); ok {
		return rest
	}
	return body
}
