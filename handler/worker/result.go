package worker

import (
	"reflect"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/hook"
)

// decodeResult reads a hook's answer.
func decodeResult(body []byte) (hook.Result, error) {
	var r Result
	if len(body) > 2 { // more than {}
		if err := json.Unmarshal(body, &r, json.RejectUnknownMembers(true)); err != nil {
			return hook.Result{}, hook.Failf(hook.FailureAnswer, "its answer cannot be read: %w", err)
		}
	}
	return r.Canonical()
}

// Canonical returns the answer as the engine has it. The error is a *hook.Failure.
func (r *Result) Canonical() (hook.Result, error) {
	decision, err := decisionOf(r.Decision)
	if err != nil {
		return hook.Result{}, err
	}
	out := hook.Result{
		Decision: decision, Reason: r.Reason, Continue: tri(r.Continue), StopReason: r.StopReason, SystemMessage: r.SystemMessage,
		Notice: r.Notice, SuppressOutput: r.SuppressOutput, Context: r.Context,
		UpdatedInput: present(r.UpdatedInput), InputPatch: r.InputPatch, UpdatedOutput: present(r.UpdatedOutput), IsError: tri(r.IsError),
		UpdatedPrompt: r.UpdatedPrompt, FollowUps: r.FollowUps, Cancel: r.Cancel, SkipConversationRestore: r.SkipRestore,
		PermissionUpdates: r.PermissionUpdates, Interrupt: r.Interrupt,
	}
	if in := out.UpdatedInput; !in.IsZero() && in.Raw()[0] != '{' {
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "updated_input is no JSON object")
	}
	if r.Messages != nil {
		out.Messages = append([]hook.Message{}, *r.Messages...)
	}
	if m := r.Inject; m != nil {
		out.Inject = &hook.CustomMessage{CustomType: m.CustomType, Content: present(m.Content), Display: m.Display, Details: present(m.Details)}
	}
	if c := r.Compaction; c != nil {
		out.Compaction = &hook.Compaction{Summary: c.Summary, FirstKeptEntryID: c.FirstKeptEntryID, TokensBefore: c.TokensBefore, Details: present(c.Details)}
	}
	if s := r.Summary; s != nil {
		out.Summary = &hook.BranchSummary{Summary: s.Summary, Details: present(s.Details)}
	}
	if c := r.Compacting; c != nil {
		out.Compacting = &hook.CompactingAnswer{Context: c.Context, Prompt: c.Prompt, PreserveData: present(c.PreserveData)}
	}
	out.Host = r.canonical()
	return out, nil
}

// canonical returns the effects as the engine has them, nil when there are none.
func (e *Effects) canonical() *hook.HostEffects {
	if reflect.ValueOf(e).Elem().IsZero() {
		return nil
	}
	return &hook.HostEffects{
		SessionTitle: e.SessionTitle, InitialUserMessage: e.InitialUserMessage, WatchPaths: e.WatchPaths, ReloadSkills: e.ReloadSkills,
		SuppressOriginalPrompt: e.SuppressOriginalPrompt, SystemPrompt: e.SystemPrompt, Handled: e.Handled, Retry: e.Retry,
		DisplayContent: e.DisplayContent, WorktreePath: e.WorktreePath, ElicitationAction: e.ElicitationAction,
		ElicitationContent: present(e.ElicitationContent), ClassifierContext: e.ClassifierContext, TerminalSequence: e.TerminalSequence,
		ResourcePaths: present(e.ResourcePaths),
	}
}

func decisionOf(word string) (hook.Decision, error) {
	switch word {
	case "", "none":
		return hook.DecisionNone, nil
	case "allow":
		return hook.DecisionAllow, nil
	case "ask":
		return hook.DecisionAsk, nil
	case "defer":
		return hook.DecisionDefer, nil
	case "deny":
		return hook.DecisionDeny, nil
	}
	return 0, hook.Failf(hook.FailureAnswer, "unknown decision %q (known: allow, ask, defer, deny, none)", word)
}

func tri(b *bool) hook.Tri {
	switch {
	case b == nil:
		return hook.Unset
	case *b:
		return hook.Yes
	}
	return hook.No
}

// present turns a null into an absent value.
func present(j hook.JSON) hook.JSON {
	if j.Raw() == "null" {
		return hook.JSON{}
	}
	return j
}
