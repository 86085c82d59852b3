package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/hookenv"
	"github.com/hookline-dev/hookline/agent/modulehost"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// loadHooks finds the hooks, which are offered what the agent has, and makes the engine.
func (h *Agent) loadHooks(ctx context.Context) error {
	o := &h.Host.opts
	h.modules = modulehost.New(modulehost.Options{
		UI: o.UI, JSON: h.opts.JSON, Dir: h.Dir, Price: h.Model.Price, Provider: provider(h.Model.FullName), Commands: h.commandList, Skills: h.skillList,
		Reload: h.renew, Shutdown: h.opts.Shutdown,
	})
	if err := h.connect(); err != nil {
		return err
	}
	h.env = &hookenv.Env{OnProblem: func(err error) { h.notify(ui.Warning, "%v", err) }}
	o.Hosting.EnvFile, o.Hosting.Host, o.Hosting.Model, o.Hosting.Skills = h.env.File, h.modules.Modules(), h.services, &h.library
	o.Hosting.Leave = h.leaveModule
	if h.servers != nil {
		o.Hosting.MCP = agent.HookMCP(h.servers)
	}
	if err := h.load(ctx); err != nil {
		return err
	}
	h.keepModules()
	return h.start(hook.WithRecorder(h.env))
}

// hooks are what the agent fires events through: the engine, within spans where they
// are wanted.
func (h *Agent) hooks() agent.Hooks {
	if h.telemetry.to == nil {
		return h.Engine
	}
	return tracedEngine{h.Engine, h.Host}
}

// tracedEngine gives each event a span.
type tracedEngine struct {
	*hook.Engine
	host *Host
}

var (
	_ agent.Registrar     = tracedEngine{}
	_ agent.LateCollector = tracedEngine{}
)

// Fire fires an event within its span.
func (e tracedEngine) Fire(ctx context.Context, in hook.Input) (hook.Outcome, error) {
	return e.host.Fire(ctx, in)
}

// Reload finds hooks anew, and lets them name their directories again.
func (h *Agent) Reload(ctx context.Context) error {
	if err := h.Host.Reload(ctx); err != nil {
		return err
	}
	return h.reloaded(ctx)
}

// renew is Reload for a module that asks for it: all modules begin anew.
func (h *Agent) renew(ctx context.Context) error {
	h.Loader.Renew()
	return h.Reload(ctx)
}

// reloaded takes over what was found anew.
func (h *Agent) reloaded(ctx context.Context) error {
	known := h.Modules()
	h.keepModules()
	h.warm()
	if h.Loop == nil {
		return nil // it happens while the agent is made, which asks by itself
	}
	if h.servers != nil {
		h.servers.Relist() // other hooks may think otherwise of their tools
	}
	fresh := slices.DeleteFunc(slices.Clone(h.Modules()), func(m *script.Module) bool { return slices.Contains(known, m) })
	if err := h.tellModules(ctx, fresh, &hook.SessionStart{Source: "reload"}); err != nil {
		return err
	}
	if err := h.discoverResources(ctx, h.Loop.SessionID(), "reload"); err != nil {
		return err
	}
	return h.loadSkills(ctx)
}

// leaveTime is how long a module may take to leave, whomever it asks: nothing is loaded
// meanwhile.
const leaveTime = 10 * time.Second

// leaveModule tells a module that is about to be closed while the session goes on that it
// is over for it.
func (h *Agent) leaveModule(ctx context.Context, m *script.Module) {
	if h.Loop == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	if err := h.tellModules(ctx, []*script.Module{m}, &hook.SessionEnd{Reason: "reload"}); err != nil {
		h.notify(ui.Warning, "%v", err)
	}
}

// tellModules tells modules, and no other hook, that the session begins or ends for them
// while it is at work: it is in the handler for its start that they begin.
func (h *Agent) tellModules(ctx context.Context, modules []*script.Module, in hook.Input) error {
	reg := hook.NewRegistry()
	for _, f := range h.Set().Hooks {
		told := f.Event == in.Event() && f.Status == discovery.Active && f.Registration != nil
		if !told || !slices.ContainsFunc(modules, func(m *script.Module) bool { return m.Info().Path == f.Path }) {
			continue
		}
		r := *f.Registration
		r.Group = nil // it is of the registry that all hooks are in
		if _, err := reg.Add(r); err != nil {
			return fmt.Errorf("telling the module %s: %w", f.Path, err)
		}
	}
	var opts []hook.EngineOption
	if h.Audit != nil {
		opts = append(opts, hook.WithRecorder(h.Audit))
	}
	*in.Base() = hook.Common{SessionID: h.Loop.SessionID(), CWD: h.Loop.Dir(), InvokedBy: "main"}
	engine := hook.New(reg, opts...)
	_, err := engine.Fire(ctx, in)
	return errors.Join(err, engine.Close())
}

// keepModules takes over the modules that were loaded.
func (h *Agent) keepModules() {
	list := h.Loader.Modules()
	h.scripts.Store(&list)
}

// Modules returns the script modules that are loaded.
func (h *Agent) Modules() []*script.Module {
	if list := h.scripts.Load(); list != nil {
		return *list
	}
	return nil
}

// moduleTools are the tools that script modules register.
type moduleTools struct{ h *Agent }

// Tools returns them as they are now.
func (s moduleTools) Tools() []tool.Tool {
	var out []tool.Tool
	names := s.h.Loader.ModuleTools()
	for _, m := range s.h.Modules() {
		for _, t := range m.Info().Tools {
			out = append(out, modulehost.NewTool(m, t, names))
		}
	}
	return out
}

var _ modulehost.Runner = (*script.Module)(nil)
