package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// Errors that callers branch on.
var (
	// ErrBusy is returned for what has to wait until the agent is idle.
	ErrBusy = errors.New("the agent is working on a prompt")
	// ErrClosed is returned for the use of a closed agent.
	ErrClosed = errors.New("the agent is closed")
)

// Agent is a running agent. It is safe for concurrent use; it works on one prompt
// at a time. Close it.
//
// It is made of parts. The configuration and the identity never change. Each other part
// guards its state with a lock of its own, which it holds for one call of one of its methods:
// while it does so it calls no other part, no hook and not the person. So no two of these
// locks are ever held at once, and there is no order among them. Two locks are held longer
// and taken before those: modelChoice.changing, while the model and what the session says of
// it change, and family.eventLock, while Config.OnEvent is called. Who works on a prompt, or on
// the session as a whole, holds the agent (see holder): that is not a lock, and comes before
// all of them.
type Agent struct {
	cfg Config
	identity
	family *family
	live   *live

	holder       holder
	conversation conversation
	prompt       promptState
	model        modelChoice
	place        place
	watched      watchedFiles
	queue        queue
	tools        toolbox
	announced    announcements
	readAnew     bool // there was a compaction, and the instructions are still to be read again
}

// New returns an agent. Nothing runs before Start or the first prompt.
func New(cfg Config) (*Agent, error) { return newAgent(cfg, identity{}) }

// newAgent makes the main agent, or a subagent.
func newAgent(cfg Config, who identity) (*Agent, error) {
	if cfg.Model == nil {
		return nil, ErrNoModel
	}
	if ws := cfg.Worktrees; ws != nil && (ws.Manager == nil || ws.Set == nil) {
		return nil, errors.New("agent: worktrees need a manager and a set of tools")
	}
	cfg.setDefaults()
	if cfg.Permission == nil {
		checker, err := permission.New(permission.Config{ProjectDir: cfg.Dir})
		if err != nil {
			return nil, fmt.Errorf("agent: %w", err)
		}
		cfg.Permission = checker
	}
	a := &Agent{cfg: cfg, identity: who}
	if who.parent == nil {
		a.family = newFamily(a)
	} else {
		a.family = who.parent.family
	}
	a.live = &live{a: a}
	a.holder.open()
	a.model.change(cfg.configured())
	a.model.try(cfg.Effort)
	a.model.think(cfg.ThinkingBudget)
	a.tools.given, a.tools.sources = cfg.Tools, cfg.Sources
	a.tools.fixed = distinct(slices.Concat(cfg.Tools, a.ownTools()))
	if cfg.BuiltIn != nil {
		a.tools.fixed = filterTools(a.tools.fixed, func(name string) bool { return slices.Contains(cfg.BuiltIn, name) })
	}
	if a.depth == 0 {
		a.tools.fixed = append(a.tools.fixed, cfg.MainTools...)
	}
	a.place.move(a.Dir())
	s := cfg.Session
	if s == nil {
		opts := cfg.SessionOptions
		opts.Cwd = cfg.Dir
		s = session.Memory(opts)
	}
	if err := a.useSession(s, resuming); err != nil {
		return nil, err
	}
	return a, nil
}

// useSession makes a session the agent's; the one before is the caller's.
func (a *Agent) useSession(s *session.Session, how opening) error {
	var t *session.Transcript
	if path := s.Path(); path != "" {
		var err error
		t, err = session.OpenTranscript(session.TranscriptPath(path), session.TranscriptOptions{
			SessionID: s.ID(), Cwd: a.Dir(), Version: a.cfg.Version, AgentID: a.id,
		})
		if err != nil {
			return err
		}
		if err := t.CatchUp(s); err != nil {
			return errors.Join(err, t.Close())
		}
	}
	a.model.changing.Lock()
	err := errors.Join(a.settleModel(s, how), a.conversation.open(s, t))
	a.model.changing.Unlock()
	if err != nil {
		return err
	}
	return a.recordWorktreeAgain()
}

// WhenIdle runs a function in the background that holds the agent, once no prompt runs,
// unless the agent is closed before. Nobody takes the agent for idle meanwhile.
func (a *Agent) WhenIdle(f func()) {
	taken := a.holder.reserve()
	if !a.holder.inBackground(func() {
		err := a.holder.takeWhenFree(a.holder.ctx)
		taken()
		if err != nil {
			return
		}
		defer a.holder.release()
		f()
	}) {
		taken()
	}
}

// Start opens the session: SessionStart fires and instructions are reported. The
// first prompt does it when nobody did.
func (a *Agent) Start(ctx context.Context) error {
	if err := a.holder.take(); err != nil {
		return err
	}
	defer a.holder.release()
	return a.start(ctx)
}

func (a *Agent) start(ctx context.Context) error {
	if !a.holder.start() || a.depth > 0 {
		return nil // a subagent lives in its parent's session
	}
	err := a.sessionStarted(ctx, a.cfg.Source, "")
	if err != nil {
		a.holder.startFailed() // the next prompt begins with it again
	}
	return err
}

// sessionStarted fires what belongs to a session that was opened.
func (a *Agent) sessionStarted(ctx context.Context, source, previous string) error {
	a.emit(Event{Kind: KindSession, Text: source})
	a.reportResumed(ctx)
	a.watchNamed()
	in := &hook.SessionStart{Source: source, Model: a.Model(), SessionTitle: a.Title(), PreviousSession: previous}
	if source == "resume" {
		a.measure(in)
	}
	out, err := a.Fire(ctx, in)
	if err != nil {
		return err
	}
	if h := out.Host; h != nil {
		a.SetTitle(h.SessionTitle)
		if h.ReloadSkills && a.cfg.ReloadSkills != nil {
			if err := a.cfg.ReloadSkills(ctx); err != nil {
				a.notify("The skills stay as they were: "+err.Error(), ui.Warning)
			}
		}
		if h.InitialUserMessage != "" {
			a.enqueue(queued{text: h.InitialUserMessage, as: NextTurn, contextOnly: true})
		}
	}
	if a.readAnew = source == "compact"; a.readAnew {
		return nil
	}
	return a.instructionsLoaded(ctx, source)
}

// instructionsRead fires InstructionsLoaded for what the model is about to read anew after a
// compaction.
func (a *Agent) instructionsRead(ctx context.Context) error {
	if !a.readAnew {
		return nil
	}
	a.readAnew = false
	return a.instructionsLoaded(ctx, "compact")
}

// Commanded notes that a person gave a command: what comes of it before the first prompt
// of a session has the id of one all the same.
func (a *Agent) Commanded() { a.prompt.beginFirst() }

// instructionsLoaded fires InstructionsLoaded for each file.
func (a *Agent) instructionsLoaded(ctx context.Context, source string) error {
	for _, f := range a.cfg.Instructions {
		reason := f.Reason
		if reason == "" || source == "compact" {
			reason = map[bool]string{true: "compact", false: "session_start"}[source == "compact"]
		}
		if _, err := a.Fire(ctx, &hook.InstructionsLoaded{FilePath: f.Path, MemoryType: string(f.Type), LoadReason: reason, ParentFilePath: f.Parent}); err != nil {
			return err
		}
	}
	return nil
}

// Setup fires the Setup event, for which it is called before Start: trigger is init or
// maintenance.
func (a *Agent) Setup(ctx context.Context, trigger string) error {
	_, err := a.Fire(ctx, &hook.Setup{Trigger: trigger})
	return err
}

// Close ends the session: SessionEnd fires, with a short-lived context of its own when
// ctx has ended, subagents and background work end, and the session is closed. A
// worktree in which nothing would be lost is removed. A prompt that runs is interrupted
// and waited for, so that Close must not be called from a hook or a tool. The reason is
// that of SessionEnd, "" is other.
func (a *Agent) Close(ctx context.Context, reason ...string) error {
	why := "other"
	if len(reason) > 0 && reason[0] != "" {
		why = reason[0]
	}
	again := a.holder.close()
	a.holder.takeClosed() // the prompt that runs has been told to end
	defer a.holder.release()
	if again {
		return nil
	}
	a.holder.background.Wait()
	var err error
	if a.holder.hasStarted() && a.depth == 0 {
		err = a.sessionEnded(ctx, why, "")
	}
	return errors.Join(err, a.endWorktree(ctx), a.leaveSession())
}

// maxEnd bounds the hooks of a session that ends without an interrupt.
const maxEnd = time.Minute

// sessionEnded fires SessionEnd: with a context that outlives an interrupt when there
// was one, and otherwise with one that an interrupt ends.
func (a *Agent) sessionEnded(ctx context.Context, reason, target string) error {
	last, cancel := context.WithTimeout(ctx, maxEnd)
	if ctx.Err() != nil {
		cancel()
		last, cancel = a.grace(ctx)
	}
	defer cancel()
	_, err := a.Fire(last, &hook.SessionEnd{Reason: reason, TargetSession: target})
	return err
}

// leaveSession closes the session and its transcript.
func (a *Agent) leaveSession() error {
	s, t := a.conversation.leave()
	err := s.Close()
	if t != nil {
		err = errors.Join(err, t.Close())
	}
	return err
}

// grace returns a context for what runs after an interrupt.
func (a *Agent) grace(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), a.cfg.EndTimeout)
}

// orGrace returns the context, or one for what runs after an interrupt when there was one.
func (a *Agent) orGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return a.grace(ctx)
}

// Abort interrupts the prompt that runs, if there is one, and doesn't wait.
func (a *Agent) Abort(cause error) { a.holder.abort(cause) }

// Idle reports whether no prompt runs.
func (a *Agent) Idle() bool { return !a.holder.isHeld() }

// Prompting reports whether a prompt is worked on, which is when the agent is not idle but for
// what is done to its session.
func (a *Agent) Prompting() bool { return a.holder.prompts() }

// WaitIdle waits until no prompt runs, and none is about to that [Agent.Wake] or a
// background hook starts.
func (a *Agent) WaitIdle(ctx context.Context) error { return a.holder.awaitIdle(ctx) }

func newID() string {
	if id, err := uuid.NewV7(); err == nil {
		return id.String()
	}
	return uuid.NewString()
}
