package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/backtest"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/internal/redact"
	"github.com/hookline-dev/hookline/sandbox"
)

// backtestOptions are the argument and the flags of backtest.
type backtestOptions struct {
	hook, old      string
	since          string
	agents, events []string

	unsafe, asJSON bool
}

func newBacktestCmd(a *app) *cobra.Command {
	var o backtestOptions
	var agents []string
	for _, archive := range backtest.Archives(a.dialects) {
		agents = append(agents, archive.Agent)
	}
	cmd := &cobra.Command{
		Use:   "backtest HOOK|FILE|DIR",
		Short: "Fire hooks on the sessions that are on this machine",
		Long: `Fire hooks on what happened in the sessions that agents keep on this machine, and count
what they would have denied, asked, rewritten and added: the most frequent answers, with
examples and their places, and how many of the calls ran at the time. HOOK is the name of a
hook of this project, FILE the file of one (or a settings file), DIR a project, of which all
hooks are fired. Hooks that are not approved do not run; a module or settings file that is
named here does.

Sessions are only read, and nothing leaves the machine: hooks run in a sandbox, in an empty
directory beside the project's hook directories, where they can write to that directory only
and cannot connect. A run in which a hook failed, or was refused something by the sandbox,
is listed and not counted. Where the system has no sandbox, only script modules run, unless
--unsafe lets hooks do what they always may. What is shown is redacted.

A run that is interrupted goes on where it was when it is started again.`,
		Example: "  hookline backtest guard --since 30d\n  hookline backtest guard.ts --agent claude,codex\n  hookline backtest . --compare ../project-before",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.hook = args[0]
			return runBacktest(cmd.Context(), a, o)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.since, "since", "30d", "from this time on: RFC 3339, a date, or a duration back from now such as 30d")
	fl.StringSliceVar(&o.agents, "agent", nil, "only sessions of these agents: "+strings.Join(agents, ", "))
	fl.StringSliceVar(&o.events, "event", nil, "fire these events instead of PreToolUse, PermissionRequest and UserPromptSubmit")
	fl.StringVar(&o.old, "compare", "", "show where the answers differ from those of another version: HOOK, FILE or DIR")
	fl.BoolVar(&o.unsafe, "unsafe", false, "run hooks without a sandbox: they may commit, format and post")
	fl.BoolVar(&o.asJSON, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(agents, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents)
	return cmd
}

func runBacktest(ctx context.Context, a *app, o backtestOptions) (err error) {
	run := backtest.Options{Jobs: runtime.NumCPU(), Events: backtest.Events, Redact: redact.New(os.Environ()).Clip}
	if run.Since, err = parseTime(o.since); err != nil {
		return usagef("--since: %w", err)
	}
	if len(o.events) > 0 {
		run.Events = nil
		for _, name := range o.events {
			ev, err := a.parseEvent(name)
			if err != nil {
				return err
			}
			run.Events = append(run.Events, ev)
		}
	}
	archives, err := a.archives(o.agents)
	if err != nil {
		return err
	}
	tested, err := a.openTested(ctx, o.hook, o.unsafe)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tested.close()) }()
	run.Fire = tested.eng.Fire
	key := []string{fmt.Sprint(o), tested.key}
	if o.old != "" {
		old, err := a.openTested(ctx, o.old, o.unsafe)
		if err != nil {
			return fmt.Errorf("--compare: %w", err)
		}
		defer func() { err = errors.Join(err, old.close()) }()
		run.Old, key = old.eng.Fire, append(key, old.key)
	}
	if run.Sessions, err = backtest.Sessions(archives, tested.Dirs, a.getenv, run.Since); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(strings.Join(key, "\x00")))
	if state := tested.Dirs.State; state != "" {
		run.Kept = filepath.Join(state, "backtest", hex.EncodeToString(sum[:8])+".jsonl")
	}
	if a.asks {
		run.Progress = a.bar()
	}
	start := time.Now()
	rep, err := backtest.Run(ctx, run)
	if a.asks {
		fmt.Fprint(a.err, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	if o.asJSON {
		return a.printJSON(rep)
	}
	a.backtestText(rep, tested.skipped, time.Since(start))
	return nil
}

// archives are those of some agents; without names all.
func (a *app) archives(agents []string) (out []dialect.Archive, err error) {
	all := backtest.Archives(a.dialects)
	for _, name := range agents {
		if !slices.ContainsFunc(all, func(x dialect.Archive) bool { return x.Agent == name }) {
			return nil, usagef("--agent %s: no sessions of it are known", name)
		}
	}
	for _, x := range all {
		if len(agents) == 0 || slices.Contains(agents, x.Agent) {
			out = append(out, x)
		}
	}
	return out, nil
}

// tested are hooks that are fired on sessions.
type tested struct {
	*workspace
	eng     *hook.Engine
	scratch string
	// key tells these hooks from others, and skipped are those that do not run, with why.
	key     string
	skipped []string
}

// openTested loads what an argument names.
func (a *app) openTested(ctx context.Context, arg string, unsafe bool) (t *tested, err error) {
	t = &tested{}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	if t.scratch, err = tempDir("hookline-backtest-"); err != nil {
		return t, fmt.Errorf("make a directory for the backtest: %w", err)
	}
	path := arg
	if !filepath.IsAbs(path) {
		if path, err = filepath.Abs(filepath.Join(a.dir, arg)); err != nil {
			return t, fmt.Errorf("find %s: %w", arg, err)
		}
	}
	info, statErr := os.Stat(path)
	isFile := statErr == nil && !info.IsDir()
	if t.workspace, err = a.openHost(ctx, nil, func(o *host.Options) {
		noAudit(o)
		switch {
		case statErr == nil && info.IsDir():
			o.Dir = path
		case isFile && filepath.Ext(path) == ".json":
			o.Settings = path
		case isFile && slices.Contains([]string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"}, filepath.Ext(path)):
			o.Modules = append(slices.Clip(o.Modules), path)
		}
		o.Environ = append(os.Environ(), "TMPDIR="+t.scratch)
		if !unsafe {
			o.HookSandbox = t.sandbox()
		}
	}); err != nil {
		return t, err
	}
	if err := t.linkPlaces(a.dialects); err != nil {
		return t, err
	}
	if err := t.narrow(arg, path, info); err != nil {
		return t, err
	}
	a.printDiagnostics(t.Set().Diagnostics)
	t.eng = t.NewEngine()
	return t, nil
}

// sandbox is one in which hooks change nothing but the scratch directory.
func (t *tested) sandbox() *dialect.Sandbox {
	s := &dialect.Sandbox{Only: true, Dir: t.scratch, Policy: sandbox.Policy{Write: []string{t.scratch}, NoTCP: true}}
	if sandbox.Offered().Name == "" {
		s.Err = sandbox.ErrNone
	}
	return s
}

// linkPlaces lets commands find hooks by paths that are relative to the project.
func (t *tested) linkPlaces(list []dialect.Dialect) error {
	names := []string{".hookline"}
	for _, d := range list {
		for _, l := range d.Places().Layouts {
			names = append(names, l.Dir)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if target := filepath.Join(t.Dirs.Project, name); isDir(target) {
			if err := os.Symlink(target, filepath.Join(t.scratch, name)); err != nil {
				return fmt.Errorf("make a directory for the backtest: %w", err)
			}
		}
	}
	return nil
}

// narrow leaves the hooks that an argument names: those of a name, those of a file, or all
// of a directory. One that cannot run is an error when there is no other.
func (t *tested) narrow(arg, path string, info os.FileInfo) error {
	var names []string
	runs := false
	for _, h := range t.Set().Hooks {
		switch {
		case info != nil && info.IsDir():
		case info != nil && (dialect.SameFile(h.Path, path) || slices.Contains(h.Artifact.Files, path)):
		case info == nil && (h.Name == arg || h.FullName() == arg):
		default:
			continue
		}
		if h.Status != discovery.Active {
			t.skipped = append(t.skipped, h.FullName()+" "+whyIdle(&h))
			continue
		}
		runs = true
		names = append(names, h.Name)
		t.key += "\x00" + h.FullName() + " " + h.Digest + " " + strconv.Quote(h.Matcher)
	}
	switch {
	case len(names) == 0 && len(t.skipped) == 0 && info == nil:
		return fmt.Errorf("there is no hook %q; 'hookline list --all' lists what there is", arg)
	case len(names) == 0 && len(t.skipped) == 0:
		return fmt.Errorf("%s has no hooks", arg)
	case !runs:
		return fmt.Errorf("nothing to fire: %s", strings.Join(t.skipped, "; "))
	}
	slices.Sort(names)
	return t.Loader.Only(t.Registry, slices.Compact(names))
}

func (t *tested) close() error {
	var errs []error
	if t.eng != nil {
		errs = append(errs, t.eng.Close())
	}
	if t.workspace != nil {
		errs = append(errs, t.Close())
	}
	if t.scratch != "" {
		errs = append(errs, os.RemoveAll(t.scratch))
	}
	return errors.Join(errs...)
}
