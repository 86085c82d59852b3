package bridge

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// encode answers a host. Losses are those of degrade, and what the codec found that it
// cannot say of this one outcome, which is degraded then too. They are told to the person
// where the host has a place for that.
func encode(d dialect.Dialect, h *dialect.Host, e *dialect.HostEvent, in hook.Input, out *hook.Outcome) (ans handler.Answer, losses []loss, held []string, err error) {
	honours := e.Honours
	var said int // how many losses the person was told of
	for last := false; ; last = true {
		more, context := degrade(h, e, honours, out)
		losses, held = append(losses, more...), append(held, context...)
		for _, l := range losses[said:] {
			if honours&hook.FieldNotice != 0 {
				out.Notices = append(out.Notices, "Hookline: lost "+l.String())
			}
		}
		said = len(losses)
		var notes []string
		if ans, notes, err = d.Codec().EncodeOutcome(in, out); err != nil {
			return handler.Answer{}, losses, held, fmt.Errorf("say the outcome to %s: %w", h.Title, err)
		}
		unsaid := partsOf(notes) & honours
		if unsaid == 0 || last {
			for _, n := range notes {
				losses = append(losses, loss{Field: strings.Fields(n + " ?")[0], Why: n, Instead: "it has no effect"})
			}
			return ans, losses, held, nil
		}
		honours &^= unsaid
	}
}

// partsOf are the parts that notes of a codec begin with.
func partsOf(notes []string) (f hook.Fields) {
	for _, p := range hook.AnswerParts() {
		for _, n := range notes {
			if strings.HasPrefix(n, p.Name+" ") {
				f |= p.Field
			}
		}
	}
	return f
}

// refusal is the host's own form of a deny, for when no outcome can be computed: that of its
// codec, or, where that has none, the exit code and the reason on stderr. On an event that
// cannot be denied, and does not go wrong by an error, it is an error that is shown.
func refusal(d dialect.Dialect, h *dialect.Host, event, reason string) (ans handler.Answer) {
	ans = handler.Answer{ExitCode: 2, Stderr: []byte(reason + "\n")}
	e := h.Event(event)
	switch {
	case e == nil:
		return ans
	case !e.CanRefuse():
		ans.ExitCode = 1
		return ans
	}
	defer func() {
		if recover() != nil {
			ans = handler.Answer{ExitCode: 2, Stderr: []byte(reason + "\n")}
		}
	}()
	out := &hook.Outcome{Event: e.Event, Decision: hook.DecisionDeny, Reason: reason, Cancel: e.Honours&hook.FieldCancel != 0}
	if said, _, err := d.Codec().EncodeOutcome(e.Event.Spec().New(), out); err == nil && len(said.Stdout)+len(said.Stderr) > 0 {
		return said
	}
	return ans
}
