package discovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/handler/httpcall"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// Options configure a Loader.
type Options struct {
	Dirs Dirs
	// Dialects are those in which hooks are looked for; nil is all that there are.
	Dialects []dialect.Dialect
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
	// TheirFiles are files whose hooks are left to the agent that we stand behind.
	TheirFiles []string
	// NoHooks loads no hooks but the administrator's, which nobody else can switch off.
	NoHooks bool
	// For, when not nil, is the one input that hooks are found for: of hooks of settings
	// files that it does not concern no file and no approval is looked at.
	For hook.Input
	// Sandbox holds what hooks and workers may write; nil is one for those only that run
	// what no approval covers. Close closes it.
	Sandbox *dialect.Sandbox
	// Hosting is what script modules and model-based handlers need of the host; the
	// zero value offers them nothing.
	Hosting Hosting
}

// Loader finds hooks and keeps what it knows about their files from one load to
// the next. It is safe for concurrent use. Close it to end what it started.
type Loader struct {
	opts    Options
	kit     *dialect.Kit
	sources []source

	mu     sync.Mutex
	groups map[string]*hook.Group
	held   map[string]bool // settings files whose change does not count
	stamp  string
	last   *Set
}

// source is a dialect and what finds its hooks.
type source struct {
	dialect.Dialect
	finder dialect.Finder
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
	if opts.Dialects == nil {
		opts.Dialects = all.Dialects()
	}
	if opts.Gate == nil {
		opts.Gate = trust.NewGate(trust.GateOptions{Store: trust.NewStore(TrustDir(opts.Dirs)), Copies: trust.Copies{Dir: CopiesDir(opts.Dirs)}})
	}
	if opts.Sandbox == nil {
		opts.Sandbox = &dialect.Sandbox{Confined: true}
	}
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	l := &Loader{opts: opts, groups: map[string]*hook.Group{}, held: map[string]bool{}}
	l.kit = &dialect.Kit{
		Dirs: opts.Dirs, Places: dialect.PluginPlaces(opts.Dirs, opts.Dialects), StartDir: opts.StartDir, Config: opts.Config, Hosting: opts.Hosting, Environ: opts.Environ,
		NamedModules: opts.Modules, TheirFiles: opts.TheirFiles, NoHooks: opts.NoHooks, For: opts.For,
		Limiter: process.NewLimiter(maxProcesses), Pool: &process.Pool{}, HTTP: &httpcall.Client{},
		Sandbox: opts.Sandbox, Gate: opts.Gate, Last: l.lastHooks, HeldFile: func(path string) bool { return l.held[path] },
	}
	l.kit.Env, _ = process.Environ(opts.Environ, nil, process.EnvPolicy{Keep: opts.Config.EnvAllow})
	if opts.Dirs.Cache != "" {
		// What lies compiled beside a script of Python is not covered by its approval.
		l.kit.Env = append(l.kit.Env, "PYTHONPYCACHEPREFIX="+filepath.Join(opts.Dirs.Cache, "pycache"))
	}
	for _, d := range opts.Dialects {
		l.sources = append(l.sources, source{d, d.Finder(l.kit)})
	}
	return l
}

func (l *Loader) lastHooks() []Found {
	if l.last == nil {
		return nil
	}
	return l.last.Hooks
}

// Load finds all hooks. It fails only when the context ends; what cannot be used
// is in the set, with the reason.
func (l *Loader) Load(ctx context.Context) (*Set, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.load(ctx)
}

func (l *Loader) load(ctx context.Context) (*Set, error) {
	defer l.kit.Finding()()
	set := &Set{}
	for _, s := range l.sources {
		hooks, diags := s.finder.Find(ctx)
		set.Hooks = append(set.Hooks, hooks...)
		set.Diagnostics = append(set.Diagnostics, diags...)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("find hooks: %w", context.Cause(ctx))
	}
	for i := range set.Hooks {
		l.finish(&set.Hooks[i])
	}
	set.Diagnostics = append(set.Diagnostics, uncovered(set.Hooks)...)
	set.Diagnostics = append(set.Diagnostics, notExecutable(set.Hooks)...)
	set.Diagnostics = append(set.Diagnostics, doubts(l.opts.Gate)...)
	l.stamp = l.fingerprint()
	l.last = set
	return set, nil
}

// uncovered says once of each hook which files its approval, by earlier rules, leaves out.
func uncovered(hooks []Found) []diag.Diagnostic {
	var out []diag.Diagnostic
	for i := range hooks {
		h := &hooks[i]
		d := dialect.Note(diag.Warning, h.Path, "%s: newly covered files: %s; approve once with hookline trust", h.Name, strings.Join(h.Uncovered, ", "))
		if len(h.Uncovered) > 0 && h.Status == Active && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// notExecutable names the files that would be hooks if they were executable.
func notExecutable(hooks []Found) []diag.Diagnostic {
	var out []diag.Diagnostic
	for i := range hooks {
		if h := &hooks[i]; h.Why == dialect.NotExecutable {
			out = append(out, dialect.Note(diag.Warning, h.Path, "%s", h.Why))
		}
	}
	return out
}

// doubts says what keeps a gate from doing its work.
func doubts(g trust.Gate) []diag.Diagnostic {
	d, ok := g.(trust.Doubter)
	if !ok {
		return nil
	}
	var out []diag.Diagnostic
	if err := d.Problem(); err != nil {
		out = append(out, dialect.Note(diag.Error, "", "approvals cannot be read, so nothing of the project is approved: %v", err))
	}
	if err := d.KeepProblem(); err != nil {
		out = append(out, dialect.Note(diag.Warning, "", "no copies of approved files can be kept, so that hooks run from where they lie: %v", err))
	}
	return out
}

// finish applies to a found hook what does not depend on its dialect.
func (l *Loader) finish(f *Found) {
	switch why, off := l.kit.Disabled(f); {
	case off && f.Status != Shadowed:
		f.Status, f.Why, f.Off = Disabled, why, true
	case f.Status == Active && f.Why == "":
		f.Why = why
	}
	if f.Status == Broken || f.Status == Untrusted {
		l.kit.Fail(f)
	} else if f.Registration != nil {
		l.kit.Policy(f)
	}
	r := f.Registration
	if r == nil {
		return
	}
	if wrap := l.opts.Hosting.Wrap; wrap != nil {
		f.Wrap(wrap)
	}
	r.Name, r.Dialect, r.Source, r.Scope, r.Unseen = f.FullName(), f.Dialect, f.Source, f.Level, f.Artifact.Unseen
	if f.Status == Untrusted && !f.Failed {
		r.Inactive = "untrusted"
		if f.Why != "" {
			r.Inactive = f.Why
		}
	}
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
		for _, spec := range s.Groups() {
			g := l.groups[spec.Name]
			if g == nil {
				g = reg.Group(spec.Name, spec.Flow, spec.Rank)
				l.groups[spec.Name] = g
			}
			if err := reg.Replace(g, set.registrations(spec.Name)); err != nil {
				return fmt.Errorf("register %s hooks: %w", spec.Name, err)
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
	late := l.late()
	if !late && l.last != nil && !l.changed() {
		return l.last, false, nil
	}
	set, err = l.load(ctx)
	if err != nil {
		l.stamp = "" // once more at the next call
		return nil, false, err
	}
	return set, true, l.install(reg, set)
}

// late reports whether a finder came to know of more hooks since the last call.
func (l *Loader) late() bool {
	late := false
	for _, s := range l.sources {
		if f, ok := s.finder.(dialect.LateFinder); ok && f.Late() {
			late = true
		}
	}
	return late
}

// changed reports whether a file changed since the last load.
func (l *Loader) changed() bool {
	defer l.kit.Finding()()
	return l.stamp != l.fingerprint()
}

// fingerprint changes when a file changes that hooks come from.
func (l *Loader) fingerprint() string {
	return dialect.Fingerprint(func(st *dialect.Stamper) {
		for _, s := range l.sources {
			s.finder.Stamp(st)
		}
	})
}

// Renew has all script modules loaded anew when hooks are found the next time, also those
// whose files are as they were.
func (l *Loader) Renew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sources {
		if m, ok := s.finder.(dialect.Modules); ok {
			m.Renew()
		}
	}
}

// Modules returns the loaded script modules in the order in which they load: the first
// to register a command or a renderer has it.
func (l *Loader) Modules() []*script.Module {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*script.Module
	for _, s := range l.sources {
		if m, ok := s.finder.(dialect.Modules); ok {
			out = append(out, m.Modules()...)
		}
	}
	return out
}

// ModuleTools is the vocabulary of tools that script modules speak.
func (l *Loader) ModuleTools() vocab.Vocabulary {
	for _, s := range l.sources {
		if _, ok := s.finder.(dialect.Modules); ok {
			return s.Tools()
		}
	}
	return nil
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

// Close ends what loading started, such as the engines of script modules.
func (l *Loader) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kit.HTTP.Close()
	l.kit.Pool.Close()
	var errs []error
	for _, s := range l.sources {
		errs = append(errs, s.finder.Close())
	}
	l.opts.Sandbox.Close()
	return errors.Join(errs...)
}

// TrustDir is the directory in which approvals are kept.
func TrustDir(d Dirs) string { return filepath.Join(d.State, "trust") }

// CopiesDir is the directory in which copies of allowed files are kept.
func CopiesDir(d Dirs) string { return filepath.Join(d.Cache, "trusted") }
