package agent

import (
	"context"
	"errors"
	"time"

	"github.com/hookline-dev/hookline/agent/instructions"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/rules"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// Hooks fires events. A *hook.Engine is one, and a [Registrar] and a [LateCollector] too.
type Hooks interface {
	Fire(ctx context.Context, in hook.Input) (hook.Outcome, error)
}

// Registrar is Hooks that say who listens: subagents can bring hooks of their own, and
// events that nobody hears cost nothing.
type Registrar interface {
	Registry() *hook.Registry
}

// LateCollector is Hooks that have results of background hooks.
type LateCollector interface {
	// CollectLate returns what a session's background hooks have answered since.
	CollectLate(sessionID string) []hook.LateResult
}

var (
	_ Hooks         = (*hook.Engine)(nil)
	_ Registrar     = (*hook.Engine)(nil)
	_ LateCollector = (*hook.Engine)(nil)
)

// Permission decides about tool calls. A *permission.Checker is one.
type Permission interface {
	Decide(permission.Request) permission.Decision
	Apply(ctx context.Context, updates ...hook.PermissionUpdate) error
	Mode() permission.Mode
}

// ReadOnlyJudge is a Permission that also tells which shell calls are known to change
// nothing; such calls of one turn run beside each other. A *permission.Checker is one.
type ReadOnlyJudge interface {
	ReadsOnly(permission.Request) bool
}

var (
	_ Permission    = (*permission.Checker)(nil)
	_ ReadOnlyJudge = (*permission.Checker)(nil)
)

// ToolSource offers tools that may change while the agent runs. A *tool.Set and a
// *mcp.Manager are sources.
type ToolSource interface{ Tools() []tool.Tool }

// Placement says where pending context goes in a model call.
type Placement string

// The placements.
const (
	// InReminder puts it into the last message of the user, each text in a reminder that
	// names the event; behind the last result when the message holds results of tools.
	InReminder Placement = ""
	// InSystem appends it to the system prompt.
	InSystem Placement = "system"
)

// Retry says how failed model calls are tried again. The zero value is four
// further attempts, half a second apart at first and doubling.
type Retry struct {
	// Max is the number of further attempts; negative is none.
	Max int
	// Base is the first wait, Limit the longest: when a provider asks for more, the call
	// has failed.
	Base, Limit time.Duration
}

// Config is what an agent works with. Only Model is needed.
type Config struct {
	// Model answers, and ModelName is what it calls the model.
	Model     model.Provider
	ModelName string
	// MaxTokens bounds an answer, Effort and ThinkingBudget are passed on; zero is
	// the provider's default.
	MaxTokens      int
	Effort         string
	ThinkingBudget int
	// TaskBudget is how many tokens the model is told that the session has; subagents are
	// told nothing.
	TaskBudget int64
	// Window is how many tokens the model takes; 0 is not known, and then nothing
	// is compacted by itself. CompactAt is the share of it at which that happens
	// (default 0.8).
	Window    int64
	CompactAt float64
	// Resolve finds a model by name, for switching and for subagents that name
	// one; without it the model stays.
	Resolve func(name string) (model.Provider, string, error)
	// Fallbacks answer, in this order, when the model is not available, each until the
	// prompt is over or it is not available either.
	Fallbacks []Fallback
	// KeepModel keeps the model when a session is resumed that was left with another
	// one. Without it the agent goes on with the session's, as far as Resolve finds it.
	KeepModel bool

	// Tools are the tools, Sources further ones that are asked for before each
	// model call. A source's tool replaces one of Tools of the same name; otherwise the
	// first of a name counts.
	Tools   []tool.Tool
	Sources []ToolSource
	// BuiltIn names those of Tools, and of the tools that the agent adds itself, that the
	// model is offered; nil offers all.
	BuiltIn []string
	// MainTools are further tools, which subagents don't get.
	MainTools []tool.Tool
	// Hooks fires events; nil fires none.
	Hooks Hooks
	// Framer says how the model is told what hooks say; nil has no frames.
	Framer Framer
	// Permission decides about tool calls; nil asks about all that doesn't only
	// read.
	Permission Permission
	// UI is the person; nil is nobody.
	UI ui.UI
	// OnEvent is told what happens, for showing it. It is called from the agent's
	// goroutines, one call at a time, and must neither start prompts nor end the agent.
	OnEvent func(Event)
	// OnModel, when not nil, is called when the model has become another one.
	OnModel func()

	// Session is the conversation, which the agent takes over and closes; nil keeps
	// one in memory. SessionDir is where further sessions are made, with
	// SessionOptions; "" keeps them in memory.
	Session        *session.Session
	SessionDir     string
	SessionOptions session.Options
	// Source is what SessionStart says of the first session: startup, resume, ...
	// (default startup).
	Source string

	// Dir is the working directory, and Cwd, when not nil, says where it has moved
	// to since: (*tool.Set).Cwd.
	Dir string
	Cwd func() string
	// Restore, when not nil, takes a file back for RewindFiles: (*tool.Set).Restore of a set
	// that keeps what files hold in the session.
	Restore func(context.Context, tool.Restoration) (tool.Restored, error)
	// System is the system prompt in pieces; nil is DefaultSystem. Instructions are
	// files that are put behind it.
	System       []string
	Instructions []instructions.File
	// Recipe is the name of the recipe that the session was started with.
	Recipe string
	// Placement says where pending context goes; the zero value is InReminder.
	Placement Placement
	// Version is the program's version, for transcripts.
	Version string

	// MaxTurns bounds the model calls of one prompt, Budget the tokens; 0 means no
	// bound.
	MaxTurns int
	Budget   int64
	// MaxCost ends a prompt when the models have cost this much in US dollars, by Cost,
	// which also names a model whose price is not known, if one was asked. 0 means no bound.
	MaxCost float64
	Cost    func() (usd float64, unpriced string)
	// CacheWrite is what a model's provider takes for a million tokens that it writes into its
	// cache, in US dollars. The name is one that Resolve knows, or "" for the model here.
	CacheWrite func(name string) (usd float64, known bool)
	Retry      Retry
	// MaxStops is how often in a row hooks may keep the agent from stopping; 0 is
	// 8, negative is never.
	MaxStops int
	// Todos returns the model's list of todos, and MaxReminders is how often the
	// agent reminds the model of open ones before it stops; 0 is once, negative is
	// never.
	Todos        func() []tool.Todo
	MaxReminders int
	// Ended returns texts about what the tools had begun and has ended since, such as commands
	// in the background; the model is told with the next call. nil is nothing.
	Ended func() []string
	// Reconfigure takes up configuration that has changed, such as settings files; it is
	// called before a prompt, a turn, and tool calls, also those of subagents, so that it
	// looks at little when nothing has changed. An error is shown and stops nothing. nil
	// does nothing.
	Reconfigure func(context.Context) error
	// ReloadSkills looks for skills anew, which a SessionStart hook may ask for; nil
	// leaves them as they are.
	ReloadSkills func(context.Context) error
	// Rules interrupt the model's stream when it says what they match.
	Rules []rules.Rule
	// EndTimeout bounds the hooks that run after an interrupt, SessionEnd among
	// them; 0 is five seconds. SessionEnd of a session that nobody interrupted has a
	// minute.
	EndTimeout time.Duration
	// IdleAfter is how long after a prompt the person is notified that the agent is
	// idle; 0 is never.
	IdleAfter time.Duration
	// Rewake lets background hooks that refuse start the idle agent with their
	// reason.
	Rewake bool

	// Worktrees lets the session and isolated subagents work in worktrees; nil offers
	// none.
	Worktrees *Worktrees
	// Subagents are the definitions that the Agent tool offers besides the general
	// one; NoTask leaves the tool out. MaxDepth bounds subagents of subagents (0 is
	// 1), MaxSubagents how many run at once (0 is 8).
	Subagents    []subagent.Definition
	NoTask       bool
	MaxDepth     int
	MaxSubagents int
	// ScopedHooks makes the registrations of a definition's own hooks for one
	// agent id; without it such hooks are reported and do not run.
	ScopedHooks func(d subagent.Definition, agentID string) ([]hook.Registration, error)
	// Team gives the model tasks, and lets it speak with subagents in the background.
	Team bool
}

// Fallback is a model that stands in for another.
type Fallback struct {
	Provider model.Provider
	Name     string // what it calls the model
}

// ErrNoModel is returned by New without a model.
var ErrNoModel = errors.New("an agent needs a model")

// DefaultSystem is the system prompt of an agent that is given none.
const DefaultSystem = `You are a coding agent. You work in the person's project with the tools you are given.
Look before you change things, keep changes small, and check that they work.
Hooks are programs of the person that may refuse, change or comment on what you do; treat what they say as the person's word.
When the work is done, say briefly what you did.`

func (c *Config) setDefaults() {
	if c.ModelName == "" {
		c.ModelName = "default"
	}
	if c.CompactAt <= 0 || c.CompactAt > 1 {
		c.CompactAt = 0.8
	}
	if c.UI == nil {
		c.UI = ui.None{}
	}
	if c.Cwd == nil && c.Worktrees != nil {
		c.Cwd = c.Worktrees.Set.Cwd
	}
	if c.Source == "" {
		c.Source = "startup"
	}
	if c.System == nil {
		c.System = []string{DefaultSystem}
	}
	c.Retry.Max = orDefault(c.Retry.Max, 4)
	c.Retry.Base = orDefault(c.Retry.Base, 500*time.Millisecond)
	c.Retry.Limit = orDefault(c.Retry.Limit, 2*time.Minute)
	c.MaxStops = orDefault(c.MaxStops, 8)
	c.MaxReminders = orDefault(c.MaxReminders, 1)
	c.EndTimeout = orDefault(c.EndTimeout, 5*time.Second)
	c.MaxDepth = orDefault(c.MaxDepth, 1)
	c.MaxSubagents = orDefault(c.MaxSubagents, 8)
}

// orDefault returns def for zero, and zero for what is negative.
func orDefault[T int | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return max(v, 0)
}
