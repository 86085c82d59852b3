package main

import (
	"context"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/hookenv"
	"github.com/hookline-dev/hookline/agent/modulehost"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui/clean"
)

// loadHooks finds the hooks and makes the engine.
func (w *wiring) loadHooks(ctx context.Context, o wireOptions) (err error) {
	a := w.app
	if w.workspace, err = a.workspace(ctx); err != nil {
		return err
	}
	w.closers = append(w.closers, w.telemetry.close)
	w.modules = modulehost.New(modulehost.Options{
		UI: o.person, Dir: w.dir, Window: w.model.Price.Window, Provider: provider(w.model.FullName), Commands: w.commandList, Reload: w.reload, Shutdown: o.shutdown,
	})
	if err := w.connect(o.person); err != nil {
		return err
	}
	w.env = &hookenv.Env{OnProblem: func(err error) { a.warnf("warning: %s", clean.PlainLine(err.Error())) }}
	w.closers = append(w.closers, w.env.Close)
	hosting := discovery.Hosting{EnvFile: w.env.File, Host: w.modules, Model: w.services, WorkerHost: worker.Local{Person: o.person}}
	if w.servers != nil {
		hosting.MCP = agent.HookMCP(w.servers)
	}
	err = a.load(ctx, w.workspace, hosting)
	w.closers = append(w.closers, w.loader.Close)
	if err != nil {
		return err
	}
	w.loaded()
	a.printDiagnostics(w.set.Diagnostics)
	if err := a.checkTrusted(w.set); err != nil {
		return err
	}
	a.untrustedLine(w.workspace)
	opts := []hook.EngineOption{hook.WithRecorder(w.env)}
	if o.observer != nil {
		opts = append(opts, hook.WithObserver(o.observer))
	}
	log, err := a.auditLog(w.workspace)
	if err != nil {
		return err
	}
	if log != nil {
		opts = append(opts, hook.WithRecorder(log))
		w.closers = append(w.closers, log.Close)
	}
	if w.telemetry.exporter != nil {
		opts = append(opts, hook.WithRecorder(w.telemetry.exporter))
	}
	w.engine = w.workspace.engine(opts...)
	return nil
}

// hooks are what the agent fires events through: the engine, within spans where they
// are wanted.
func (w *wiring) hooks() agent.Hooks {
	if w.telemetry.exporter == nil {
		return w.engine
	}
	return tracedEngine{w.engine, w.telemetry}
}

// tracedEngine gives each event a span.
type tracedEngine struct {
	*hook.Engine
	telemetry telemetry
}

// Fire fires an event within its span.
func (e tracedEngine) Fire(ctx context.Context, in hook.Input) (hook.Outcome, error) {
	ctx, end := e.telemetry.start(ctx, in)
	defer end()
	return e.Engine.Fire(ctx, in)
}

// loaded takes over the modules that were loaded.
func (w *wiring) loaded() {
	list := w.loader.Modules()
	w.scripts.Store(&list)
}

// moduleList returns the modules.
func (w *wiring) moduleList() []*script.Module {
	if list := w.scripts.Load(); list != nil {
		return *list
	}
	return nil
}

func provider(fullName string) string {
	name, _, _ := strings.Cut(fullName, "/")
	return name
}
