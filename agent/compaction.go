package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent/internal/compact"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// ErrNothingToCompact is returned by Compact for a conversation that is too short.
var ErrNothingToCompact = errors.New("there is nothing to compact")

// Compact summarises the conversation, with the person's instructions for the
// summary. refused says why a hook did not want it, "" when none was against it; all is
// then as it was.
func (a *Agent) Compact(ctx context.Context, instructions string) (refused string, err error) {
	_, refused, err = a.compactNow(ctx, instructions)
	return refused, err
}

// compactNow is Compact; no entry is one that a hook did not want.
func (a *Agent) compactNow(ctx context.Context, instructions string) (*session.Entry, string, error) {
	if err := a.holder.take(); err != nil {
		return nil, "", err
	}
	defer a.holder.release()
	return a.compactHeld(ctx, instructions)
}

// compactHeld is compactNow for whoever holds the agent.
func (a *Agent) compactHeld(ctx context.Context, instructions string) (*session.Entry, string, error) {
	if err := a.start(ctx); err != nil {
		return nil, "", err
	}
	a.prompt.beginWithout()
	if a.prompt.whyHalted() == "" {
		defer a.prompt.takeHalt() // what is to end from here on has ended with the compaction
	}
	return a.compact(ctx, "manual", instructions, -1)
}

// CompactSoon compacts now when the agent is idle, and after the prompt that runs
// otherwise; it doesn't wait for that. It returns the compaction, nil when it comes later
// or a hook did not want it.
func (a *Agent) CompactSoon(ctx context.Context, instructions string) (*session.Entry, error) {
	if e, _, err := a.compactNow(ctx, instructions); !errors.Is(err, ErrBusy) {
		return e, err
	}
	a.WhenIdle(func() {
		if _, _, err := a.compactHeld(a.holder.ctx, instructions); err != nil && a.holder.ctx.Err() == nil {
			a.notify("The conversation could not be compacted: "+err.Error(), ui.Warning)
		}
	})
	return nil, nil
}

// compact makes a compaction. It returns nil, and why, when a hook cancelled it.
func (a *Agent) compact(ctx context.Context, trigger, instructions string, keep int64) (*session.Entry, string, error) {
	e, refused, err := a.tryCompact(ctx, trigger, instructions, keep)
	if e == nil {
		in := &hook.CompactFailed{Trigger: trigger, Aborted: refused != "" || ctx.Err() != nil}
		if err != nil && !in.Aborted {
			in.ErrorMessage = err.Error()
		}
		a.observeEnd(ctx, in)
	}
	return e, refused, err
}

func (a *Agent) tryCompact(ctx context.Context, trigger, instructions string, keep int64) (_ *session.Entry, refused string, err error) {
	plan, branch, err := a.conversation.plan(keep)
	if err != nil {
		return nil, "", err
	}
	prep, err := plan.Preparation()
	if err == nil {
		err = prep.Set("settings", map[string]any{
			"enabled": a.cfg.Window > 0, "keepRecentTokens": plan.Keep, "reserveTokens": int64(float64(a.cfg.Window) * (1 - a.cfg.CompactAt)),
		})
	}
	if err != nil {
		return nil, "", err
	}
	pre := &hook.PreCompact{Trigger: trigger, CustomInstructions: instructions, Preparation: prep}
	if a.has(hook.EventPreCompact) {
		for _, e := range branch {
			j, err := lenientJSON(e)
			if err != nil {
				return nil, "", err
			}
			pre.BranchEntries = append(pre.BranchEntries, j)
		}
	}
	out, err := a.Fire(ctx, pre)
	switch {
	case err != nil:
		return nil, "", err
	case out.Blocked():
		return nil, cmp.Or(a.refusalText(&out, pre), "a hook refused it"), nil
	case a.prompt.whyHalted() != "":
		return nil, cmp.Or(out.StopReason, "a hook ended the run"), nil
	}
	entry := session.Entry{Type: session.Compaction, FirstKeptEntryID: plan.FirstKept, TokensBefore: plan.TokensBefore}
	if c := out.Compaction; c != nil {
		applyHookCompaction(&entry, c, branch)
	} else if err := a.summarise(ctx, &entry, plan, instructions, out.Compacting, prep); err != nil {
		return nil, "", err
	}
	if entry, err = a.conversation.recordCompaction(entry); err != nil {
		return nil, "", err
	}
	a.emit(Event{Kind: KindCompacted, Text: entry.Summary, Source: trigger, Tokens: entry.TokensBefore})
	j, err := lenientJSON(entry)
	if err != nil {
		return nil, "", err
	}
	if a.depth == 0 {
		err = a.sessionStarted(ctx, "compact", "")
	}
	a.observe(ctx, &hook.PostCompact{Trigger: trigger, CompactSummary: entry.Summary, CompactionEntry: j, FromHook: entry.FromHook})
	return &entry, "", err
}

// applyHookCompaction takes a compaction that a hook made. A first kept entry that is not on
// the branch would keep nothing unseen; the plan's stays then.
func applyHookCompaction(e *session.Entry, c *hook.Compaction, branch []session.Entry) {
	e.Summary, e.FromHook, e.Details = strings.ToValidUTF8(c.Summary, "\uFFFD"), true, rawValue(c.Details)
	if c.FirstKeptEntryID == "" || slices.ContainsFunc(branch, func(b session.Entry) bool { return b.ID == c.FirstKeptEntryID }) {
		e.FirstKeptEntryID = c.FirstKeptEntryID
	}
	if c.TokensBefore > 0 {
		e.TokensBefore = int64(c.TokensBefore)
	}
}

// summarise asks the model for the summary, as Compacting hooks steer it.
func (a *Agent) summarise(ctx context.Context, e *session.Entry, plan compact.Plan, instructions string, steer *hook.CompactingAnswer, prep hook.JSON) error {
	out, err := a.Fire(ctx, &hook.Compacting{Preparation: prep})
	if err != nil {
		return err
	}
	if out.Compacting != nil {
		steer = out.Compacting
	}
	if steer == nil {
		steer = &hook.CompactingAnswer{}
	}
	text, err := a.Ask(ctx, plan.Request("", instructions, *steer)) // "" is the agent's model
	if err != nil {
		return fmt.Errorf("asking for the summary: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return errors.New("asking for the summary: the model said nothing")
	}
	e.Summary = text
	a.summarised(ctx, text)
	if !steer.PreserveData.IsZero() {
		e.Details = rawValue(hook.MustJSON(map[string]any{"preserveData": steer.PreserveData}))
	}
	return nil
}

// summarised tells of a summary as of a subagent that stops: formats count it so, without
// one that has started. Of the answers only one that ends the run counts.
func (a *Agent) summarised(ctx context.Context, text string) {
	in := &hook.SubagentStop{Summary: true, LastAssistantMessage: text, BackgroundTasks: a.backgroundTasks()}
	if !a.has(in.Event()) {
		return
	}
	in.Common, in.AgentTranscriptPath = a.common(), a.ownTranscript()
	in.AgentID, in.AgentType, in.InvokedBy = newID(), "", "subagent"
	out, err := a.tell(ctx, in)
	a.showMessages(&out)
	switch {
	case out.Halt:
		a.prompt.halt(out.StopReason)
	case err != nil && ctx.Err() == nil && !errors.Is(err, hook.ErrClosed):
		a.notify(err.Error(), ui.Warning)
	}
}

// ContextTokens estimates how many tokens the conversation takes.
func (a *Agent) ContextTokens() int64 { return a.conversation.tokens() }

// compactIfFull compacts when the conversation fills the model's window.
func (r *run) compactIfFull() error {
	if !r.conversation.fills(r.cfg.CompactAt, r.cfg.Window) {
		return nil
	}
	_, err := r.autoCompact("threshold")
	r.conversation.compactedByItself()
	return err
}

// autoCompact compacts without being asked. A failure does not end the prompt: the
// next call may go well nevertheless.
func (r *run) autoCompact(reason string) (done bool, err error) {
	r.observe(r.ctx, &hook.AutoCompactionStart{Reason: reason})
	if r.over() {
		return false, r.ctxErr()
	}
	keep := int64(0)
	if r.cfg.Window > 0 {
		keep = max(min(compact.DefaultKeep, r.cfg.Window/4), 1)
	}
	entry, _, err := r.compact(r.ctx, "auto", "", keep)
	end := &hook.AutoCompactionEnd{Aborted: entry == nil, WillRetry: reason == "overflow" && entry != nil}
	if err != nil {
		end.ErrorMessage = err.Error()
	}
	if entry != nil {
		end.Result = hook.MustJSON(hook.Compaction{Summary: entry.Summary, FirstKeptEntryID: entry.FirstKeptEntryID, TokensBefore: int(entry.TokensBefore)})
	}
	r.observeLast(end)
	if r.ctx.Err() != nil {
		return false, r.ctxErr()
	}
	if err != nil && !errors.Is(err, ErrNothingToCompact) {
		r.notify("The conversation could not be compacted: "+err.Error(), ui.Warning)
	}
	r.first = 0
	return entry != nil, nil
}
