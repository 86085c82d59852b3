package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/hookenv"
	"github.com/hookline-dev/hookline/agent/instructions"
	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/registry"
	"github.com/hookline-dev/hookline/agent/modulehost"
	"github.com/hookline-dev/hookline/agent/rules"
	"github.com/hookline-dev/hookline/agent/skilltool"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/permission/rule"
	"github.com/hookline-dev/hookline/recipe"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/skill"
	"github.com/hookline-dev/hookline/ui"
)

// agentFlags are the flags of the commands that run the agent.
type agentFlags struct {
	model, scriptLog, mode, recipe, resume string
	args                                   []string
	goOn, init, maintenance, team          bool
	maxTurns                               int
	budget                                 int64
	backgroundWait                         time.Duration
	worktree                               worktreeFlag
	changed                                func(flag string) bool
}

func (f *agentFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	f.changed = fl.Changed
	fl.StringVar(&f.model, "model", "", "the model: PROVIDER/NAME, script:FILE, or script for the built-in demonstration")
	fl.StringVar(&f.scriptLog, "script-log", "", "write the requests that a scripted model gets to this file, one a line")
	fl.StringVar(&f.mode, "permission-mode", "", "default, acceptEdits, plan, dontAsk or bypassPermissions")
	fl.StringVarP(&f.recipe, "recipe", "r", "", "begin with this recipe")
	fl.StringArrayVar(&f.args, "arg", nil, "an argument of the recipe: NAME=VALUE (repeatable)")
	fl.StringVar(&f.resume, "resume", "", "go on with the session of this id, the beginning of one, or its file")
	fl.BoolVar(&f.goOn, "continue", false, "go on with the last session of this directory")
	fl.BoolVar(&f.init, "init", false, "fire Setup(init) first")
	fl.BoolVar(&f.maintenance, "maintenance", false, "fire Setup(maintenance) first")
	fl.BoolVar(&f.team, "team", false, "give the model tasks and teammates in the background")
	fl.VarP(&f.worktree, "worktree", "w", "work in a git worktree of the project, one of this name (--worktree=NAME) or a new one")
	fl.Lookup("worktree").NoOptDefVal = anyName
	fl.IntVar(&f.maxTurns, "max-turns", 0, "end a prompt after this many model calls")
	fl.DurationVar(&f.backgroundWait, "background-wait", 10*time.Second, "at the end, wait this long for hooks in the background")
	fl.Int64Var(&f.budget, "max-tokens", 0, "end a prompt when it has used this many tokens")
}

// check refuses values that mean nothing. A script whose variable is empty must not get
// another session than it asked for.
func (f *agentFlags) check() error {
	switch {
	case f.changed("resume") && strings.TrimSpace(f.resume) == "":
		return usagef("--resume needs the id of a session or its file; --continue takes the last one")
	case f.changed("recipe") && f.recipe == "":
		return usagef("--recipe needs a name; 'hookline recipe list' shows what there is")
	case f.maxTurns < 0, f.budget < 0, f.backgroundWait < 0:
		return usagef("--max-turns, --max-tokens and --background-wait take no negative numbers")
	}
	return nil
}

// wiring is an agent with everything that it works with.
type wiring struct {
	*workspace
	app      *app
	flags    *agentFlags
	person   ui.UI
	services *agent.Services
	modules  *modulehost.Host
	model    registry.Model // the one at the start
	// scriptLog gets the requests of scripted models, nil for no log.
	scriptLog *os.File
	// played says that the demonstration plays the model, because there was none to
	// choose; it counts while the wiring is made.
	played   atomic.Bool
	tools    *tool.Set
	servers  *mcp.Manager
	env      *hookenv.Env // what hooks put into the environment of shell commands
	checker  *permission.Checker
	engine   *hook.Engine
	agent    *agent.Agent
	commands *command.Set
	rendered string      // prompt of the recipe
	granted  []rule.Rule // that it brings
	settings []settingsFile
	// scripts are the modules as of the last load. The loader is not asked while it
	// loads: a module that is being loaded may ask for them.
	scripts   atomic.Pointer[[]*script.Module]
	skill     atomic.Pointer[tool.Tool] // the Skill tool as of the last load
	skills    atomic.Pointer[skill.Set] // those of it
	resources atomic.Pointer[resources]
	subagents []subagent.Definition
	rules     map[string][]permission.Entry // of settings files, by path
	refreshes sync.Mutex                    // one look at the settings files at a time
	closers   []func() error
}

// wireOptions say how an agent talks to whoever runs it.
type wireOptions struct {
	person   ui.UI
	onEvent  func(agent.Event)
	observer hook.Observer
	change   func(*agent.Config)
	shutdown func()
}

// wire makes an agent in the working directory. Prepare it, and close the wiring.
func (a *app) wire(ctx context.Context, f *agentFlags, o wireOptions) (w *wiring, err error) {
	w = &wiring{app: a, flags: f, person: o.person, services: &agent.Services{}}
	if a.watchReader != nil {
		stop := a.watchReader()
		w.closers = append(w.closers, func() error { stop(); return nil })
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close(context.WithoutCancel(ctx), ""))
		}
	}()
	if err := f.check(); err != nil {
		return w, err
	}
	if w.model, err = w.chooseModel(); err != nil {
		return w, err
	}
	if err := w.loadHooks(ctx, o); err != nil {
		return w, err
	}
	if err := w.permissions(); err != nil {
		return w, err
	}
	cfg, err := w.agentConfig(ctx, o)
	if err == nil {
		if o.change != nil {
			o.change(&cfg)
		}
		w.agent, err = agent.New(cfg)
	}
	if err != nil {
		if cfg.Session != nil {
			err = errors.Join(err, cfg.Session.Close())
		}
		return w, err
	}
	if w.played.Load() {
		a.warnf("No model is named and no API key is set: a built-in script plays the model. --model PROVIDER/NAME takes a real one.")
	}
	w.settings = w.settingsFiles()
	w.services.Bind(w.agent)
	w.modules.Bind(w.agent)
	w.commands = command.New(w.agent, command.Options{
		More: w.moreCommands, Recipes: w.recipes, Exec: w.execForRecipe, Hooks: w.reg.Infos,
		SessionDir: w.sessionDir(), Dir: w.dir, Shell: w.shell, AddDir: w.addDir, Grant: w.grantRecipe,
	})
	w.warm()
	return w, nil
}

// warm starts ahead what the session's hooks have to start. What cannot be started says
// why when its event comes.
func (w *wiring) warm() {
	if w.agent == nil {
		return
	}
	_ = w.loader.Warm(hook.Common{SessionID: w.agent.SessionID(), CWD: w.agent.Dir()})
}

// close ends the agent and what it works with; the reason is SessionEnd's.
func (w *wiring) close(ctx context.Context, reason string) error {
	var errs []error
	if w.agent != nil {
		errs = append(errs, w.agent.Close(ctx, reason))
		w.sayKept()
	}
	if w.engine != nil {
		w.awaitBackground(ctx)
		errs = append(errs, w.engine.Close())
	}
	for _, c := range slices.Backward(w.closers) {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// agentConfig is what the agent starts with.
func (w *wiring) agentConfig(ctx context.Context, o wireOptions) (agent.Config, error) {
	a := w.app
	cfg := agent.Config{
		Model: w.model.Provider, ModelName: w.model.Name, Window: w.model.Price.Window, Resolve: w.resolve, KeepModel: w.flags.model != "", Hooks: w.hooks(), Permission: w.checker,
		UI: o.person, OnEvent: w.onEvent(o.onEvent), SessionDir: w.sessionDir(), Dir: w.dir, MaxTurns: w.flags.maxTurns, Budget: w.flags.budget,
		Version: currentVersion().Version, Team: w.flags.team, ScopedHooks: w.scopedHooks, Recipe: w.flags.recipe,
	}
	var err error
	if w.tools, err = tool.New(tool.Config{
		Dir: w.dir, AddDirs: w.checker.Directories()[1:], UI: o.person, Permit: w.permitPath, Hide: w.checker.Hidden, Summarize: w.summarize, EnvFiles: w.env.Files,
	}); err != nil {
		return cfg, err
	}
	w.closers = append(w.closers, w.tools.Close, w.watchHurry())
	cfg.Tools, cfg.Cwd, cfg.Todos = w.tools.Tools(), w.tools.Cwd, w.tools.Todos
	cfg.Worktrees = &agent.Worktrees{Manager: worktree.New(w.dirs.Project), Set: w.tools}
	if w.servers != nil {
		cfg.Sources = append(cfg.Sources, w.servers)
	}
	cfg.Sources = append(cfg.Sources, moduleTools{w})
	if cfg.Session, cfg.Source, err = w.openSession(); err != nil {
		return cfg, err
	}
	if err := w.discoverResources(ctx, cfg.Session.ID(), "startup"); err != nil {
		return cfg, err
	}
	skills, err := w.loadSkills(ctx)
	if err != nil {
		return cfg, err
	}
	cfg.Sources = append([]agent.ToolSource{skillTool{w}}, cfg.Sources...)
	cfg.Reconfigure = w.refresh
	cfg.ReloadSkills = func(ctx context.Context) error { _, err := w.loadSkills(ctx); return err }
	defer func() { w.subagents = cfg.Subagents }()
	var faults [3]error
	cfg.Instructions, faults[0] = instructions.Load(w.dirs.Project, w.dirs.Home)
	cfg.Rules, faults[1] = rules.Load(rules.Dirs(w.dirs.Project, w.dirs.Home)...)
	cfg.Subagents, faults[2] = subagent.Load(w.dirs.Project, w.dirs.Home)
	for _, d := range cfg.Subagents {
		if len(d.Hooks) > 0 && d.Project {
			w.agentHooksApproved(d) // what is asked before the seal is what may run
		}
	}
	for _, g := range toolGrants(ctx, w.dirs, skills, w.named().recipes) {
		w.gate.Check(g)
	}
	w.gate.Seal() // what the session's own model writes from now on has to be approved
	for _, err := range faults {
		if err != nil {
			a.warnf("warning: %v", err)
		}
	}
	return cfg, w.restoreTodos(cfg.Session)
}

// onEvent is the caller's, behind what the wiring does itself.
func (w *wiring) onEvent(next func(agent.Event)) func(agent.Event) {
	return func(ev agent.Event) {
		if ev.Kind == agent.KindSession && ev.Text != "compact" && ev.Text != "branch" {
			w.env.Clear() // another conversation, whose hooks begin anew
		}
		if next != nil {
			next(ev)
		}
	}
}

// restoreTodos takes up the list of todos that the model kept in the session.
func (w *wiring) restoreTodos(s *session.Session) error {
	items, err := s.Context()
	if err != nil {
		return err
	}
	for _, it := range slices.Backward(items) {
		var m model.Message
		if json.Unmarshal(it.Message, &m, hook.EncodeOptions()) != nil {
			continue // a text
		}
		for _, call := range slices.Backward(m.ToolUses()) {
			var in struct {
				Todos []tool.Todo `json:"todos"`
			}
			if call.Name == "TodoWrite" && json.Unmarshal(call.Input, &in) == nil {
				w.tools.SetTodos(in.Todos)
				return nil
			}
		}
	}
	return nil
}

// loadSkills looks for skills and makes the tool that knows them.
func (w *wiring) loadSkills(ctx context.Context) (*skill.Set, error) {
	skills, err := skill.Discover(ctx, skill.Options{Places: w.app.places(w.dirs), Extra: w.named().skills})
	if err != nil {
		return nil, err
	}
	t := skilltool.New(skills, skilltool.Options{Grant: w.grantSkill})
	w.skill.Store(&t)
	w.skills.Store(skills)
	return skills, nil
}

// skillTool is the Skill tool, when there are skills.
type skillTool struct{ w *wiring }

// Tools returns it.
func (s skillTool) Tools() []tool.Tool {
	if t := s.w.skill.Load(); t != nil && *t != nil {
		return []tool.Tool{*t}
	}
	return nil
}

func (w *wiring) sessionDir() string { return filepath.Join(w.dirs.State, "sessions") }

// openSession opens the session that the flags ask for, or a new one.
func (w *wiring) openSession() (*session.Session, string, error) {
	opts := session.Options{Cwd: w.dir}
	switch {
	case w.flags.resume != "" && w.flags.goOn:
		return nil, "", usagef("give --resume or --continue, not both")
	case w.flags.resume != "":
		info, err := session.Find(w.sessionDir(), w.flags.resume)
		if err != nil {
			return nil, "", err
		}
		s, err := session.Open(info.Path, opts)
		return s, "resume", err
	case w.flags.goOn:
		s, err := session.Resume(w.sessionDir(), w.dir, opts)
		if errors.Is(err, session.ErrNone) {
			err = usagef("--continue: there is no session of %s yet; without --continue one begins", w.dir)
		}
		return s, "resume", err
	}
	s, err := session.Create(w.sessionDir(), opts)
	return s, "startup", err
}

// chooseModel finds the model: the flag's, the environment's, that of a key that is
// set, or the demonstration.
func (w *wiring) chooseModel() (registry.Model, error) {
	name := w.flags.model
	if name == "" {
		name = w.app.getenv("HOOKLINE_MODEL")
	}
	if name == "" {
		for _, d := range [][2]string{
			{"ANTHROPIC_API_KEY", "anthropic/claude-sonnet-4-5"}, {"OPENAI_API_KEY", "openai/gpt-5"}, {"GEMINI_API_KEY", "google/gemini-2.5-pro"},
		} {
			if w.app.getenv(d[0]) != "" {
				name = d[1]
				break
			}
		}
	}
	if name == "" {
		name = "script"
		w.played.Store(true)
	}
	if err := w.openScriptLog(); err != nil {
		return registry.Model{}, err
	}
	m, err := w.resolveModel(name)
	if errors.Is(err, registry.ErrNoKey) || err == nil {
		return m, err
	}
	return m, usagef("--model: %w", err)
}

// resolveModel finds a model by name.
func (w *wiring) resolveModel(name string) (registry.Model, error) {
	cfg := registry.Config{Getenv: w.app.getenv}
	if dir, err := w.app.workDir(); err == nil {
		cfg.KeyFile = filepath.Join(w.app.dirs(dir).Config, "keys.json")
		if _, err := os.Stat(cfg.KeyFile); errors.Is(err, os.ErrNotExist) {
			cfg.KeyFile = ""
		}
		if file, ok := strings.CutPrefix(name, "script:"); ok && !filepath.IsAbs(file) {
			name = "script:" + filepath.Join(dir, file)
		}
	}
	if w.scriptLog != nil {
		cfg.ScriptLog = w.scriptLog
	}
	return registry.Resolve(name, cfg)
}

// openScriptLog opens the file of --script-log, which all scripted models write to.
func (w *wiring) openScriptLog() error {
	if w.flags.scriptLog == "" {
		return nil
	}
	f, err := os.OpenFile(w.flags.scriptLog, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("--script-log: %w", err)
	}
	w.scriptLog = f
	w.closers = append(w.closers, f.Close)
	return nil
}

// resolve finds a model that is named in the middle of a session.
func (w *wiring) resolve(name string) (model.Provider, string, error) {
	m, err := w.resolveModel(name)
	if err == nil {
		w.played.Store(false)
	}
	return m.Provider, m.Name, err
}

// useRecipe renders the recipe and takes over what it asks for.
func (w *wiring) useRecipe(ctx context.Context) error {
	if w.flags.recipe == "" {
		if len(w.flags.args) > 0 {
			return usagef("--arg needs --recipe")
		}
		return nil
	}
	set, err := w.recipes(ctx)
	if err != nil {
		return err
	}
	r, err := set.Lookup(w.flags.recipe)
	if err != nil {
		return err
	}
	values, err := parseArgs(w.flags.args)
	if err != nil {
		return err
	}
	if w.rendered, err = r.Render(ctx, recipe.RenderOptions{Args: values, Exec: w.execForRecipe}); err != nil {
		return err
	}
	w.granted = w.grantRecipe(r)
	if r.AllowedTools != nil && r.Format != recipe.Command {
		w.agent.SetActiveTools(allowedNames(r.AllowedTools))
	}
	if err := w.limitCommands(r); err != nil {
		return err
	}
	return w.recipeHooks(r)
}

// allowedNames takes the names out of entries such as Bash(git:*).
func allowedNames(entries []string) []string {
	out := []string{}
	for _, e := range entries {
		name, _, _ := strings.Cut(e, "(")
		out = append(out, strings.TrimSpace(name))
	}
	return out
}

func (w *wiring) recipes(ctx context.Context) (*recipe.Set, error) {
	return recipe.Discover(ctx, recipe.Options{Places: w.app.places(w.dirs), Extra: w.named().recipes})
}
