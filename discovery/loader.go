package discovery

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler/httpcall"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// Options configure a Loader.
type Options struct {
	Dirs Dirs
	// StartDir is where the session was started; "" is the project.
	StartDir string
	// Config is Hookline's own configuration; nil is the default.
	Config *config.Config
	// Gate decides which hooks may run. Nil is a trust.SessionGate over the
	// approvals in Dirs.State: hooks of a project run when this person approved
	// them. trust.Anything lets all of them run.
	Gate trust.Gate
	// Environ is the host's environment as KEY=VALUE; hooks get it without what
	// looks like credentials. Nil is that of the program.
	Environ []string
	// Modules are further script modules, as paths or directories, that the caller
	// names.
	Modules []string
	// Settings is a further settings file of the claude dialect.
	Settings string
	// NoHooks loads no hooks but the administrator's, which nobody else can switch off.
	NoHooks bool
	// Hosting is what script modules and model-based handlers need of the host; the
	// zero value offers them nothing.
	Hosting Hosting
}

// Loader finds hooks and keeps what it knows about their files from one load to
// the next. It is safe for concurrent use. Close it to end what it started.
type Loader struct {
	opts    Options
	gate    trust.Gate
	env     []string
	limiter *process.Limiter
	// made are the handlers of command and worker entries while a load goes on.
	made map[*claude.Entry]hook.Handler
	// pool keeps processes that were started ahead, and workers those that stay.
	pool    *process.Pool
	workers *workerPool
	// httpClient is shared by all http hooks.
	httpClient *httpcall.Client
	sources    []source

	mu     sync.Mutex
	groups map[string]*hook.Group
	held   map[string]bool // settings files whose change does not count
	stamp  string
	last   *Set
}

// maxProcesses bounds how many hook processes run at once.
const maxProcesses = 32

// New returns a loader. Nothing is read before Load.
func New(opts Options) *Loader {
	if opts.Config == nil {
		opts.Config = &config.Config{}
	}
	if opts.StartDir == "" {
		opts.StartDir = opts.Dirs.Project
	}
	if opts.Gate == nil {
		opts.Gate = trust.NewGate(trust.GateOptions{Store: trust.NewStore(TrustDir(opts.Dirs)), Copies: trust.Copies{Dir: CopiesDir(opts.Dirs)}})
	}
	l := &Loader{opts: opts, gate: opts.Gate, limiter: process.NewLimiter(maxProcesses), httpClient: &httpcall.Client{}, pool: &process.Pool{}, groups: map[string]*hook.Group{}, held: map[string]bool{}}
	l.workers = &workerPool{running: map[string]*pooled{}}
	l.env, _ = process.Environ(hostEnviron(opts.Environ), nil, process.EnvPolicy{Keep: opts.Config.EnvAllow})
	l.sources = []source{newClaudeSource(l), newKodeletSource(l), newStandingSource(l), newPiSource(l)}
	return l
}

// Load finds all hooks. It fails only when the context ends; what cannot be used
// is in the set, with the reason.
func (l *Loader) Load(ctx context.Context) (*Set, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.load(ctx)
}

func (l *Loader) load(ctx context.Context) (*Set, error) {
	set := &Set{}
	for _, s := range l.sources {
		if _, managed := s.(*claudeSource); l.opts.NoHooks && !managed {
			continue // the administrator has settings files alone
		}
		hooks, diags := s.find(ctx)
		set.Hooks = append(set.Hooks, hooks...)
		set.Diagnostics = append(set.Diagnostics, diags...)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("find hooks: %w", context.Cause(ctx))
	}
	for i := range set.Hooks {
		l.finish(&set.Hooks[i])
	}
	if p, ok := l.gate.(interface{ Problem() error }); ok && p.Problem() != nil {
		set.Diagnostics = append(set.Diagnostics, l.note(diag.Error, "", "approvals cannot be read, so nothing of the project is approved: %v", p.Problem()))
	}
	if p, ok := l.gate.(interface{ KeepProblem() error }); ok && p.KeepProblem() != nil {
		set.Diagnostics = append(set.Diagnostics, l.note(diag.Warning, "", "no copies of approved files can be kept, so that hooks run from where they lie: %v", p.KeepProblem()))
	}
	l.stamp = l.fingerprint()
	l.last = set
	return set, nil
}

// finish applies to a found hook what does not depend on its dialect.
func (l *Loader) finish(f *Found) {
	r := f.Registration
	for _, name := range []string{f.Name, f.FullName()} {
		if why, off := l.opts.Config.Disabled(name, configLevel(f.Level)); off && (f.Status == Active || f.Status == Broken) {
			f.Status, f.Why = Disabled, why
		}
	}
	if r == nil {
		return
	}
	for pattern, policy := range l.opts.Config.OnFailure {
		if ok, err := filepath.Match(pattern, f.Name); err == nil && ok || pattern == f.Name {
			r.OnFailure = map[string]hook.FailurePolicy{"open": hook.FailOpen, "closed": hook.FailClosed, "ask": hook.FailAsk}[policy]
		}
	}
	if wrap := l.opts.Hosting.Wrap; wrap != nil && r.Handler != nil && !f.wrapped {
		r.Handler, f.wrapped = wrap(r.Handler), true
	}
	r.Name, r.Dialect, r.Source, r.Scope = f.FullName(), f.Dialect, f.Source, f.Level
	if f.Status == Untrusted {
		r.Inactive = "untrusted"
		if f.Why != "" {
			r.Inactive = f.Why
		}
	}
}

func configLevel(level string) config.Level {
	switch level {
	case "managed":
		return config.Managed
	case "user":
		return config.User
	}
	return config.Project
}

// registrations returns the registrations of one group in the order in which they
// run: those in force, and those that are not approved, which are reported where
// they would have run.
func (s *Set) registrations(group string) []hook.Registration {
	var out []hook.Registration
	for i := range s.Hooks {
		f := &s.Hooks[i]
		if f.group == group && f.Registration != nil && (f.Status == Active || f.Status == Untrusted || f.Status == Broken) {
			out = append(out, *f.Registration)
		}
	}
	return out
}

// Register finds all hooks and puts them into a registry, one group a dialect.
// Registering again replaces what an earlier call put there.
func (l *Loader) Register(ctx context.Context, reg *hook.Registry) (*Set, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	set, err := l.load(ctx)
	if err != nil {
		return nil, err
	}
	return set, l.install(reg, set)
}

func (l *Loader) install(reg *hook.Registry, set *Set) error {
	for _, s := range l.sources {
		for _, spec := range s.groups() {
			g := l.groups[spec.name]
			if g == nil {
				g = reg.Group(spec.name, spec.flow, spec.rank)
				l.groups[spec.name] = g
			}
			if err := reg.Replace(g, set.registrations(spec.name)); err != nil {
				return fmt.Errorf("register %s hooks: %w", spec.name, err)
			}
		}
	}
	return nil
}

// Refresh registers anew when a file changed since the last load; changed says
// whether it did. A file that is broken now keeps the hooks that it had, and the
// set's diagnostics say so.
func (l *Loader) Refresh(ctx context.Context, reg *hook.Registry) (set *Set, changed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	late := l.workers.late.Swap(false)
	if !late && l.last != nil && l.stamp == l.fingerprint() {
		return l.last, false, nil
	}
	set, err = l.load(ctx)
	if err != nil {
		l.workers.late.CompareAndSwap(false, late)
		return nil, false, err
	}
	return set, true, l.install(reg, set)
}

// Hold keeps what was read from a settings file before in force, whatever the file says
// now, until it is released: somebody did not want the change.
func (l *Loader) Hold(path string, hold bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if hold {
		l.held[path] = true
	} else {
		delete(l.held, path)
	}
}

// Only narrows what is registered to the hooks of some names, until the next load.
func (l *Loader) Only(reg *hook.Registry, names []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	narrowed := &Set{}
	for _, n := range names {
		narrowed.Hooks = append(narrowed.Hooks, l.last.ByName(n)...)
	}
	return l.install(reg, narrowed)
}

// Last returns what the last load found, nil before the first.
func (l *Loader) Last() *Set {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Close ends what loading started, such as the engines of script modules.
func (l *Loader) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.httpClient.Close()
	l.pool.Close()
	var errs []error
	for _, s := range l.sources {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

// allow asks the gate about a hook and records the answer. It reports whether the
// hook may run.
func (l *Loader) allow(f *Found) bool {
	v := l.gate.Check(f.Artifact)
	f.Digest = v.Digest
	if v.Allowed || f.Status != Active {
		return v.Allowed
	}
	f.Status, f.Why, f.held = Untrusted, v.Why, v.Held
	if f.Level == "managed" {
		// The administrator meant it to guard; that it cannot be trusted must not open
		// the gate.
		f.Status = Broken
		f.Registration = closedGuard(f.Event, v.Why)
	}
	return false
}

// unusable is the handler of something that never said what it wants: it fails
// wherever it might have guarded.
func unusable(what string, err error) hook.Handler {
	return hook.HandlerFunc(func(context.Context, *hook.Call) (hook.Result, error) {
		return hook.Result{}, hook.Failf(hook.FailureLoad, "%s: %w", what, err)
	})
}

// closedGuard is the registration of a hook that must not be passed by and cannot
// run.
func closedGuard(ev hook.Event, why string) *hook.Registration {
	if ev == 0 {
		ev = hook.EventPreToolUse
	}
	return &hook.Registration{
		Event: ev, OnFailure: hook.FailClosed,
		Handler: hook.HandlerFunc(func(context.Context, *hook.Call) (hook.Result, error) {
			return hook.Result{}, hook.Failf(hook.FailureLoad, "a managed hook cannot run: %s", why)
		}),
	}
}

// heldHooks returns what a hook was when the session allowed it, nil when it never
// did: a change in the middle of a session, by a model for instance, neither runs
// nor switches the hook off.
func (l *Loader) heldHooks(f *Found) []Found {
	if !f.held || l.last == nil {
		return nil
	}
	var out []Found
	for i := range l.last.Hooks {
		old := l.last.Hooks[i]
		if old.Status == Active && old.Dialect == f.Dialect && old.Name == f.Name && old.Path == f.Path && old.nth == f.nth && (f.Event == 0 || old.Event == f.Event) {
			old.Why = "changed during the session: what was approved stays in force"
			out = append(out, old)
		}
	}
	return out
}

// allowFile asks the gate about the content of a file right before it runs.
func (l *Loader) allowFile(path, digest string) bool {
	return l.gate.CheckFile(path, digest)
}

// TrustDir is the directory in which approvals are kept.
func TrustDir(d Dirs) string { return filepath.Join(d.State, "trust") }

// CopiesDir is the directory in which copies of allowed files are kept.
func CopiesDir(d Dirs) string { return filepath.Join(d.Cache, "trusted") }

func (l *Loader) note(severity diag.Severity, path, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Severity: severity, Path: path, Message: fmt.Sprintf(format, args...)}
}

// Names returns the names of all hooks, sorted, each once.
func (s *Set) Names() []string {
	var out []string
	for i := range s.Hooks {
		out = append(out, s.Hooks[i].FullName())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ByName returns the hooks of a name: all of a worker's, or the one of a full name. A
// plugin's hook is found by org/repo/name and by org@repo/name.
func (s *Set) ByName(name string) []Found {
	var out []Found
	for i := range s.Hooks {
		if n := s.Hooks[i].Name; n == name || n == pluginSpelling(name) || s.Hooks[i].FullName() == name {
			out = append(out, s.Hooks[i])
		}
	}
	return out
}
