// Package host puts everything together that runs hooks in a directory: it finds
// them, asks whether they are approved, reads the configuration, makes the engine and
// keeps the audit log. OpenAgent adds the reference agent with permissions, skills,
// commands, MCP servers and subagents.
//
// Nothing here writes to a terminal; what there is to say goes to Options.Notify and
// Options.Diagnose.
package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// Host is a directory with its hooks loaded, and the engine that fires them. It is safe
// for concurrent use; its fields are read only. Close it.
type Host struct {
	// Dir is the directory, absolute.
	Dir      string
	Dirs     discovery.Dirs
	Config   *config.Config
	Gate     trust.Gate
	Loader   *discovery.Loader
	Registry *hook.Registry
	Engine   *hook.Engine
	// Audit is the audit log, nil when it is off.
	Audit *audit.Log

	opts        Options
	configDiags []diag.Diagnostic
	set         atomic.Pointer[discovery.Set]
	telemetry   telemetry

	closed    atomic.Bool
	mu        sync.Mutex
	overrides []string // hooks that run although nobody approved them
}

// Open loads the hooks of a directory. Files with mistakes in them are not an error: what
// cannot be used is in the set, with the reason.
func Open(ctx context.Context, o Options) (*Host, error) {
	h, err := prepare(ctx, o)
	if err == nil {
		err = h.load(ctx)
	}
	if err == nil {
		err = h.start()
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	h.seal()
	return h, nil
}

// prepare finds the directory and its configuration, before hooks are loaded. The host
// is there to close also when it fails.
func prepare(ctx context.Context, o Options) (*Host, error) {
	h := &Host{opts: o, Registry: o.Registry, Gate: o.Gate, Dirs: o.Dirs}
	if h.opts.Getenv == nil {
		h.opts.Getenv = os.Getenv
	}
	if h.opts.Dialects == nil {
		h.opts.Dialects = all.Dialects()
	}
	if h.opts.UI == nil {
		h.opts.UI = ui.None{}
	}
	if h.Registry == nil {
		h.Registry = hook.NewRegistry()
	}
	var err error
	if h.Dir, err = WorkDir(o.Dir); err != nil {
		return h, err
	}
	if h.Dirs.Project == "" {
		h.Dirs = FindDirs(h.Dir, h.opts.Getenv, o.Dialects...)
	}
	if err := h.addToDirs(); err != nil {
		return h, err
	}
	h.Config, h.configDiags = config.Load(h.Dirs.Managed, h.Dirs.Config, filepath.Join(h.Dirs.Project, ".hookline"))
	h.Config.Strict = h.Config.Strict || o.Strict
	if h.Gate == nil {
		h.Gate = h.sessionGate()
	}
	h.settingsEnv()
	h.telemetry, err = h.newTelemetry(ctx)
	return h, err
}

// sessionGate is the gate over this person's approvals.
func (h *Host) sessionGate() trust.Gate {
	return trust.NewGate(trust.GateOptions{
		Store: trust.NewStore(discovery.TrustDir(h.Dirs)), Copies: trust.Copies{Dir: discovery.CopiesDir(h.Dirs)}, TrustProject: h.opts.TrustProject, TrustNames: h.opts.TrustNames,
		OnOverride: func(a trust.Artifact, v trust.Verdict) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.overrides = append(h.overrides, fmt.Sprintf("the session was told to run %s (%s, %s), which nobody approved", a.Name, a.Source, v.Digest))
		},
	})
}

// places are where plugins, skills and recipes are looked for.
func (h *Host) places() plugin.Places { return dialect.PluginPlaces(h.Dirs, h.opts.Dialects) }

// seal says that what is written from now on has to be approved.
func (h *Host) seal() {
	if g, ok := h.Gate.(*trust.SessionGate); ok {
		g.Seal()
	}
}

// load finds and registers the hooks.
func (h *Host) load(ctx context.Context) error {
	hosting := h.opts.Hosting
	if hosting.Host == nil {
		hosting.Host = person{h.opts.UI}
	}
	if hosting.WorkerHost == nil {
		hosting.WorkerHost = worker.Local{Person: h.opts.UI}
	}
	hosting.Traceparent, hosting.Wrap = h.telemetry.traceparent, h.telemetry.wrap
	h.Loader = discovery.New(discovery.Options{
		Dirs: h.Dirs, Dialects: h.opts.Dialects, StartDir: h.Dir, Gate: h.Gate, Config: h.Config,
		Modules: h.opts.Modules, TheirFiles: h.opts.TheirFiles, Environ: h.opts.Environ, NoHooks: h.opts.NoHooks, For: h.opts.For, Hosting: hosting, Sandbox: h.hookSandbox(),
	})
	set, err := h.Loader.Register(ctx, h.Registry)
	if err != nil {
		return err
	}
	set.Diagnostics = append(slices.Clip(h.configDiags), set.Diagnostics...)
	h.useLoaded(set)
	if !h.opts.RequireTrusted {
		return nil
	}
	if names := h.Untrusted(); len(names) > 0 {
		return &UntrustedError{names}
	}
	return nil
}

// person is a host of script modules that has a person and nothing else.
type person struct{ ui ui.UI }

func (p person) UI() ui.UI { return p.ui }

var _ script.Host = person{}

// useLoaded takes over what a load found.
func (h *Host) useLoaded(set *discovery.Set) {
	h.set.Store(set)
	h.diagnose(set.Diagnostics)
}

// start makes the engine, with what records its outcomes.
func (h *Host) start(opts ...hook.EngineOption) (err error) {
	if h.Audit, err = h.openAudit(); err != nil {
		return err
	}
	if h.Audit != nil {
		opts = append(opts, hook.WithRecorder(h.Audit))
	}
	if h.telemetry.to != nil {
		opts = append(opts, hook.WithRecorder(h.telemetry.to))
	}
	if h.opts.Record {
		record, err := h.record()
		if err != nil {
			return err
		}
		opts = append(opts, record)
	}
	h.Engine = h.NewEngine(append(opts, h.opts.Engine...)...)
	return nil
}

// NewEngine returns another engine over the hooks, which keeps no record; the caller
// closes it.
func (h *Host) NewEngine(opts ...hook.EngineOption) *hook.Engine {
	if h.Config.Strict {
		opts = append(opts, hook.WithStrict())
	}
	if h.Config.ShortCircuit {
		opts = append(opts, hook.WithShortCircuit())
	}
	return hook.New(h.Registry, opts...)
}

// Fire fires an event through the engine, within a span where spans are wanted.
func (h *Host) Fire(ctx context.Context, in hook.Input) (hook.Outcome, error) {
	ctx, end := h.telemetry.start(ctx, in)
	defer end()
	return h.Engine.Fire(ctx, in)
}

// Set is what the last load found.
func (h *Host) Set() *discovery.Set { return h.set.Load() }

// Untrusted returns the names of hooks that do not run because nobody approved them,
// each once.
func (h *Host) Untrusted() []string {
	var names []string
	for _, f := range h.Set().Hooks {
		if f.Status == discovery.Untrusted && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Reload finds hooks anew.
func (h *Host) Reload(ctx context.Context) error {
	set, err := h.Loader.Register(ctx, h.Registry)
	if err == nil {
		h.useLoaded(set)
	}
	return err
}

// Refresh finds hooks anew when a file has changed that they come from.
func (h *Host) Refresh(ctx context.Context) error {
	_, err := h.refresh(ctx)
	return err
}

func (h *Host) refresh(ctx context.Context) (changed bool, err error) {
	set, changed, err := h.Loader.Refresh(ctx, h.Registry)
	if changed {
		h.useLoaded(set)
	}
	return changed, err
}

// Close ends the engine and what the hooks have started, and waits for them. Closing
// again does nothing more.
func (h *Host) Close() error {
	if h.closed.Swap(true) {
		return nil
	}
	var errs []error
	if h.Engine != nil {
		errs = append(errs, h.Engine.Close())
	}
	if h.Audit != nil {
		errs = append(errs, h.Audit.Close())
	}
	if h.Loader != nil {
		errs = append(errs, h.Loader.Close())
	}
	return errors.Join(append(errs, h.telemetry.close())...)
}

func (h *Host) diagnose(diags []diag.Diagnostic) {
	if h.opts.Diagnose != nil && len(diags) > 0 {
		h.opts.Diagnose(diags)
	}
}

// notify tells the caller something; foreign parts of it may have anything in them.
func (h *Host) notify(level ui.Level, format string, args ...any) {
	if h.opts.Notify != nil {
		h.opts.Notify(clean.PlainText(fmt.Sprintf(format, args...)), level)
	}
}
