package host

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/hookenv"
	"github.com/hookline-dev/hookline/agent/instructions"
	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/model/registry"
	"github.com/hookline-dev/hookline/agent/modulehost"
	"github.com/hookline-dev/hookline/agent/rules"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/sandbox"
	"github.com/hookline-dev/hookline/ui"
)

// AgentOptions say what agent a host gets. The zero value is a new session with the
// model that there is a key for.
type AgentOptions struct {
	// Model is PROVIDER/NAME, a name that tells its provider, such as sonnet or gpt-5,
	// script:FILE, or script for the built-in demonstration.
	// "" is what HOOKLINE_MODEL names, or a model whose key is set; without either, the
	// model fails when it is asked.
	Model string
	// ScriptLog, when not nil, gets the requests to scripted models, one a line.
	ScriptLog io.Writer
	// PermissionMode is the mode at the start; "" is that of the configuration.
	PermissionMode string
	// Resume is the id of the session to go on with, the beginning of one, or its file.
	// Continue goes on with the last session of the directory; where there is none, the
	// error is session.ErrNone.
	Resume   string
	Continue bool
	// Fork goes on with that session in a new one, which begins as its copy.
	Fork bool
	// SessionID is the id of a new session, which no session may have; "" makes one up.
	SessionID string
	// NoPersistence keeps the session in memory only.
	NoPersistence bool
	// Recipe is what the session begins with, RecipeArgs are its arguments.
	Recipe     string
	RecipeArgs map[string]string
	// Worktree is the git worktree to work in; NewWorktree makes one.
	Worktree string
	// Team gives the model tasks and teammates in the background.
	Team bool
	// System is the system prompt in pieces; nil is agent.DefaultSystem.
	System []string
	// Effort and Thinking are how hard the model tries, in its provider's words, and how
	// many tokens it may think with; zero is the provider's default.
	Effort   string
	Thinking int
	// BuiltIn names the built-in tools that the model is offered; nil offers all. Tools of
	// MCP servers and script modules are offered in any case.
	BuiltIn []string
	// AddDirs are directories to work in beside that of the host.
	AddDirs []string
	// Servers are MCP servers of the caller's, which need no approval. They go before those
	// of the project's .mcp.json, and are all that there are with OnlyServers.
	Servers     []mcp.Server
	OnlyServers bool
	// Editor, when not nil, has the files of these directories open for a person: the tools
	// read and write them there.
	Editor tool.Editor
	// Subagents are the caller's, which go before those of files.
	Subagents []subagent.Definition
	// Agent names the subagent that the session itself works as: with its prompt, its tools
	// and its model.
	Agent string
	// Rules are permission rules beside those of settings files.
	Rules []permission.Entry
	// MaxTurns and Budget end a prompt after so many model calls or tokens; 0 means no limit.
	MaxTurns int
	Budget   int64
	// MaxUSD ends a prompt when the models have cost this much; 0 means no limit. A model
	// without a known price is an OptionError.
	MaxUSD float64
	// Fallbacks are names of models that answer, in this order, while the model is not
	// available.
	Fallbacks []string
	// Betas are features of Anthropic's API to turn on, and TaskBudget is one of them: how
	// many tokens the model is told that it has for the session; 0 is none.
	Betas      []string
	TaskBudget int64
	// ResumeAt is a message of the session that is resumed, by its id in the session or its
	// uuid in the stream: what came after it is left out.
	ResumeAt string
	// JSON says that a program reads what the agent does, as modules may ask.
	JSON bool
	// OnEvent, when not nil, is told what happens in the agent.
	OnEvent func(agent.Event)
	// OnSetting, when not nil, is called when the model or the permission mode has become
	// another one.
	OnSetting func()
	// Shutdown is called when a script module wants the program to end.
	Shutdown func()
	// Change, when not nil, may change what the agent is made with: its model, for
	// instance, or further tools.
	Change func(*agent.Config)
}

// Cost returns what the models have cost in US dollars so far, those whose price is known.
func (h *Agent) Cost() float64 {
	usd, _ := h.meter.Cost()
	return usd
}

// Used returns what each model has used so far, by its provider's name for it.
func (h *Agent) Used() map[string]registry.Use { return h.meter.Used() }

// NewWorktree is the Worktree for a new one with a name of its own.
const NewWorktree = "*"

// Agent is a host with the reference agent. Close it.
type Agent struct {
	*Host
	// Loop is the agent itself. Work calls it; it may be called directly.
	Loop *agent.Agent
	// Commands are the slash commands.
	Commands   *command.Set
	Permission *permission.Checker
	// Model is the one at the start.
	Model registry.Model
	// Subagents are those that were found at the start.
	Subagents []subagent.Definition

	opts     AgentOptions
	services *agent.Services
	modules  *modulehost.Host
	tools    *tool.Set
	servers  *mcp.Manager  // nil where the project has none
	sandbox  *tool.Sandbox // nil where it is off, or there is none
	wall     *sandbox.Wall // that of the servers, as sandbox
	env      *hookenv.Env  // what hooks put into the environment of shell commands
	session  string        // the id of the session that was opened last
	library  library
	settings settings
	meter    registry.Meter
	// scripts are the modules as of the last load. The loader is not asked while it
	// loads: a module that is being loaded may ask for them.
	scripts atomic.Pointer[[]*script.Module]

	leftOut  sync.Map      // why tools of MCP servers are, by their names
	opened   chan struct{} // closed when the agent is there, and its hooks are
	prepared bool
	awaited  bool              // the MCP servers were waited for
	rendered string            // prompt of the recipe
	granted  []permission.Rule // that it brings
}

// OpenAgent is Open with an agent that the hooks control. The gate is sealed when it
// returns: what the session's own model writes has to be approved.
func OpenAgent(ctx context.Context, o Options, ao AgentOptions) (*Agent, error) {
	h := &Agent{opts: ao, services: &agent.Services{}, opened: make(chan struct{})}
	if err := h.open(ctx, o); err != nil {
		return nil, errors.Join(err, h.End(context.WithoutCancel(ctx), ""), h.Close())
	}
	return h, nil
}

func (h *Agent) open(ctx context.Context, o Options) (err error) {
	if h.Host, err = prepare(ctx, o); err != nil {
		return err
	}
	h.library.dir, h.library.places, h.library.use = h.Dir, h.places(), h.useSkill
	if err := h.openSandbox(); err != nil {
		return err
	}
	if h.Model, err = h.chooseModel(); err == nil {
		err = h.checkModel()
	}
	if err != nil {
		return err
	}
	if err := h.loadHooks(ctx); err != nil {
		return err
	}
	if err := h.permissions(); err != nil {
		return err
	}
	cfg, err := h.agentConfig(ctx)
	if err == nil {
		if h.opts.Change != nil {
			h.opts.Change(&cfg)
		}
		h.Loop, err = agent.New(cfg)
		h.limitTools(cfg)
	}
	if err != nil {
		if cfg.Session != nil {
			err = errors.Join(err, cfg.Session.Close())
		}
		return err
	}
	h.tellMissing()
	h.settings.watch(h.Dirs)
	h.services.Bind(h.Loop)
	h.modules.Bind(h.Loop)
	h.Commands = command.New(h.Loop, command.Options{
		More: h.moreCommands, Recipes: h.library.recipes, Exec: h.execForRecipe, RecipeShell: h.shellForRecipe, Hooks: h.Registry.Infos,
		SessionDir: h.Dirs.Sessions(), Dir: h.Dir, Shell: h.shell, AddDir: h.addDir, Grant: h.grantRecipe,
	})
	h.warm()
	close(h.opened)
	return nil
}

// tellMissing tells of built-in tools that were asked for by name and are not there.
func (h *Agent) tellMissing() {
	all := h.Loop.AllTools()
	for _, name := range h.opts.BuiltIn {
		if name != "Skill" && !slices.ContainsFunc(all, func(t tool.Tool) bool { return t.Name() == name }) {
			h.notify(ui.Warning, "There is no built-in tool %s.", name)
		}
	}
}

// warm starts ahead what the session's hooks have to start. What cannot be started says
// why when its event comes.
func (h *Agent) warm() {
	if h.Loop == nil {
		return
	}
	_ = h.Loader.Warm(hook.Common{SessionID: h.Loop.SessionID(), CWD: h.Loop.Dir()})
}

// End ends the session; the reason is SessionEnd's. Hooks in the background go on until
// Close, which calls it with the reason other. Ending again does nothing.
func (h *Agent) End(ctx context.Context, reason string) error {
	if h.Loop == nil {
		return nil
	}
	return h.Loop.Close(ctx, reason)
}

// Close ends the session, the hooks, and all that they and the agent have started.
func (h *Agent) Close() error {
	errs := []error{h.End(context.Background(), "other")}
	if h.Engine != nil {
		errs = append(errs, h.Engine.Close())
	}
	if h.tools != nil {
		errs = append(errs, h.tools.Close())
	}
	if h.Host != nil {
		errs = append(errs, h.Host.Close())
	}
	if h.env != nil {
		errs = append(errs, h.env.Close())
	}
	if h.servers != nil {
		errs = append(errs, h.servers.Close())
	}
	if h.sandbox != nil {
		errs = append(errs, h.sandbox.Close())
		h.wall.Close()
	}
	return errors.Join(errs...)
}

// Servers says how the MCP servers of the project are doing.
func (h *Agent) Servers() []mcp.Status {
	if h.servers == nil {
		return nil
	}
	return h.servers.Status()
}

// agentConfig is what the agent starts with.
func (h *Agent) agentConfig(ctx context.Context) (agent.Config, error) {
	o := &h.opts
	cfg := agent.Config{
		Model: h.Model.Provider, ModelName: h.Model.Name, Window: h.Model.Price.Window, Resolve: h.resolve, KeepModel: o.Model != "", Hooks: h.hooks(), Permission: h.Permission,
		UI: h.Host.opts.UI, OnEvent: h.onEvent, OnModel: o.OnSetting, SessionDir: h.Dirs.Sessions(), Dir: h.Dir, MaxTurns: o.MaxTurns, Budget: o.Budget,
		Version: h.Host.opts.Version, Team: o.Team, ScopedHooks: h.scopedHooks, Recipe: o.Recipe, BuiltIn: o.BuiltIn,
		MaxStops: h.stopCap(), MaxCost: o.MaxUSD, Cost: h.meter.Cost, CacheWrite: h.cacheWrite, System: o.System, Effort: o.Effort, ThinkingBudget: o.Thinking, TaskBudget: o.TaskBudget,
	}
	if o.NoPersistence {
		cfg.SessionDir = ""
	}
	cfg.Framer = framer(h.Host.opts.Dialects)
	var err error
	if cfg.Fallbacks, err = h.fallbacks(); err != nil {
		return cfg, err
	}
	if h.tools, err = tool.New(tool.Config{
		Dir: h.Dir, AddDirs: h.Permission.Directories()[1:], UI: h.Host.opts.UI, Permit: h.permitPath, Hide: h.Permission.Hidden, Summarize: h.summarize, Env: h.shellEnv(), EnvFiles: h.env.Files, Sandbox: h.sandbox, Editor: o.Editor,
		Keep: func(path string, content []byte, there bool) error {
			return h.Loop.Session().BackUp(path, content, there)
		},
	}); err != nil {
		return cfg, err
	}
	cfg.Tools, cfg.Cwd, cfg.Restore, cfg.Todos, cfg.Ended = h.tools.Tools(), h.tools.Cwd, h.tools.Restore, h.tools.Todos, h.tools.Ended
	cfg.Worktrees = &agent.Worktrees{Manager: worktree.New(h.Dirs.Project), Set: h.tools}
	if o.BuiltIn == nil || slices.Contains(o.BuiltIn, "Skill") {
		cfg.Sources = append(cfg.Sources, &h.library)
	}
	if h.servers != nil {
		cfg.Sources = append(cfg.Sources, h.servers)
	}
	cfg.Sources = append(cfg.Sources, moduleTools{h})
	if cfg.Session, cfg.Source, err = h.openSession(); err != nil {
		return cfg, err
	}
	if err := h.discoverResources(ctx, cfg.Session.ID(), "startup"); err != nil {
		return cfg, err
	}
	if err := h.loadSkills(ctx); err != nil {
		return cfg, err
	}
	cfg.Reconfigure, cfg.ReloadSkills = h.Refresh, h.loadSkills
	var faults [4]error
	project, home := h.Dirs.Read()
	cfg.Instructions, faults[0] = instructions.Load(project, home)
	cfg.Rules, faults[1] = rules.Load(rules.Dirs(project, home)...)
	cfg.Subagents, faults[2] = subagent.Load(project, home)
	of, err := h.pluginAgents()
	cfg.Subagents, faults[3] = append(cfg.Subagents, of...), err
	cfg.Subagents = slices.Concat(o.Subagents, slices.DeleteFunc(cfg.Subagents, func(d subagent.Definition) bool { return named(o.Subagents, d.Name) >= 0 }))
	h.Subagents = cfg.Subagents
	if err := h.workAs(&cfg); err != nil {
		return cfg, err
	}
	h.askAhead(ctx)
	h.seal()
	for _, err := range faults {
		if err != nil {
			h.notify(ui.Warning, "%v", err)
		}
	}
	return cfg, h.restoreTodos(cfg.Session)
}

// askAhead asks the gate about what may be asked about later: what is asked before it is
// sealed is what may run.
func (h *Agent) askAhead(ctx context.Context) {
	for _, d := range h.Subagents {
		if len(d.Hooks) > 0 {
			h.agentHooksApproved(d)
		}
	}
	for _, g := range h.toolGrants(ctx, h.library.skills.Load(), h.library.named().recipes) {
		h.Gate.Check(g)
	}
}

// onEvent does what the host has to do when something happens, and hands it on.
func (h *Agent) onEvent(ev agent.Event) {
	if ev.Kind == agent.KindSession && ev.Text != "compact" && ev.Text != "branch" {
		if h.session != "" && h.session != ev.Session {
			h.env.Clear() // another conversation, whose hooks begin anew
		}
		h.session = ev.Session
		h.restoreSkills()
	}
	if h.opts.OnEvent != nil {
		h.opts.OnEvent(ev)
	}
}
