package agent

import (
	"time"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// turn is a turn that hooks know has begun.
type turn struct {
	index       int
	answered    bool           // the model has, to the end
	answer      *answer        // nil while there is none
	answerEntry string         // that keeps it, "" for none
	results     *model.Message // of its calls, nil for none
	resultEntry string
}

// agentStarts tells hooks that the agent starts on its first message, and of each message's
// turn, before they are told of the message.
func (r *run) agentStarts() {
	if !r.started {
		r.started = true
		r.observe(r.ctx, &hook.AgentStart{})
	}
	r.turnStarts()
}

// agentEnds tells hooks that the agent is done, and of the end of the turn that it is in.
func (r *run) agentEnds(err error) {
	r.turnEnds(err)
	if r.has(hook.EventAgentEnd) {
		r.observeLast(&hook.AgentEnd{Messages: r.conversation.seenSince(r.first), Outcome: r.outcome(err)})
	}
	r.started = false
}

// outcome is what AgentEnd hooks are told of how the turns ended.
func (r *run) outcome(err error) string {
	switch {
	case r.ctx.Err() != nil:
		return "aborted"
	case err != nil:
		return "error"
	}
	return "completed"
}

// turnStarts tells hooks once of each turn.
func (r *run) turnStarts() {
	if r.turn != nil {
		return
	}
	r.turn = &turn{index: r.res.Turns}
	r.conversation.beginTurn()
	r.observe(r.ctx, &hook.TurnStart{TurnIndex: r.turn.index, Timestamp: time.Now().UnixMilli()})
}

// turnEnds tells hooks once of the end of each turn, however it came.
func (r *run) turnEnds(err error) {
	t := r.turn
	if r.turn = nil; t == nil || !r.has(hook.EventTurnEnd) {
		return
	}
	in := &hook.TurnEnd{TurnIndex: t.index, Outcome: r.outcome(err), MessageEntry: t.answerEntry, ResultsEntry: t.resultEntry}
	switch {
	case t.answered:
		in.Outcome = "completed"
	case in.Outcome == "completed": // a hook or a bound ended it
		in.Outcome = "aborted"
	}
	if err := r.describeTurn(in, t); err != nil {
		r.notify(err.Error(), ui.Warning)
	}
	r.observeLast(in)
}

// describeTurn says what the model answered in a turn, and what its calls came to.
func (r *run) describeTurn(in *hook.TurnEnd, t *turn) error {
	if t.answer == nil {
		return nil
	}
	resp := t.answer.resp
	msg, err := toHook(resp.Message)
	if err != nil {
		return err
	}
	msg.Extra = t.answer.stored().extra()
	stamp(&msg, time.Now())
	in.Message, in.Response, in.StopReason = &msg, resp.Message.Text(), string(resp.Reason)
	if t.results == nil {
		return nil
	}
	in.ToolResults, err = r.eachResult(*t.results)
	for i := range in.ToolResults {
		stamp(&in.ToolResults[i], time.Now())
	}
	return err
}
