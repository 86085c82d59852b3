package agent

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/internal/compact"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// NewSessionOptions say how a new session begins.
type NewSessionOptions struct {
	// Clear says that the person cleared the conversation.
	Clear bool
	// Parent is the session that the new one comes from.
	Parent string
	// Setup fills the new session before anybody sees it.
	Setup func(*session.Session) error
}

// NewSession leaves the session for a fresh one. cancelled says that a hook did not
// want it; all is then as it was.
func (a *Agent) NewSession(ctx context.Context, o NewSessionOptions) (cancelled bool, err error) {
	open := func() (*session.Session, error) {
		opts := a.cfg.SessionOptions
		opts.ID, opts.Cwd, opts.ParentSession = "", a.cfg.Dir, o.Parent
		s, err := a.makeSession(opts)
		if err == nil && o.Setup != nil {
			err = o.Setup(s)
		}
		return s, err
	}
	source := "new"
	if o.Clear {
		source = "clear"
	}
	return a.switchTo(ctx, "new", source, "", open)
}

func (a *Agent) makeSession(opts session.Options) (*session.Session, error) {
	if a.cfg.SessionDir == "" {
		return session.Memory(opts), nil
	}
	return session.Create(a.cfg.SessionDir, opts)
}

// Resume leaves the session for the one in a file.
func (a *Agent) Resume(ctx context.Context, path string) (cancelled bool, err error) {
	return a.switchTo(ctx, "resume", "resume", path, func() (*session.Session, error) {
		return session.Open(path, session.Options{NoSync: a.cfg.SessionOptions.NoSync, Now: a.cfg.SessionOptions.Now})
	})
}

// switchTo changes sessions: the events of leaving one and opening another.
func (a *Agent) switchTo(ctx context.Context, reason, source, target string, open func() (*session.Session, error)) (bool, error) {
	if err := a.holder.take(); err != nil {
		return false, err
	}
	defer a.holder.release()
	if err := a.start(ctx); err != nil {
		return false, err
	}
	out, err := a.Fire(ctx, &hook.SessionBeforeSwitch{Reason: reason, TargetSession: target})
	if err != nil || out.Blocked() {
		return err == nil, err
	}
	s, err := open()
	if err != nil {
		return false, fmt.Errorf("opening the session: %w", err)
	}
	for _, w := range s.Warnings() {
		a.notify(w, ui.Warning)
	}
	previous := fileOf(a.Session())
	if err := a.sessionEnded(ctx, source, fileOf(s)); err != nil {
		a.notify(err.Error(), ui.Warning)
	}
	if err := a.leaveSession(); err != nil {
		a.notify(err.Error(), ui.Warning)
	}
	a.prompt.leave()
	how := resuming
	if reason == "new" {
		how = beginning
	}
	was, err := lastWorktree(s)
	if err == nil {
		err = a.useSession(s, how)
	}
	if err != nil {
		return false, err
	}
	if was.Path != "" && was.Path != a.Root() {
		a.notify(fmt.Sprintf("The session was left in the worktree %s; it goes on in %s.", was.Path, a.Dir()), ui.Warning)
	}
	a.observe(ctx, &hook.SessionSwitch{Reason: reason, PreviousSession: previous})
	return false, a.sessionStarted(ctx, source, previous)
}

// fileOf names a session: its file, or its id when it has none.
func fileOf(s *session.Session) string {
	if s.Path() != "" {
		return s.Path()
	}
	return s.ID()
}

// Branch goes on in a new session that holds the conversation up to an entry. A
// hook may keep the messages after it (skip the restore) or cancel.
func (a *Agent) Branch(ctx context.Context, entryID string) (cancelled bool, err error) {
	if err := a.holder.take(); err != nil {
		return false, err
	}
	defer a.holder.release()
	if err := a.start(ctx); err != nil {
		return false, err
	}
	old := a.Session()
	if _, err := old.BranchEntries(entryID); err != nil {
		return false, fmt.Errorf("branching: %w", err)
	}
	out, err := a.Fire(ctx, &hook.SessionBeforeBranch{EntryID: entryID})
	if err != nil || out.Blocked() {
		return err == nil, err
	}
	if entryID == "" || out.SkipConversationRestore {
		entryID = old.Leaf()
	}
	opts := a.cfg.SessionOptions
	opts.ID, opts.ParentSession = "", ""
	s, err := old.Branch(entryID, opts)
	if err != nil {
		return false, fmt.Errorf("branching: %w", err)
	}
	previous := fileOf(old)
	if err := a.leaveSession(); err != nil {
		a.notify(err.Error(), ui.Warning)
	}
	if err := a.useSession(s, branching); err != nil {
		return false, err
	}
	a.emit(Event{Kind: KindSession, Text: "branch"})
	a.observe(ctx, &hook.SessionBranch{PreviousSession: previous})
	return false, nil
}

// NavigateOptions say what becomes of the branch that is left.
type NavigateOptions struct {
	// Summarise keeps a summary of it, with the person's instructions.
	Summarise    bool
	Instructions string
	// Before moves to where the entry stood, as for a prompt that is to be put anew.
	Before bool
}

// Navigate moves the leaf of the session to an entry, "" for before the first. A
// hook may supply the summary or cancel.
func (a *Agent) Navigate(ctx context.Context, target string, o NavigateOptions) (cancelled bool, err error) {
	if err := a.holder.take(); err != nil {
		return false, err
	}
	defer a.holder.release()
	if err := a.start(ctx); err != nil {
		return false, err
	}
	s := a.Session()
	old := s.Leaf()
	prep, left, err := treePreparation(s, old, target, o)
	if err != nil {
		return false, err
	}
	out, err := a.Fire(ctx, &hook.SessionBeforeTree{Preparation: prep})
	if err != nil || out.Blocked() {
		return err == nil, err
	}
	var summary *session.Summary
	if o.Summarise {
		if summary, err = a.branchSummary(ctx, left, o.Instructions, out.Summary); err != nil {
			return false, err
		}
	}
	if o.Before {
		e, err := s.Entry(target)
		if err != nil {
			return false, err
		}
		target = e.ParentID
	}
	entry, err := s.Navigate(target, summary)
	if err != nil {
		return false, err
	}
	added := &entry
	if summary == nil {
		added = nil
	}
	moved := a.conversation.leafMoved(added)
	in := &hook.SessionTree{NewLeafID: s.Leaf(), OldLeafID: old}
	if summary != nil {
		in.FromHook = summary.FromHook
		if in.SummaryEntry, err = lenientJSON(entry); err != nil {
			return false, err
		}
	}
	a.observe(ctx, in)
	return false, moved
}

// treePreparation says what moving the leaf would leave behind.
func treePreparation(s *session.Session, old, target string, o NavigateOptions) (hook.TreePreparation, []session.Entry, error) {
	p := hook.TreePreparation{TargetID: target, OldLeafID: old, UserWantsSummary: o.Summarise}
	ancestor, err := s.CommonAncestor(old, target)
	if err != nil {
		return p, nil, fmt.Errorf("moving the leaf: %w", err)
	}
	p.CommonAncestorID = ancestor
	if old == "" {
		return p, nil, nil
	}
	branch, err := s.BranchEntries(old)
	if err != nil {
		return p, nil, fmt.Errorf("moving the leaf: %w", err)
	}
	for i := len(branch) - 1; i >= 0 && branch[i].ID != ancestor; i-- {
		p.EntriesToSummarize = append(p.EntriesToSummarize, hook.JSON{})
	}
	left := branch[len(branch)-len(p.EntriesToSummarize):]
	for i, e := range left {
		if p.EntriesToSummarize[i], err = lenientJSON(e); err != nil {
			return p, nil, err
		}
	}
	return p, left, nil
}

// branchSummary takes the summary of a hook, or asks the model for one.
func (a *Agent) branchSummary(ctx context.Context, left []session.Entry, instructions string, from *hook.BranchSummary) (*session.Summary, error) {
	if from != nil {
		return &session.Summary{Text: from.Summary, Details: rawValue(from.Details), FromHook: true}, nil
	}
	var entries []compact.Entry
	for _, e := range left {
		raw := e.Message
		if e.Type == session.CustomMessage {
			raw = jsontext.Value(`{"role":"user","content":` + string(e.Content) + `}`)
		}
		if raw == nil {
			continue
		}
		msg, _, err := decodeMessage(raw)
		if err != nil {
			return nil, err
		}
		entries = append(entries, compact.Entry{ID: e.ID, Message: msg})
	}
	plan, ok := compact.Make(entries, compact.Options{Keep: -1})
	if !ok {
		return nil, nil // nothing is left behind
	}
	text, err := a.Ask(ctx, plan.Request("", instructions, hook.CompactingAnswer{})) // "" is the agent's model
	if err != nil {
		return nil, fmt.Errorf("asking for the summary: %w", err)
	}
	return &session.Summary{Text: text}, nil
}

// measure says how large a resumed session is, for how long it was left alone, and what
// that means for the provider's cache.
func (a *Agent) measure(in *hook.SessionStart) {
	age, whole, ok := a.sinceAnswer()
	if in.ContextTokens = a.conversation.tokens(); whole > 0 {
		in.ContextTokens = whole
	}
	if ok {
		in.SecondsSinceLastResponse, in.PromptCacheLikelyExpired = math.Floor(age.Seconds()), age > cacheKept
	}
	in.EstimatedCacheWriteUSD, _ = a.cacheWrite(in.ContextTokens, a.RequestedModel())
}

// Rewound is what became of files.
type Rewound struct {
	// Files changed, or would; Insertions and Deletions are in lines, of all.
	Files                 []string
	Insertions, Deletions int
	// Links is how many files stayed as they are because a link leads to them now.
	Links int
}

// RewindFiles takes files back to what they held when an entry of the session had just been
// added, as far as Write and Edit have changed them since. A file that can't be taken back
// stays, and the error names it; the others are taken back. It is ErrBusy while a prompt is
// worked on.
func (a *Agent) RewindFiles(ctx context.Context, entryID string) (Rewound, error) {
	const dryRun = false
	return a.rewind(ctx, entryID, dryRun)
}

// PreviewRewind says what RewindFiles would do.
func (a *Agent) PreviewRewind(ctx context.Context, entryID string) (Rewound, error) {
	const dryRun = true
	return a.rewind(ctx, entryID, dryRun)
}

// rewind restores each file that was changed since an entry, or with dryRun says only what
// that would do.
func (a *Agent) rewind(ctx context.Context, entryID string, dryRun bool) (out Rewound, err error) {
	if a.cfg.Restore == nil {
		return out, errors.New("files can't be taken back here")
	}
	if err := a.holder.take(); err != nil {
		return out, err
	}
	defer a.holder.release()
	list, err := a.Session().BackupsSince(entryID)
	if err != nil {
		return out, fmt.Errorf("taking files back: %w", err)
	}
	var errs []error
	for _, k := range list {
		if k.Lost {
			errs = append(errs, fmt.Errorf("what %s held was too large to be kept", k.Path))
			continue
		}
		r, err := a.cfg.Restore(ctx, tool.Restoration{Path: k.Path, Content: k.Content, Gone: k.New, DryRun: dryRun})
		if errors.Is(err, tool.ErrLink) {
			out.Links++
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("taking files back: %w", err))
		}
		if r.Changed {
			out.Files = append(out.Files, k.Path)
			out.Insertions, out.Deletions = out.Insertions+r.Insertions, out.Deletions+r.Deletions
		}
	}
	return out, errors.Join(errs...)
}
