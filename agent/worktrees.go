package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// Worktrees lets the session, and subagents that are isolated, work in worktrees.
type Worktrees struct {
	// Manager makes them and removes them.
	Manager *worktree.Manager
	// Set is the set whose tools are among the agent's. It moves along with the
	// session, and an isolated subagent gets one like it. Tools of other sources know
	// nothing of worktrees.
	Set *tool.Set
}

// Errors of worktrees.
var (
	// errNoWorktrees is returned where an agent has none to offer.
	errNoWorktrees = errors.New("there are no worktrees here")
	// errInWorktree is returned for entering a worktree from another one, and
	// errNotInWorktree for leaving where there is none to leave.
	errInWorktree    = errors.New("the session works in a worktree already")
	errNotInWorktree = errors.New("the session works in no worktree")
)

// worktreeEntry is the type of the entries that say where a session works.
const worktreeEntry = "worktree"

// ending bounds the removal of a worktree when an agent ends.
const ending = time.Minute

// EnterWorktree lets the session go on in a worktree: WorktreeCreate fires, and
// CwdChanged when the session has begun. "" makes a name up.
func (a *Agent) EnterWorktree(ctx context.Context, name string) (worktree.Worktree, error) {
	ws := a.cfg.Worktrees
	if ws == nil || a.depth > 0 {
		return worktree.Worktree{}, errNoWorktrees
	}
	if w, _, ok := a.Worktree(); ok {
		return w, fmt.Errorf("%w: %s", errInWorktree, w.Path)
	}
	w, err := ws.Manager.Create(ctx, name, a.Dir(), a.Fire)
	if err != nil {
		return worktree.Worktree{}, err
	}
	if err := a.moveInto(ctx, w); err != nil {
		_, undo := ws.Manager.Finish(context.WithoutCancel(ctx), w, a.Fire)
		return worktree.Worktree{}, errors.Join(fmt.Errorf("entering the worktree %s: %w", w.Path, err), undo)
	}
	return *w, nil
}

// ResumeWorktree takes up the worktree that the session was in when it was left. It
// reports whether there is one; when it is gone the person is told.
func (a *Agent) ResumeWorktree(ctx context.Context) (bool, error) {
	ws := a.cfg.Worktrees
	if ws == nil || a.depth > 0 || a.Root() != "" {
		return false, nil
	}
	saved, err := lastWorktree(a.Session())
	if err != nil || saved.Path == "" {
		return false, err
	}
	w, ok := ws.Manager.Resume(ctx, saved)
	if !ok {
		a.notify(fmt.Sprintf("The worktree of this session, %s, is gone; it goes on in %s.", saved.Path, a.Dir()), ui.Warning)
		return false, nil
	}
	if err := a.moveInto(ctx, w); err != nil {
		ws.Manager.Release(w)
		return false, fmt.Errorf("entering the worktree %s: %w", w.Path, err)
	}
	return true, nil
}

// lastWorktree reads where a session works; the zero value means no worktree.
func lastWorktree(s *session.Session) (w worktree.Worktree, err error) {
	entries, err := s.BranchEntries("")
	if err != nil {
		return w, err
	}
	for _, e := range slices.Backward(entries) {
		if e.Type == session.Custom && e.CustomType == worktreeEntry {
			_ = json.Unmarshal(e.Data, &w) // what a later version writes is not a worktree of ours
			return w, nil
		}
	}
	return w, nil
}

// moveInto makes a worktree the place where the session works.
func (a *Agent) moveInto(ctx context.Context, w *worktree.Worktree) error {
	set := a.cfg.Worktrees.Set
	before := origin{set.Dirs()[0], set.Cwd()}
	if err := set.Move(w.Path, ""); err != nil {
		return err
	}
	a.place.enter(w, before)
	err := a.recordWorktree(w)
	a.dirChanged(ctx)
	return err
}

// recordWorktree writes into the session where it works.
func (a *Agent) recordWorktree(w *worktree.Worktree) error {
	data, err := json.Marshal(w, json.OmitZeroStructFields(true))
	if err != nil {
		return err
	}
	return a.conversation.recordEntry(session.Entry{Type: session.Custom, CustomType: worktreeEntry, Data: data})
}

// recordWorktreeAgain tells another session of the worktree that the agent stays in.
func (a *Agent) recordWorktreeAgain() error {
	w, _, ok := a.Worktree()
	if !ok || a.depth > 0 {
		return nil
	}
	was, err := lastWorktree(a.Session())
	if err != nil || was.Path == w.Path {
		return err
	}
	return a.recordWorktree(&w)
}

// moveBack moves the session back to where it came from.
func (a *Agent) moveBack(ctx context.Context) error {
	_, before := a.place.inWorktree()
	if err := a.cfg.Worktrees.Set.Move(before.root, before.cwd); err != nil {
		return err
	}
	a.place.leave()
	err := a.recordWorktree(&worktree.Worktree{})
	a.dirChanged(ctx)
	return err
}

// LeaveOptions say what becomes of a worktree that is left; the zero value keeps it.
type LeaveOptions struct {
	// Remove removes it, unless it holds work; Discard then removes it all the same.
	Remove, Discard bool
}

// LeaveWorktree lets the session go on where it came from. One that is to be removed is
// removed after WorktreeRemove fired; one that holds work which is not to be discarded is
// neither left nor removed then, with a *worktree.ChangedError. The worktree is returned,
// and gone says that it is removed.
func (a *Agent) LeaveWorktree(ctx context.Context, o LeaveOptions) (left worktree.Worktree, gone bool, err error) {
	w, _ := a.place.inWorktree()
	dir := a.place.hookDir()
	if w == nil || a.depth > 0 {
		return left, false, errNotInWorktree
	}
	m := a.cfg.Worktrees.Manager
	if o.Remove && !o.Discard {
		why, err := m.Changes(ctx, w)
		if err == nil && why != "" {
			err = &worktree.ChangedError{Path: w.Path, Why: why}
		}
		if err != nil {
			return *w, false, err
		}
	}
	if o.Remove {
		if err := a.cfg.Worktrees.Set.EndShells(ctx, w.Path); err != nil {
			return *w, false, err
		}
	}
	if err := a.moveBack(ctx); err != nil {
		return *w, false, fmt.Errorf("leaving the worktree %s: %w", w.Path, err)
	}
	if o.Remove {
		fire := a.Fire
		if w.ByHook {
			fire = a.fireIn(dir)
		}
		err = m.Remove(ctx, w, worktree.Changes(o.Discard), fire)
	}
	m.Release(w)
	return *w, o.Remove && err == nil, err
}

// fireIn is Fire with hooks that run in a directory which the session has left.
func (a *Agent) fireIn(dir string) worktree.Fire {
	return func(ctx context.Context, in hook.Input) (hook.Outcome, error) {
		in.Base().CWD = dir
		return a.Fire(ctx, in)
	}
}

// endWorktree ends the use of the worktree when the agent ends: one in which nothing
// would be lost is removed, any other is kept.
func (a *Agent) endWorktree(ctx context.Context) error {
	w, before := a.place.inWorktree()
	if w == nil {
		return nil
	}
	asker := a
	if a.depth > 0 {
		asker = a.parent
	}
	fire := asker.Fire
	if ctx.Err() != nil { // hooks get as little time as those of SessionEnd
		fire = func(ctx context.Context, in hook.Input) (hook.Outcome, error) {
			last, cancel := a.grace(ctx)
			defer cancel()
			return asker.Fire(last, in)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	ws := a.cfg.Worktrees
	err := ws.Set.EndShells(ctx, w.Path)
	if a.depth > 0 {
		err = errors.Join(err, ws.Set.Close())
	} else if back := ws.Set.Move(before.root, before.cwd); back != nil {
		err = errors.Join(err, back)
	}
	end, failed := ws.Manager.Finish(ctx, w, fire)
	if a.place.keep(end.Why); end.Removed {
		a.place.leave()
	}
	if end.Removed && a.depth == 0 {
		err = errors.Join(err, a.recordWorktree(&worktree.Worktree{}))
	}
	return errors.Join(err, failed)
}

// keptWorktree says where the worktree of an agent that has ended is, "" when there is
// none.
func (a *Agent) keptWorktree() string {
	w, why, ok := a.Worktree()
	if !ok || a.depth == 0 {
		return ""
	}
	text := "Its worktree is kept at " + w.Path
	if w.Branch != "" {
		text += " on the branch " + w.Branch
	}
	return text + ": " + why + "."
}

// isolated says how a subagent works that has a worktree of its own.
func isolated(w *worktree.Worktree, project string) string {
	return fmt.Sprintf("You work in a worktree of your own, %s, a checkout of the project in %s. "+
		"Where you are told of files of the project, use those of the same name in your worktree, and change nothing outside of it.", w.Path, project)
}

// isolate makes a worktree for a subagent and changes its configuration so that it
// works there.
func (a *Agent) isolate(ctx context.Context, cfg *Config) (*worktree.Worktree, error) {
	ws := a.cfg.Worktrees
	if ws == nil {
		return nil, fmt.Errorf("the subagent is to work in a worktree of its own: %w", errNoWorktrees)
	}
	// The definition may have asked for it, which nobody was asked about.
	d := a.cfg.Permission.Decide(permission.Request{Tool: "EnterWorktree", Input: hook.RawJSON(`{}`), Cwd: a.Dir(), Root: a.Root()})
	if d.Decision != hook.DecisionAllow {
		return nil, fmt.Errorf("the subagent is to work in a worktree of its own, which is not allowed: %s", strings.TrimSuffix(d.Reason+"; "+d.Hint(), "; "))
	}
	w, err := ws.Manager.Create(ctx, worktree.NewName("agent"), a.Dir(), a.Fire)
	if err != nil {
		return nil, err
	}
	set, err := ws.Set.In(w.Path)
	if err != nil {
		_, undo := ws.Manager.Finish(context.WithoutCancel(ctx), w, a.Fire)
		return nil, errors.Join(err, undo)
	}
	cfg.Tools = slices.Clone(cfg.Tools)
	for i, t := range cfg.Tools {
		if ws.Set.Lookup(t.Name()) == t {
			cfg.Tools[i] = set.Lookup(t.Name())
		}
	}
	cfg.Worktrees = &Worktrees{Manager: ws.Manager, Set: set}
	cfg.Dir, cfg.Cwd = w.Path, set.Cwd
	cfg.System = append(slices.Clone(cfg.System), isolated(w, ws.Manager.Project()))
	return w, nil
}

const enterSchema = `{"type":"object","properties":{
"name":{"type":"string","description":"What the worktree is called; a name is made up if absent."}
},"additionalProperties":false}`

const exitSchema = `{"type":"object","properties":{
"action":{"type":"string","enum":["keep","remove"],"description":"keep leaves the worktree and its branch as they are; remove deletes both."},
"discard_changes":{"type":"boolean","description":"Remove it although it holds changes or commits that are nowhere else. Only when the person said so."}
},"required":["action"],"additionalProperties":false}`

func (a *Agent) worktreeTools() []tool.Tool {
	return []tool.Tool{
		&loopTool{
			name: "EnterWorktree", schema: jsontext.Value(enterSchema), run: a.runEnter,
			description: "Lets the session go on in a worktree: a checkout of the project on a branch of its own. Use it only when the person asks for a worktree.",
		},
		&loopTool{
			name: "ExitWorktree", schema: jsontext.Value(exitSchema), run: a.runExit,
			description: "Leaves the worktree for where the session was before.",
		},
	}
}

func (a *Agent) runEnter(ctx context.Context, in tool.Input) (string, any, error) {
	args, err := decodeInput[struct {
		Name string `json:"name"`
	}]("EnterWorktree", in)
	if err != nil {
		return "", nil, err
	}
	w, err := a.EnterWorktree(ctx, args.Name)
	if err != nil {
		return "", nil, err
	}
	text := "The session works in the worktree " + w.Path
	if w.Branch != "" {
		text += " on the branch " + w.Branch
	}
	if w.Reused {
		text += ", which was there already"
	}
	text += "."
	return text, map[string]any{"worktreePath": w.Path, "worktreeBranch": w.Branch, "message": text}, nil
}

func (a *Agent) runExit(ctx context.Context, in tool.Input) (string, any, error) {
	args, err := decodeInput[struct {
		Action  string `json:"action"`
		Discard bool   `json:"discard_changes"`
	}]("ExitWorktree", in)
	if err != nil {
		return "", nil, err
	}
	w, gone, err := a.LeaveWorktree(ctx, LeaveOptions{Remove: args.Action == "remove", Discard: args.Discard})
	became := "is kept"
	if gone {
		became = "is removed"
	}
	if _, _, still := a.Worktree(); err != nil && !still && w.ByHook { // the session has left it
		a.notify(err.Error(), ui.Warning)
		became = "could not be removed and is kept"
	} else if err != nil {
		return "", nil, fmt.Errorf("%w (the session works in %s)", err, a.Dir())
	}
	text := fmt.Sprintf("The session works in %s again. The worktree %s %s.", a.Dir(), w.Path, became)
	return text, map[string]any{"action": args.Action, "worktreePath": w.Path, "worktreeBranch": w.Branch, "removed": gone, "message": text}, nil
}
