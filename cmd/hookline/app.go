package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/pflag"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui/clean"
)

// app is what the subcommands share: the streams and the flags of the root.
type app struct {
	*streams
	dialects []dialect.Dialect
	dir      string
	noHooks  bool
	strict   bool
	modules  []string
	settings string
	answers  []string

	trustProject, requireTrusted bool
	// overrides say which hooks run although nobody approved them.
	overrides []string
}

func (a *app) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&a.dir, "dir", "C", "", "work in this directory instead of the current one")
	f.BoolVar(&a.noHooks, "no-hooks", false, "load no hooks but the administrator's")
	f.BoolVar(&a.strict, "strict", false, "let guards fail closed and accept only clean answers")
	f.StringArrayVar(&a.modules, "hook", nil, "load this script module too (repeatable)")
	f.StringArrayVar(&a.modules, "extension", nil, "the same as --hook")
	f.BoolVar(&a.trustProject, "trust-project", false, "run hooks of the project that nobody approved (for machines that are thrown away)")
	f.BoolVar(&a.requireTrusted, "require-trusted", false, "fail when a hook of the project is not approved")
	f.StringVar(&a.settings, "settings", "", "read this settings file too")
	_ = f.MarkHidden("extension")
}

// workDir returns the directory to work in, absolute and with links resolved.
func (a *app) workDir() (string, error) {
	dir := a.dir
	if dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			return "", fmt.Errorf("find the current directory: %w", err)
		}
		dir = wd
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("directory %s: %w", dir, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", usagef("directory %s: %w", dir, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return "", usagef("%s is no directory", dir)
	}
	return abs, nil
}

// checkFiles refuses files of the command line that cannot be read. The others are
// looked for, and may be missing.
func (a *app) checkFiles(dir string, d discovery.Dirs) error {
	for _, p := range a.modules {
		path := p
		if rest, ok := strings.CutPrefix(p, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			path = filepath.Join(d.Home, rest)
		}
		if _, err := readable(dir, path); err != nil {
			return usagef("--hook %s: %w", p, err)
		}
	}
	if a.settings == "" {
		return nil
	}
	isDir, err := readable(dir, a.settings)
	if err == nil && isDir {
		err = errors.New("it is a directory")
	}
	if err != nil {
		return usagef("--settings %s: %w", a.settings, err)
	}
	return nil
}

// readable reads a little of a file or directory, and says which it is.
func readable(dir, path string) (isDir bool, err error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		_, err = os.ReadDir(path)
	} else if err == nil && info.Mode().IsRegular() {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			err = f.Close()
		}
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // the path is said already
	}
	return err == nil && info.IsDir(), err
}

// workspace is a directory with its hooks loaded.
type workspace struct {
	dir    string
	dirs   discovery.Dirs
	config *config.Config
	diags  []diag.Diagnostic // of the configuration
	gate   *trust.SessionGate
	loader *discovery.Loader
	set    *discovery.Set
	reg    *hook.Registry
	person *flagUI
	// telemetry sends spans and metrics when the environment asks for it.
	telemetry telemetry
}

// open loads the hooks of the working directory.
func (a *app) open(ctx context.Context) (*workspace, error) {
	person, err := a.newFlagUI(a.answers)
	if err != nil {
		return nil, err
	}
	w, err := a.workspace(ctx)
	if err != nil {
		return nil, err
	}
	w.person = person
	if err := a.load(ctx, w, discovery.Hosting{Host: person.hosting(), WorkerHost: worker.Local{Person: person}}); err != nil {
		return nil, errors.Join(err, w.close())
	}
	w.gate.Seal()
	return w, nil
}

// openEvent is open, with the event that arguments and flags describe, and the hooks
// narrowed to those that they name.
func (a *app) openEvent(ctx context.Context, args []string, ev *eventFlags) (*workspace, hook.Input, error) {
	w, err := a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	in, err := a.buildInput(w, args, ev)
	if err == nil {
		err = w.only(ev.only)
	}
	if err != nil {
		w.close()
		return nil, nil, err
	}
	return w, in, nil
}

// workspace is the working directory, with its configuration, before hooks are loaded.
func (a *app) workspace(ctx context.Context) (*workspace, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	w := &workspace{dir: dir, dirs: a.dirs(dir), reg: hook.NewRegistry()}
	if err := a.checkFiles(dir, w.dirs); err != nil {
		return nil, err
	}
	w.config, w.diags = config.Load(w.dirs.Managed, w.dirs.Config, filepath.Join(w.dirs.Project, ".hookline"))
	w.config.Strict = w.config.Strict || a.strict
	if w.gate, err = a.gate(w.dirs); err != nil {
		return nil, err
	}
	w.telemetry, err = a.newTelemetry(ctx)
	return w, err
}

// load finds and registers the hooks; hosting is what they are offered besides what
// all commands offer. The loader is there to close also when it fails.
func (a *app) load(ctx context.Context, w *workspace, hosting discovery.Hosting) (err error) {
	hosting.OnReport, hosting.OnWorkerLog = a.moduleReport, a.workerLog
	hosting.Traceparent, hosting.Wrap = w.telemetry.traceparent, w.telemetry.wrap
	w.loader = discovery.New(discovery.Options{
		Dirs: w.dirs, Dialects: a.dialects, StartDir: w.dir, Gate: w.gate, Config: w.config, Modules: a.modules, Settings: a.settings, NoHooks: a.noHooks, Hosting: hosting,
	})
	if w.set, err = w.loader.Register(ctx, w.reg); err != nil {
		return err
	}
	w.set.Diagnostics = append(w.diags, w.set.Diagnostics...)
	return nil
}

// dirs finds the directories; HOOKLINE_MANAGED_DIR is for tests and packagers, and
// can only add hooks.
func (a *app) dirs(dir string) discovery.Dirs {
	d := discovery.DefaultDirs(dir, a.getenv, a.dialects...)
	if m := a.getenv("HOOKLINE_MANAGED_DIR"); filepath.IsAbs(m) {
		d.Managed, d.ManagedPrograms = m, m
	}
	return d
}

// places are where plugins, skills and recipes are looked for.
func (a *app) places(d discovery.Dirs) plugin.Places { return dialect.PluginPlaces(d, a.dialects) }

// close ends what opening started.
func (w *workspace) close() error { return errors.Join(w.loader.Close(), w.telemetry.close()) }

// engine returns an engine over the hooks; the caller closes it.
func (w *workspace) engine(opts ...hook.EngineOption) *hook.Engine {
	if w.config.Strict {
		opts = append(opts, hook.WithStrict())
	}
	if w.config.ShortCircuit {
		opts = append(opts, hook.WithShortCircuit())
	}
	return hook.New(w.reg, opts...)
}

// printJSON prints a value as indented JSON.
func (a *app) printJSON(v any) error {
	b, err := json.Marshal(v, hook.EncodeOptions(), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encode the output: %w", err)
	}
	return a.writeJSON(append(b, '\n'))
}

// writeJSON writes JSON text. Characters that could do more to a terminal than show
// themselves are written as escapes, which mean the same to whoever reads the JSON.
func (a *app) writeJSON(b []byte) error {
	var out []byte
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r >= 0x7f && clean.PlainLine(string(r)) != string(r) && r <= 0xffff {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	_, err := a.out.Write(out)
	return err
}

// printDiagnostics prints diagnostics to stderr, each with its remedy.
func (a *app) printDiagnostics(diags []diag.Diagnostic) {
	for _, d := range diags {
		a.warnf("%s: %s", d.Severity, d)
		if d.Remedy != "" {
			a.warnf("  %s", d.Remedy)
		}
	}
}

// relative shortens a path below the working directory or the home directory.
func (w *workspace) relative(path string) string {
	if path == "" {
		return ""
	}
	if rel, err := filepath.Rel(w.dirs.Project, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if rel, err := filepath.Rel(w.dirs.Home, path); w.dirs.Home != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return path
}

// pluginDiags converts the diagnostics of plugins.
func pluginDiags(in []plugin.Diagnostic) []diag.Diagnostic { return dialect.PluginDiagnostics(in) }

// workerLog prints what a worker logs, and what happens to it.
func (a *app) workerLog(l worker.Log) {
	if l.Level != "debug" {
		a.warnf("%s: %s: %s", l.Worker, l.Level, clean.PlainText(l.Message))
	}
}

// moduleReport prints what modules do beside their calls.
func (a *app) moduleReport(r script.Report) {
	if r.Kind == script.ReportLog && r.Level == "debug" {
		return
	}
	a.warnf("%s: %s: %s", filepath.Base(r.Path), r.Kind, clean.PlainText(r.Message))
}
