package bridge

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// Fire fires an event that was read by a codec, nil for none, once for each call that it
// stands for.
func Fire(ctx context.Context, h *host.Host, codec dialect.Codec, in hook.Input) (hook.Outcome, error) {
	if split, ok := codec.(dialect.Splitter); ok {
		if calls := split.Split(in); len(calls) > 0 {
			return fireAll(ctx, h, split, in, calls)
		}
	}
	return h.Fire(ctx, in)
}

// fireAll fires an event for each of the calls that one of a host stands for, and joins
// what they came to: the strictest decision is that of all.
func fireAll(ctx context.Context, h *host.Host, split dialect.Splitter, in hook.Input, calls []hook.Input) (all hook.Outcome, err error) {
	all.Event = in.Event()
	allowed, rewritten := 0, false
	for _, one := range calls {
		out, err := h.Fire(ctx, one)
		if err != nil {
			return all, err
		}
		if out.Decision == hook.DecisionAllow {
			allowed++
		} else if out.Decision > all.Decision {
			all.Decision, all.Reason, all.DecidedBy = out.Decision, out.Reason, out.DecidedBy
		}
		rewritten = rewritten || out.InputChanged
		join(&all, &out)
	}
	if allowed == len(calls) {
		all.Decision = hook.DecisionAllow // which holds for the whole only when it does for each
	}
	if !rewritten {
		return all, nil
	}
	changed, err := split.Join(in, calls)
	if err != nil {
		all.Decision, all.Reason = hook.DecisionDeny, fmt.Sprintf("A hook changes a part of this, which cannot be put together again (%v): make the calls one by one.", err)
		return all, nil
	}
	all.UpdatedInput, all.InputChanged = changed, true
	return all, nil
}

// join adds what an outcome says beside its decision and its input.
func join(all, out *hook.Outcome) {
	all.Halt, all.KeepGoing, all.Cancel = all.Halt || out.Halt, all.KeepGoing || out.KeepGoing, all.Cancel || out.Cancel
	if all.StopReason == "" {
		all.StopReason = out.StopReason
	}
	all.Interrupt, all.SuppressOutput = all.Interrupt || out.Interrupt, all.SuppressOutput || out.SuppressOutput
	all.Context = append(all.Context, out.Context...)
	all.SystemMessages = append(all.SystemMessages, out.SystemMessages...)
	all.Notices = append(all.Notices, out.Notices...)
	all.Runs, all.Pending = append(all.Runs, out.Runs...), append(all.Pending, out.Pending...)
	if !out.UpdatedOutput.IsZero() {
		all.UpdatedOutput = out.UpdatedOutput
	}
	if all.Host == nil {
		all.Host = out.Host
	}
}
