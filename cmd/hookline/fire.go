package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/agent/hookenv"
	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/ui/clean"
)

// eventFlags are the flags that describe an event.
type eventFlags struct {
	tool     string
	input    string
	response string
	prompt   string
	payload  string
	as       string   // the dialect of the host that sent the payload
	args     []string // the event, which a payload may say instead
	answers  []string
	set      []string
	values   map[string]any // the same, not as text
	only     []string
}

func (f *eventFlags) add(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.tool, "tool", "", "name of the tool (tool events)")
	fl.StringVar(&f.input, "input", "", "tool input as JSON, or @FILE")
	fl.StringVar(&f.response, "response", "", "tool response as JSON or text, or @FILE (PostToolUse)")
	fl.StringVar(&f.prompt, "prompt", "", "the prompt (UserPromptSubmit)")
	fl.StringVar(&f.payload, "payload", "", "take the whole payload from FILE, or - for stdin; any dialect's shape is recognised")
	fl.StringArrayVar(&f.set, "set", nil, "set a field of the payload: NAME=VALUE, where VALUE is JSON or text (repeatable)")
	fl.StringArrayVar(&f.only, "only", nil, "run only the hook of this name (repeatable)")
	_ = cmd.MarkFlagFilename("payload")
	_ = cmd.RegisterFlagCompletionFunc("only", a.completeHookFlag)
	_ = cmd.RegisterFlagCompletionFunc("tool", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return toolNames(), cobra.ShellCompDirectiveNoFileComp
	})
}

// fireOptions are the argument and the flags of fire.
type fireOptions struct {
	event                eventFlags
	asJSON, dry, profile bool
	saveTest             string
}

func newFireCmd(a *app) *cobra.Command {
	var o fireOptions
	cmd := &cobra.Command{
		Use:   "fire [EVENT]",
		Short: "Fire an event through the real hooks",
		Long: `Fire an event through the hooks that are in force and print what they came to.
EVENT is a canonical name (PreToolUse) or a dialect's (before_tool_call,
tool_call). It may be left out when --payload says it. What the flags leave open
is filled with sensible values. Exits with 3 when a hook blocked. Hooks of the
project that nobody approved do not run; --require-trusted makes that an error.

With --as DIALECT the payload is read as a host of that dialect sends it, and what is
printed is what that host would be told: its hooks' stdout and stderr. What it cannot
be told stands on stderr.`,
		Example: `  hookline fire PreToolUse --tool Bash --input '{"command":"rm -rf /"}'
  hookline fire UserPromptSubmit --prompt "deploy it"
  hookline fire --payload event.json --json
  hookline fire --payload event.json --as kodelet
  hookline fire Stop --set stop_hook_active=true --dry-run`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeEventArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.event.args = args
			return runFire(cmd.Context(), a, o)
		},
	}
	o.event.add(a, cmd)
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "say what would run, and run nothing")
	cmd.Flags().StringArrayVar(&o.event.answers, "answer", nil, "answer dialogs of hooks: confirm=yes, select=2, input=TEXT, editor=TEXT (repeatable)")
	cmd.Flags().BoolVar(&o.profile, "profile", false, "say where each hook's time went")
	cmd.Flags().StringVar(&o.saveTest, "save-test", "", "add the event and what it came to as a case to this test file")
	_ = cmd.MarkFlagFilename("save-test")
	cmd.Flags().StringVar(&o.event.as, "as", "", "print what a host of this dialect would be told")
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(dialect.Names(a.dialects), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func completeEventArg(cmd *cobra.Command, args []string, s string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeEvents(cmd, args, s)
}

// openEvent is openHost, with the event that flags describe, and the hooks narrowed to
// those that they name.
func (a *app) openEvent(ctx context.Context, ev eventFlags, change func(*host.Options, hook.Input)) (*workspace, hook.Input, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, nil, err
	}
	in, err := a.buildInput(ctx, dir, a.dirs(dir).State, &ev)
	if err != nil {
		return nil, nil, err
	}
	w, err := a.openHost(ctx, ev.answers, func(o *host.Options) { change(o, in) })
	if err != nil {
		return nil, nil, err
	}
	if err := w.only(ev.only); err != nil {
		w.Close()
		return nil, nil, err
	}
	return w, in, nil
}

// unrecorded opens a host that keeps no record, with all of its hooks.
func unrecorded(o *host.Options, _ hook.Input) { noAudit(o) }

// lateWait is how long fire waits for hooks that go on in the background.
const lateWait = 10 * time.Second

func runFire(ctx context.Context, a *app, o fireOptions) error {
	if o.dry {
		w, in, err := a.openEvent(ctx, o.event, unrecorded)
		if err != nil {
			return err
		}
		defer w.Close()
		return a.explain(w, in, o.asJSON)
	}
	env := &hookenv.Env{OnProblem: func(err error) { a.warnf("%v", err) }}
	defer env.Close()
	w, in, err := a.openEvent(ctx, o.event, func(h *host.Options, in hook.Input) {
		if o.event.as == "" && len(o.event.only) == 0 && !a.requireTrusted {
			h.For = in
		}
		h.Engine = []hook.EngineOption{hook.WithTrace(), hook.WithRecorder(env)}
		h.Hosting.EnvFile = env.File
	})
	if err != nil {
		return err
	}
	defer w.Close()
	return a.fire(ctx, w, in, env, o)
}

func (a *app) fire(ctx context.Context, w *workspace, in hook.Input, env *hookenv.Env, o fireOptions) (err error) {
	if err := a.checkTrusted(w); err != nil {
		return err
	}
	defer func() {
		if cerr := w.Engine.Close(); err == nil {
			err = cerr
		}
	}()
	a.untrustedLine(w.Set())
	payload, err := hook.MarshalInput(in) // hooks may change it
	if err != nil {
		return err
	}
	out, err := a.fireAs(ctx, w, in, o.event.as)
	if err != nil {
		return fmt.Errorf("fire %v: %w", in.Event(), err)
	}
	if o.saveTest != "" {
		if err := a.saveTests(o.saveTest, []hookTest{savedTest(in.Event(), hook.RawJSON(payload), o.event.only, out.Decision.String(), out.Reason)}); err != nil {
			return err
		}
	}
	vars, err := written(env)
	if err != nil {
		return err
	}
	if err := a.printFired(w, in, &out, vars, o); err != nil {
		return err
	}
	a.waitLate(ctx, &out, w.Audit, o)
	if out.Blocked() || out.Halt {
		return errBlocked
	}
	return nil
}

// fireAs fires an event, which is several where the host of a dialect, "" for none, puts
// several calls into one.
func (a *app) fireAs(ctx context.Context, w *workspace, in hook.Input, as string) (hook.Outcome, error) {
	if d := dialect.ByName(a.dialects, as); d != nil {
		return bridge.Fire(ctx, w.Host, d.Codec(), in)
	}
	return w.Fire(ctx, in)
}

// written is what hooks put into the environment of later shell commands, as shell text.
func written(env *hookenv.Env) (string, error) {
	var out strings.Builder
	for _, path := range env.Files() {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("read what hooks put into the environment: %w", err)
		}
		out.Write(text)
	}
	return out.String(), nil
}

// printFired prints what an event came to, and what hooks put into the environment of later
// shell commands.
func (a *app) printFired(w *workspace, in hook.Input, out *hook.Outcome, vars string, o fireOptions) error {
	if as := o.event.as; as != "" {
		a.printDiagnostics(w.Set().Diagnostics)
		return a.answerAs(as, in, out, o.asJSON)
	}
	rep := report.New(out, w.Set().Diagnostics)
	rep.Environment = vars
	if o.asJSON {
		return a.printJSON(rep)
	}
	a.printDiagnostics(w.Set().Diagnostics)
	a.outcomeText(w, in, out, &rep)
	if vars != "" {
		a.printf("  environment of later shell commands:\n")
		for l := range strings.Lines(vars) {
			a.printf("    %s\n", escaped(strings.TrimRight(l, "\n")))
		}
	}
	if o.profile {
		a.profileText(&rep)
	}
	return nil
}

// foreignAnswer is what a foreign host would be told, as fire --as --json prints it.
type foreignAnswer struct {
	Dialect  string   `json:"dialect"`
	Stdout   string   `json:"stdout"`
	Stderr   string   `json:"stderr"`
	ExitCode int      `json:"exit_code"`
	Lost     []string `json:"lost"`
}

// answerAs prints what a host of a dialect would be told.
func (a *app) answerAs(name string, in hook.Input, out *hook.Outcome, asJSON bool) error {
	ans, lost, err := dialect.ByName(a.dialects, name).Codec().EncodeOutcome(in, out)
	if err != nil {
		return usagef("--as %s: %w", name, err)
	}
	if asJSON {
		return a.printJSON(foreignAnswer{name, string(ans.Stdout), string(ans.Stderr), ans.ExitCode, append([]string{}, lost...)})
	}
	write := func(b []byte) error { _, err := a.out.Write(b); return err }
	if jsontext.Value(ans.Stdout).IsValid() {
		write = a.writeJSON
	}
	if err := write(ans.Stdout); err != nil {
		return err
	}
	if len(ans.Stderr) > 0 {
		a.warnf("%s", strings.TrimRight(clean.PlainText(string(ans.Stderr)), "\n"))
	}
	if ans.ExitCode != 0 {
		a.warnf("(exit code %d)", ans.ExitCode)
	}
	for _, l := range lost {
		a.warnf("(lost: %s)", l)
	}
	return nil
}

// waitLate waits a while for hooks in the background and, where text is printed, says what
// they answered.
func (a *app) waitLate(ctx context.Context, out *hook.Outcome, log *audit.Log, o fireOptions) {
	ctx, cancel := context.WithTimeout(ctx, lateWait)
	defer cancel()
	for _, p := range out.Pending {
		r, err := p.Wait(ctx)
		if err == nil && log != nil {
			log.Late(r)
		}
		switch {
		case err != nil:
			a.warnf("%s still runs in the background and is ended now", p.Hook.Name)
		case r.Err != nil:
			a.warnf("%s", r.Err)
		case !o.asJSON && o.event.as == "":
			for _, c := range r.Result.Context {
				a.printf("  later, from %s: context: %s\n", escaped(p.Hook.Name), line(c))
			}
			if r.Rewake {
				a.printf("  later, from %s: wakes the agent: %s\n", escaped(p.Hook.Name), line(r.Result.Reason))
			}
		}
	}
}

// named returns the hooks of a name, of which there is at least one.
func (w *workspace) named(name string) ([]discovery.Found, error) {
	hooks := w.Set().ByName(name)
	if len(hooks) == 0 {
		return nil, fmt.Errorf("there is no hook %q; 'hookline list --all' lists what there is", name)
	}
	return hooks, nil
}

// only narrows the hooks to some names. One without a name of its own has that of the file
// that it runs, too.
func (w *workspace) only(names []string) error {
	if len(names) == 0 {
		return nil
	}
	var all []string
	for _, n := range names {
		_, err := w.named(n)
		if err == nil {
			all = append(all, n)
			continue
		}
		known := len(all)
		for _, h := range w.Set().Hooks {
			if slices.ContainsFunc(h.Artifact.Files, func(path string) bool { return filepath.Base(path) == n }) {
				all = append(all, h.Name)
			}
		}
		if len(all) == known {
			return err
		}
	}
	return w.Loader.Only(w.Registry, slices.Compact(slices.Sorted(slices.Values(all))))
}

// readArg returns a flag's value, or the content of the file that @FILE names.
func (a *app) readArg(ctx context.Context, flag, value string) (string, error) {
	if len(value) < 2 || value[0] != '@' {
		return value, nil
	}
	b, err := a.readInput(ctx, value[1:], maxPayload)
	if err != nil {
		return "", fmt.Errorf("--%s: %w", flag, err)
	}
	return string(b), nil
}
