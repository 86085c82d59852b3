package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/pflag"

	"github.com/hookline-dev/hookline/audit/otel"
	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/ui"
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
	plugins  []string
	sources  sourcesFlag

	trustProject, requireTrusted bool
	requireSandbox               bool
}

func (a *app) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&a.dir, "dir", "C", "", "work in this directory instead of the current one")
	f.BoolVar(&a.noHooks, "no-hooks", false, "load no hooks but the administrator's")
	f.BoolVar(&a.strict, "strict", false, "let guards fail closed and accept only clean answers")
	f.StringArrayVar(&a.modules, "hook", nil, "load this script module too (repeatable)")
	f.StringArrayVar(&a.modules, "extension", nil, "the same as --hook")
	f.BoolVar(&a.trustProject, "trust-project", false, "run hooks of the project that nobody approved (for machines that are thrown away)")
	f.BoolVar(&a.requireTrusted, "require-trusted", false, "fail when a hook of the project is not approved")
	f.BoolVar(&a.requireSandbox, "require-sandbox", false, "run the agent's commands in a sandbox, and no agent where there is none")
	f.StringVar(&a.settings, "settings", "", "read this settings file too, or this JSON of one")
	f.StringArrayVar(&a.plugins, "plugin-dir", nil, "use the plugin in this directory, or those in it (repeatable)")
	f.Var(&a.sources, "setting-sources", "read files of these levels only: user, project, local, by commas")
	_ = f.MarkHidden("extension")
}

// sourcesFlag is --setting-sources: nil when it was not given, which is not the same as
// none.
type sourcesFlag []string

func (f *sourcesFlag) String() string { return strings.Join(*f, ",") }

// Type is what the help calls the value.
func (f *sourcesFlag) Type() string { return "LEVELS" }

// Set takes over the levels.
func (f *sourcesFlag) Set(s string) error {
	*f = append(sourcesFlag{}, splitRules(s)...)
	return dialect.CheckSources(*f)
}

// workspace is a directory with its hooks loaded, for the commands that look at them.
type workspace struct {
	*host.Host
	person *flagUI
}

// options are what the flags ask of a host.
func (a *app) options() host.Options {
	return host.Options{
		Dir: a.dir, Getenv: a.getenv, Dialects: a.dialects, NoHooks: a.noHooks, Strict: a.strict, Modules: a.modules, Settings: a.settings,
		Plugins: a.plugins, SettingSources: a.sources,
		TrustProject: a.trustProject, RequireSandbox: a.requireSandbox, Version: currentVersion().Version, Notify: a.notify,
		Telemetry: a.telemetry,
		Hosting:   discovery.Hosting{OnReport: a.moduleReport, OnWorkerLog: a.workerLog},
	}
}

// telemetry sends spans and metrics to a collector when the standard variables of
// OpenTelemetry ask for that.
func (a *app) telemetry(ctx context.Context, o host.TelemetryOptions) (host.Telemetry, error) {
	if !otel.Configured(a.getenv) {
		return nil, nil
	}
	return otel.New(ctx, otel.Options{Version: currentVersion().Version, Getenv: a.getenv, Head: o.Head, Warn: o.Warn})
}

// open loads the hooks of the working directory, for a command that fires no event.
func (a *app) open(ctx context.Context) (*workspace, error) {
	return a.openHost(ctx, nil, noAudit)
}

// noAudit is for commands that run no hook, or none that counts.
func noAudit(o *host.Options) { o.Audit = "off" }

// openHost loads the hooks of the working directory. The answers are those to dialogs of
// hooks; change may change the options.
func (a *app) openHost(ctx context.Context, answers []string, change func(*host.Options)) (*workspace, error) {
	person, err := a.newFlagUI(answers)
	if err != nil {
		return nil, err
	}
	if err := a.mayTrustProject(); err != nil {
		return nil, err
	}
	o := a.options()
	o.UI = person
	change(&o)
	h, err := host.Open(ctx, o)
	if err != nil {
		return nil, hostError(err)
	}
	return &workspace{h, person}, nil
}

// workDir returns the directory to work in, absolute.
func (a *app) workDir() (string, error) {
	dir, err := host.WorkDir(a.dir)
	return dir, hostError(err)
}

// inDir is a path as an argument means it: relative ones are in the directory of -C.
func (a *app) inDir(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.dir, path)
}

// dirs finds the directories of a project and of the person.
func (a *app) dirs(dir string) discovery.Dirs { return host.FindDirs(dir, a.getenv, a.dialects...) }

// optionFlags are the flags that options of a host come from.
var optionFlags = map[string]string{
	"Dir": "directory", "Modules": "--hook", "Settings": "--settings", "Plugins": "--plugin-dir", "SettingSources": "--setting-sources", "Model": "--model", "PermissionMode": "--permission-mode",
	"AddDirs": "--add-dir", "Agent": "--agent", "SessionID": "--session-id", "MaxUSD": "--max-budget-usd", "Fallbacks": "--fallback-model", "Betas": "--betas", "ResumeAt": "--resume-session-at",
}

// hostError says an error of a host in the words of the flags.
func hostError(err error) error {
	if e, ok := errors.AsType[*host.OptionError](err); ok {
		return usagef("%s: %w", strings.TrimSpace(optionFlags[e.Option]+" "+e.Value), e.Err)
	}
	if e, ok := errors.AsType[*host.UntrustedError](err); ok {
		return fmt.Errorf("--require-trusted: %w; 'hookline trust' shows and approves", e)
	}
	return err
}

// places are where plugins, skills and recipes are looked for.
func (a *app) places(d discovery.Dirs) (plugin.Places, error) {
	d.Sources = a.sources
	for _, dir := range a.plugins {
		dirs, err := plugin.DirsIn(dir)
		if err != nil {
			return plugin.Places{}, usagef("--plugin-dir %s: %w", dir, err)
		}
		d.Plugins = append(d.Plugins, dirs...)
	}
	return dialect.PluginPlaces(d, a.dialects), nil
}

// notify prints what a host has to say.
func (a *app) notify(message string, level ui.Level) {
	if level != ui.Info {
		message = string(level) + ": " + message
	}
	a.warnf("%s", message)
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
	if rel, err := filepath.Rel(w.Dirs.Project, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if rel, err := filepath.Rel(w.Dirs.Home, path); w.Dirs.Home != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return path
}

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
	text := r.Message
	if r.Err != nil && r.Err.Error() != text {
		text += ": " + r.Err.Error()
	}
	a.warnf("%s: %s: %s", filepath.Base(r.Path), r.Kind, clean.PlainText(text))
}
