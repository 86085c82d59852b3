package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// common returns the fields that every event carries.
func (a *Agent) common() hook.Common {
	mode := string(a.cfg.Permission.Mode())
	c := hook.Common{
		CWD: a.place.hookDir(), PermissionMode: mode, RecipeName: a.cfg.Recipe,
		PromptID: a.prompt.current(), InvokedBy: "main", Live: a.live,
	}
	if a.depth > 0 {
		c.AgentID, c.AgentType, c.InvokedBy = a.id, a.kind, "subagent"
		if a.teammate != nil && a.cfg.Team {
			c.AgentType = a.teammate.name
		}
		owner := a.family.main
		c.PromptID = owner.prompt.current()
		c.SessionID, c.TranscriptPath = owner.conversation.identity()
		return c
	}
	c.SessionID, c.TranscriptPath = a.conversation.identity()
	return c
}

// has reports whether anybody hears an event.
func (a *Agent) has(ev hook.Event) bool {
	if r, ok := a.cfg.Hooks.(Registrar); ok {
		return r.Registry().Has(ev)
	}
	return a.cfg.Hooks != nil
}

// Fire fires an event from this agent: the common fields are filled in, messages
// are shown, context waits for the next model call, and an answer that ends the run
// ends the prompt that runs. The caller acts on the rest of the outcome.
func (a *Agent) Fire(ctx context.Context, in hook.Input) (hook.Outcome, error) {
	if !a.has(in.Event()) {
		return hook.Outcome{Event: in.Event()}, nil
	}
	set := *in.Base()
	*in.Base() = a.common()
	in.Base().MCPServer = set.MCPServer
	in.Base().CWD = cmp.Or(set.CWD, in.Base().CWD)
	out, err := a.tell(ctx, in)
	if err != nil {
		return out, err
	}
	a.showMessages(&out)
	if in.Event() != hook.EventUserPromptSubmit || !out.Blocked() { // else the prompt that it is for is not sent
		if err := a.storeContext(&out, func(text string) string { return a.label(&out, in, text) }); err != nil {
			return out, err
		}
	}
	a.watchFiles(&out)
	if out.Halt {
		a.prompt.halt(out.StopReason)
		return out, a.ended(in, out.StopReason)
	}
	return out, nil
}

// tell has hooks run for an event, and shows what they print and what went wrong.
func (a *Agent) tell(ctx context.Context, in hook.Input) (hook.Outcome, error) {
	out, err := a.cfg.Hooks.Fire(ctx, in)
	a.output(&out)
	for _, n := range out.Notices {
		a.notify(n, ui.Warning)
	}
	if h := out.Host; h != nil && h.TerminalSequence != "" {
		if terminal, ok := a.cfg.UI.(ui.Sequencer); ok {
			terminal.Sequence(h.TerminalSequence)
		}
	}
	a.watch(out.Pending)
	if err != nil {
		return out, fmt.Errorf("firing %v: %w", in.Event(), err)
	}
	return out, nil
}

// ended has the model read with the next prompt that a hook ended this one.
func (a *Agent) ended(in hook.Input, reason string) error {
	switch in.Event() {
	case hook.EventUserPromptSubmit:
		return a.addContext(reason, "A hook says what follows, not the user.\nOperation stopped by hook")
	case hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventPostToolBatch, hook.EventStop:
		return a.addContext(reason, sourceOf(in)+" hook stopped continuation")
	}
	return nil
}

// observe fires an event of which nothing comes back but context and the end of
// the run. Its failure is told and stops nothing.
func (a *Agent) observe(ctx context.Context, in hook.Input) {
	if _, err := a.Fire(ctx, in); err != nil && ctx.Err() == nil && !errors.Is(err, hook.ErrClosed) {
		a.notify(err.Error(), ui.Warning)
	}
}

// announcements are the events that nobody waits for, in the order in which they are told;
// the first is being told. Any goroutine may call it; it calls nothing.
type announcements struct {
	mu     sync.Mutex
	events []hook.Input
}

// add reports whether the event is the only one, so that the caller tells it and those that
// follow.
func (q *announcements) add(in hook.Input) (only bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events = append(q.events, in)
	return len(q.events) == 1
}

// next takes away the event that was told, and returns the one after it, nil for none.
func (q *announcements) next() hook.Input {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.events = q.events[1:]; len(q.events) == 0 {
		return nil
	}
	return q.events[0]
}

// announce fires an event that nobody waits for, since it comes from within a hook. Those
// that are announced come one after the other.
func (a *Agent) announce(in hook.Input) {
	if a.has(in.Event()) && a.announced.add(in) {
		a.holder.inBackground(func() {
			for ; in != nil; in = a.announced.next() {
				a.observe(a.holder.ctx, in)
			}
		})
	}
}

// showMessages shows the person what is for them and the model.
func (a *Agent) showMessages(out *hook.Outcome) {
	for _, m := range out.SystemMessages {
		a.notify(m, ui.Info)
	}
}

// storeContext stores context for the next model call, with its label.
func (a *Agent) storeContext(out *hook.Outcome, label func(text string) string) error {
	for _, list := range [][]string{out.Context, out.SystemMessages} {
		for _, text := range list {
			if err := a.addContext(text, label(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// addContext keeps a text for the next model call, before which the source stands. It is
// delivered once.
func (a *Agent) addContext(text, source string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if _, err := a.Session().AddPending(strings.ToValidUTF8(text, "\uFFFD"), source); err != nil {
		return fmt.Errorf("keeping context of %s: %w", source, err)
	}
	return nil
}

// output shows what hooks printed beside their answers, unless one of them wants
// it hidden.
func (a *Agent) output(out *hook.Outcome) {
	if a.cfg.OnEvent == nil {
		return
	}
	for _, r := range out.Runs {
		if r.Report == nil || r.Answer != nil && r.Answer.SuppressOutput {
			continue
		}
		stdout := r.Report.Stdout
		if answer := hook.RawJSON([]byte(strings.TrimSpace(stdout))); answer.Valid() && len(answer.Keys()) > 0 {
			stdout = ""
		}
		if text := strings.TrimSpace(stdout + r.Report.Stderr); text != "" {
			a.emit(Event{Kind: KindHookOutput, Text: text, Source: r.Hook.Name})
		}
	}
}

// Notify fires Notification and shows its text to the person. The type is a word
// such as permission_prompt or idle_prompt.
func (a *Agent) Notify(ctx context.Context, typ, title, message string) error {
	_, err := a.Fire(ctx, &hook.Notification{NotificationType: typ, Title: title, Message: message})
	return err
}

// DirectoryAdded fires the event for a directory that the agent may work in from now on. The
// model of an agent that stays is told how many hooks failed, and may act on it at once.
func (a *Agent) DirectoryAdded(ctx context.Context, dir, source string) error {
	out, err := a.Fire(ctx, &hook.DirectoryAdded{Directory: dir, Source: source})
	failed := slices.DeleteFunc(slices.Clone(out.Runs), func(r hook.Run) bool { return !objected(&r) })
	if len(failed) > 0 && a.cfg.Rewake {
		a.QueueNote(fmt.Sprintf("The person let you work in %s too. Of the hooks for that %d failed; the person was told why.", dir, len(failed)), FollowUp)
		a.Wake()
	}
	return err
}

// objected reports whether a hook that cannot refuse failed, or ended as one does that refuses.
func objected(r *hook.Run) bool {
	const refuses = 2
	failed := r.Status == hook.StatusFailed || r.Status == hook.StatusTimedOut
	return failed || r.Report != nil && r.Report.ExitCode != nil && *r.Report.ExitCode == refuses
}

// collectLate takes what background hooks have answered since: it goes into the
// next model call. It returns the reasons of those that want an idle agent woken.
func (a *Agent) collectLate() (rewake []string) {
	eng, ok := a.cfg.Hooks.(LateCollector)
	if !ok || a.depth > 0 {
		return nil
	}
	for _, r := range eng.CollectLate(a.SessionID()) {
		if r.Err != nil {
			a.notify(r.Err.Error(), ui.Warning)
			continue
		}
		if r.Result.Notice != "" {
			a.notify(r.Result.Notice, ui.Info)
		}
		out := hook.Outcome{Context: r.Result.Context}
		if r.Result.SystemMessage != "" {
			out.SystemMessages = []string{r.Result.SystemMessage}
		}
		a.showMessages(&out)
		if err := a.storeContext(&out, func(string) string { return "background hook " + r.Hook.Name }); err != nil {
			a.notify(err.Error(), ui.Warning)
		}
		if r.Result.Continue == hook.No {
			a.prompt.halt(r.Result.StopReason)
		}
		if r.Rewake {
			rewake = append(rewake, r.Result.Reason)
		}
	}
	return rewake
}

// watch waits for background hooks that may wake the idle agent. Those of a subagent,
// which may be gone by then, wake the main agent: what they say is the session's.
func (a *Agent) watch(pending []*hook.AsyncRun) {
	if !a.cfg.Rewake {
		return
	}
	a = a.family.main
	for _, p := range pending {
		a.holder.inBackground(func() {
			if r, err := p.Wait(a.holder.ctx); err == nil && r.Rewake {
				a.WhenIdle(a.answerLate)
			}
		})
	}
}

// answerLate works on what background hooks say. When a prompt has taken it up meanwhile
// there is nothing to do.
func (a *Agent) answerLate() {
	if reasons := a.collectLate(); len(reasons) > 0 {
		a.runWoken(Prompt{Text: "A hook that ran in the background reports:\n\n" + strings.Join(reasons, "\n\n"), Quiet: true})
	}
}

// sleep waits, unless the context ends first.
func (a *Agent) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// entryIDs returns the ids of the context that waits.
func entryIDs(pending []session.Entry) (ids []string) {
	for _, p := range pending {
		ids = append(ids, p.ID)
	}
	return ids
}
