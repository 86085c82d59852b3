package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui"
)

// Options say what is opened, and how. The zero value opens the current directory
// as the person has it set up.
type Options struct {
	// Dir is the directory to work in; "" is the current one.
	Dir string
	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string
	// Dirs are where hooks and Hookline's own files lie; without a Project in them
	// they are FindDirs of Dir.
	Dirs discovery.Dirs
	// Dialects are those in which hooks are looked for; nil is all that there are.
	Dialects []dialect.Dialect
	// Registry has the caller's own hooks; nil is an empty one.
	Registry *hook.Registry
	// Modules and Settings are further script modules and a further settings file of
	// the caller's, or the JSON of one; Plugins are directories of plugins, or of
	// directories of plugins. One that cannot be read is an OptionError.
	Modules  []string
	Settings string
	Plugins  []string
	// SettingSources are the levels of which settings files, hooks, skills and whatever else
	// lies in files are read beside the administrator's: user, project, local; nil is all.
	SettingSources []string
	// TheirFiles are files whose hooks are left to the agent that we stand behind, which
	// runs them itself.
	TheirFiles []string
	// Environ is the environment that hooks get, as KEY=VALUE, without what looks like
	// credentials; nil is that of the program.
	Environ []string
	// NoHooks loads no hooks but the administrator's.
	NoHooks bool
	// For, when not nil, is the one input that the host is opened for: of hooks of settings
	// files that it does not concern no file and no approval is looked at.
	For hook.Input
	// Strict lets guards fail closed and accepts only clean answers, also where the
	// configuration does not ask for it.
	Strict bool

	// Gate decides which hooks of the project run; nil is a trust.SessionGate over
	// this person's approvals. TrustProject lets that one run those that nobody
	// approved, and TrustNames those of them that have one of the names, and puts each on
	// record; RequireTrusted makes them an UntrustedError.
	Gate                         trust.Gate
	TrustProject, RequireTrusted bool
	TrustNames                   []string

	// HookSandbox is the sandbox of hooks and workers in place of the configuration's, nil for
	// that one. The host closes it.
	HookSandbox *dialect.Sandbox
	// RequireSandbox has the agent's commands and MCP servers run in a sandbox, and opens
	// no agent where there is none.
	RequireSandbox bool

	// Audit is the level of the audit log: "off", "records" or "full"; "" is what the
	// configuration says.
	Audit string
	// Record keeps the payloads of events, with secrets replaced, among the recordings.
	Record bool
	// Telemetry, when not nil, is called once, and what it returns is told what hooks do; it
	// may return nil. Package audit/otel has one, which brings the libraries of OpenTelemetry.
	Telemetry func(context.Context, TelemetryOptions) (Telemetry, error)
	// Engine are further options of the engine, such as observers.
	Engine []hook.EngineOption
	// UI is the person; nil is nobody.
	UI ui.UI
	// Hosting is what hooks are offered. What is nil in it is filled as far as the
	// other options and the agent have it.
	Hosting discovery.Hosting
	// Version is told to those that the program talks to.
	Version string

	// Notify, when not nil, is told what happens beside the calls, in a text that is
	// safe for a terminal. It may be called by several goroutines.
	Notify func(message string, level ui.Level)
	// Diagnose, when not nil, gets what was found in the files of each load, and in
	// those that are read later. It may be called by several goroutines.
	Diagnose func([]diag.Diagnostic)
}

// OptionError is an option whose value cannot be used.
type OptionError struct {
	Option string // the name of the field
	Value  string // may be ""
	Err    error
}

func (e *OptionError) Error() string {
	return strings.TrimSuffix(e.Option+" "+e.Value, " ") + ": " + e.Err.Error()
}

func (e *OptionError) Unwrap() error { return e.Err }

// UntrustedError says that hooks are not approved although RequireTrusted asks for it.
type UntrustedError struct{ Names []string }

func (e *UntrustedError) Error() string { return "not approved: " + strings.Join(e.Names, ", ") }

// WorkDir returns the directory that a path means, absolute; "" is the current one.
// A path that is not a directory is an OptionError.
func WorkDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("directory %s: %w", dir, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", &OptionError{"Dir", dir, reason(err)}
	}
	if !info.IsDir() {
		return "", &OptionError{"Dir", dir, errors.New("it is not a directory")}
	}
	return abs, nil
}

// FindDirs finds the directories of a project and of the person, as getenv has them.
// HOOKLINE_MANAGED_DIR is for tests and packagers, and can only add hooks.
func FindDirs(dir string, getenv func(string) string, dialects ...dialect.Dialect) discovery.Dirs {
	d := discovery.DefaultDirs(dir, getenv, dialects...)
	if m := getenv("HOOKLINE_MANAGED_DIR"); filepath.IsAbs(m) {
		d.Managed, d.ManagedPrograms = m, m
	}
	return d
}

// addToDirs adds to the directories what the options name, and refuses what cannot be
// read. The other files are looked for, and may be missing.
func (h *Host) addToDirs() error {
	o, d := &h.opts, &h.Dirs
	for _, p := range o.Modules {
		path := p
		if rest, ok := strings.CutPrefix(p, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			path = filepath.Join(d.Home, rest)
		}
		if _, err := readable(h.path(path)); err != nil {
			return &OptionError{"Modules", p, err}
		}
	}
	for _, p := range o.Plugins {
		dirs, err := plugin.DirsIn(h.path(p))
		if err != nil {
			return &OptionError{"Plugins", p, err}
		}
		d.Plugins = append(d.Plugins, dirs...)
	}
	if err := dialect.CheckSources(o.SettingSources); err != nil {
		return &OptionError{"SettingSources", "", err}
	}
	d.Sources = o.SettingSources
	if d.Settings = o.Settings; o.Settings == "" || dialect.InPlace(o.Settings) {
		return nil
	}
	isDir, err := readable(h.path(o.Settings))
	if err == nil && isDir {
		err = errors.New("it is a directory")
	}
	if err != nil {
		return &OptionError{"Settings", o.Settings, err}
	}
	d.Settings = h.path(o.Settings)
	return nil
}

// path makes a path of the options absolute.
func (h *Host) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(h.Dir, name)
}

// readable reads a little of a file or directory, and says which it is.
func readable(path string) (isDir bool, err error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		_, err = os.ReadDir(path)
	} else if err == nil && info.Mode().IsRegular() {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			err = f.Close()
		}
	}
	return err == nil && info.IsDir(), reason(err)
}

// reason is an error without the path, where that is said already.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
