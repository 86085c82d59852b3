package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// run is one prompt being worked on.
type run struct {
	*Agent
	ctx       context.Context
	res       Result
	first     int   // how many messages there were before
	fromQueue bool  // begun by a message that was queued: those behind it come after it
	started   bool  // hooks know that the agent has started
	turn      *turn // nil between turns

	system        *string // in place of the system prompt, for this prompt
	stops         int     // how often hooks kept the agent going
	reminders     int
	overflowed    bool
	endAfterCalls bool          // the calls of this turn were the model's last word
	deferred      string        // why a hook deferred a call
	refused       string        // why a refusal interrupted the turn
	took          time.Duration // by the last model call
	lastEntry     string        // the entry of the last message
	fallback      int           // how many fallbacks were taken
	asked         *chosenModel  // by the prompt, nil for the agent's model
}

// Prompt works on a prompt of the person until the model has finished; see Run.
func (a *Agent) Prompt(ctx context.Context, text string) (Result, error) {
	return a.Run(ctx, Prompt{Text: text})
}

// Run works on a prompt until the model has finished, a hook ends it, a bound is
// reached or the context ends. Result.End says which it was. The error is for what
// went wrong: a model that can't be asked, a session that can't be written, ErrBusy,
// ErrClosed, or the cause of a context that ended.
func (a *Agent) Run(ctx context.Context, p Prompt) (Result, error) {
	if err := a.holder.take(); err != nil {
		return Result{}, err
	}
	defer a.holder.release()
	return (&run{Agent: a}).begin(ctx, p)
}

// begin is Run for whoever holds the agent.
func (r *run) begin(ctx context.Context, p Prompt) (Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.ctx = ctx
	r.place.move(r.Dir())
	r.prompt.begin(p.Granted)
	r.takeModel(p.Model)
	defer r.holder.begin(cancel)()
	err := r.work(p)
	return r.finish(err), err
}

// work is the whole of a prompt.
func (r *run) work(p Prompt) error {
	if err := r.start(r.ctx); err != nil {
		return err
	}
	if err := r.instructionsRead(r.ctx); err != nil {
		return err
	}
	r.reconfigure()
	err := r.submit(p)
	if !r.started {
		return err
	}
	for r.started { // again when AgentEnd hooks put in messages
		if err == nil {
			err = r.turns()
		}
		r.agentEnds(err)
		if err == nil && !r.over() && r.res.End == "" {
			_, err = r.takeQueued(Steer, NextTurn, FollowUp)
		}
	}
	r.observeLast(&hook.AgentSettled{Aborted: r.ctx.Err() != nil})
	return err
}

// turns goes on until there is a reason to end.
func (r *run) turns() error {
	for again := true; again; {
		if r.over() || r.bounded() {
			break
		}
		var err error
		if again, err = r.oneTurn(); err != nil {
			return err
		}
	}
	return r.ctxErr()
}

// oneTurn is a model call and the tool calls that it asks for. It reports whether
// there is to be another.
func (r *run) oneTurn() (again bool, err error) {
	if err := r.beginTurn(); err != nil || r.over() {
		return false, err
	}
	answer, err := r.ask()
	switch {
	case err != nil:
		return false, r.failed(answer, err)
	case answer == nil:
		return false, nil
	}
	r.turn.answered = true
	if err := r.recordAnswer(answer); err != nil {
		return false, err
	}
	calls := answer.resp.Message.ToolUses()
	if err := r.callTools(calls); err != nil {
		return false, err
	}
	r.turnEnds(nil)
	if err := r.Session().Sync(); err != nil {
		return false, err
	}
	switch {
	case r.over():
		return false, nil
	case len(calls) > 0 && !r.endAfterCalls, answer.resp.Reason == model.StopPauseTurn:
		return true, nil
	case answer.resp.Reason == model.StopContextLimit && !r.overflowed:
		r.overflowed = true
		return r.autoCompact("overflow")
	}
	r.cutOff(answer.resp)
	return r.wantsToStop(answer.resp.Message.Text())
}

// cutOff tells the person about an answer that ended before it was complete.
func (r *run) cutOff(resp *model.Response) {
	switch resp.Reason {
	case model.StopMaxTokens, model.StopContextLimit:
		r.res.Reason = "the model's answer was cut off at the limit of its length"
	case model.StopRefusal:
		r.res.Reason = "the model refused to answer"
	default:
		return
	}
	if resp.Detail != "" {
		r.res.Reason += ": " + resp.Detail
	}
	r.notify(r.res.Reason, ui.Warning)
}

// wantsToStop is asked when the model has nothing more to do: queued messages,
// open todos and Stop hooks may keep it going.
func (r *run) wantsToStop(last string) (again bool, err error) {
	said, err := r.conversation.length()
	if err != nil {
		return false, err
	}
	contextOnly := r.res.ContextOnly
	if more, err := r.awaitMore(); more || err != nil {
		r.res.Resumed = said - r.first
		r.res.ContextOnly -= contextOnly
		return more, err
	}
	if more, err := r.remind(); more || err != nil {
		return more, err
	}
	out, in, err := r.fireStop(last)
	if out.Halt && r.depth > 0 { // it stops in any case, with its work done
		r.prompt.takeHalt()
		return false, err
	}
	if err != nil || !out.KeepGoing || r.over() {
		return false, err
	}
	if r.stops >= r.cfg.MaxStops {
		r.res.Reason = fmt.Sprintf("hooks kept the agent from stopping %d times in a row; it stops nevertheless", r.stops)
		r.notify(r.res.Reason, ui.Warning)
		return false, r.recordContinuation(&out, in)
	}
	r.stops++
	return true, r.recordContinuation(&out, in)
}

// fireStop fires Stop or, in a subagent, SubagentStop.
func (r *run) fireStop(last string) (hook.Outcome, hook.Input, error) {
	active := r.stops > 0
	if r.depth > 0 {
		in := &hook.SubagentStop{StopHookActive: active, LastAssistantMessage: last, AgentTranscriptPath: r.ownTranscript(), BackgroundTasks: r.backgroundTasks()}
		if r.has(hook.EventSubagentStop) {
			in.Messages = r.live.Messages()
		}
		out, err := r.Fire(r.ctx, in)
		return out, in, err
	}
	in := &hook.Stop{StopHookActive: active, LastAssistantMessage: last, BackgroundTasks: r.backgroundTasks()}
	if r.has(hook.EventStop) {
		in.Messages = r.live.Messages()
	}
	out, err := r.Fire(r.ctx, in)
	return out, in, err
}

// over reports whether the prompt is to end now.
func (r *run) over() bool {
	return r.prompt.whyHalted() != "" || r.ctx.Err() != nil || r.deferred != "" || r.refused != ""
}

// ctxErr returns why the context has ended, nil when it has not.
func (r *run) ctxErr() error {
	if r.ctx.Err() == nil {
		return nil
	}
	return context.Cause(r.ctx)
}

// bounded reports whether a bound is reached.
func (r *run) bounded() bool {
	switch used := r.res.Usage.InputTokens + r.res.Usage.CacheWriteTokens + r.res.Usage.OutputTokens; {
	case r.cfg.MaxTurns > 0 && r.res.Turns >= r.cfg.MaxTurns:
		r.res.End, r.res.Reason = EndMaxTurns, fmt.Sprintf("the limit of %d turns is reached", r.cfg.MaxTurns)
	case r.cfg.Budget > 0 && used >= r.cfg.Budget:
		r.res.End, r.res.Reason = EndBudget, fmt.Sprintf("the budget of %d tokens is used up (%d)", r.cfg.Budget, used)
	default:
		return r.overCost()
	}
	return true
}

// overCost reports whether the bound of the cost is reached. What nobody can count is.
func (r *run) overCost() bool {
	if r.cfg.MaxCost <= 0 || r.cfg.Cost == nil {
		return false
	}
	switch usd, unpriced := r.cfg.Cost(); {
	case unpriced != "":
		r.res.Reason = fmt.Sprintf("the price of %s is not known, so the budget of $%g cannot be kept", unpriced, r.cfg.MaxCost)
	case usd >= r.cfg.MaxCost:
		r.res.Reason = fmt.Sprintf("the budget of $%g is used up ($%.4f)", r.cfg.MaxCost, usd)
	default:
		return false
	}
	r.res.End = EndBudget
	return true
}

// beginTurn fires TurnStart, takes up what came in meanwhile, and compacts when the window
// fills up.
func (r *run) beginTurn() error {
	r.reconfigure()
	r.turnStarts()
	for _, reason := range r.collectLate() {
		if err := r.addContext(reason, "background hook"); err != nil {
			return err
		}
	}
	if r.cfg.Ended != nil && r.depth == 0 {
		for _, text := range r.cfg.Ended() {
			if err := r.addContext(text, "background command"); err != nil {
				return err
			}
		}
	}
	if _, err := r.takeQueued(Steer, NextTurn); err != nil {
		return err
	}
	r.filesChanged(r.ctx)
	return r.compactIfFull()
}

// reconfigure takes up configuration that has changed.
func (r *run) reconfigure() {
	if r.cfg.Reconfigure == nil || r.ctx.Err() != nil {
		return
	}
	if err := r.cfg.Reconfigure(r.ctx); err != nil && r.ctx.Err() == nil {
		r.notify("The configuration stays as it was: "+err.Error(), ui.Warning)
	}
}

// finish says how the prompt ended.
func (r *run) finish(err error) Result {
	haltReason := r.prompt.takeHalt()
	r.res.Denials = r.prompt.denied()
	switch {
	case haltReason != "" && (err == nil || r.ctx.Err() != nil):
		r.res.End, r.res.Reason = EndHalted, haltReason
		r.notify("Stopped: "+haltReason, ui.Warning)
	case err != nil && r.ctx.Err() != nil:
		r.res.End, r.res.Reason = EndInterrupted, context.Cause(r.ctx).Error()
	case err != nil:
		r.res.End, r.res.Reason = EndFailed, err.Error()
	case r.deferred != "":
		r.res.End, r.res.Reason = EndDeferred, r.deferred
	case r.refused != "":
		r.res.End, r.res.Reason = EndInterrupted, r.refused
	case r.res.End == "":
		r.res.End = EndDone
	}
	r.res.Messages = r.conversation.since(r.first)
	if err := r.Session().Sync(); err != nil && !errors.Is(err, session.ErrClosed) {
		r.notify(err.Error(), ui.Error)
	}
	r.emit(Event{Kind: KindIdle, Result: &r.res})
	r.idleLater()
	return r.res
}
