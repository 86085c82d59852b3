package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/ui"
)

// outputs are the forms in which run prints.
var outputs = []string{"text", "json", "stream-json"}

// runOptions are the arguments and the flags of run.
type runOptions struct {
	agent    agentFlags
	args     []string // the prompt, which may come from standard input or a recipe too
	output   string
	answers  []string
	initOnly bool // the session is set up, opened and ended
	field    fieldFlags
}

func newRunCmd(a *app) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Run the agent on a prompt, without a screen",
		Long: strings.TrimSpace(`
Run the agent on one prompt: it calls a model and tools until the model has
finished, with hooks at every step, and prints the last answer; on a terminal, it prints
all answers while they arrive. The prompt is the argument, or standard input, or what a
recipe makes; an argument is put behind standard input or the recipe.

A tool call that needs permission is asked about when standard input and standard
error are a terminal, and refused otherwise; --permission-mode and rules in settings
files allow calls beforehand.

--output json prints one object at the end, stream-json one object a line as things
happen, in the message shapes of the Claude Agent SDK, hooks included.

--worktree lets the session work in a git worktree of its own, .claude/worktrees/NAME,
which is removed at the end when nothing in it would be lost.

Exit codes: 0 finished, 1 failed, 2 called wrongly, 3 ended by a hook (0 with -p), 130
interrupted, 143 terminated.`),
		Example: "  hookline run \"Why does the test fail?\"\n  git diff | hookline run \"Review this\" --permission-mode plan\n" +
			"  hookline run -r code-review --arg target=main --output json\n  hookline run --continue \"And the other one?\"",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = args
			if err := o.field.check(o.output); err != nil {
				return err
			}
			return runRun(cmd.Context(), a, o)
		},
	}
	o.agent.add(cmd)
	o.agent.addModules(cmd)
	o.field.add(cmd, &o.output)
	cmd.Flags().StringVarP(&o.output, "output", "o", "text", "text, json or stream-json")
	cmd.Flags().BoolVar(&o.initOnly, "init-only", false, "fire Setup(init) and open the session, then end: nothing is asked")
	cmd.Flags().StringArrayVar(&o.answers, "answer", nil, "answer dialogs: confirm=yes, select=2, input=TEXT, editor=TEXT (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runRun(ctx context.Context, a *app, opts runOptions) (err error) {
	f, output := &opts.agent, opts.output
	if !slices.Contains(outputs, output) {
		return usagef("--output %s: there are %s", output, strings.Join(outputs, ", "))
	}
	if opts.field.input == "stream-json" && !opts.initOnly {
		return runSDK(ctx, a, opts)
	}
	text := ""
	if opts.initOnly {
		f.init = true
	} else if text, err = a.promptText(ctx, opts.args); err != nil {
		return err
	}
	if text == "" && f.recipe == "" && !f.init && !f.maintenance {
		return usagef("there is no prompt: give one as an argument or on standard input, or a recipe with -r")
	}
	person, done, err := a.runUI(opts)
	if err != nil {
		return err
	}
	defer done()
	p := a.runPrinter(opts)
	defs, err := opts.field.subagents()
	if err != nil {
		return err
	}
	r, err := a.openAgent(ctx, f, func(o *host.Options, ao *host.AgentOptions) error {
		o.UI, ao.OnEvent, ao.JSON = person, p.event, output != "text"
		if output == "stream-json" {
			o.Engine = append(o.Engine, hook.WithObserver(p.stream))
		}
		return opts.field.apply(p.stream, o, ao, defs)
	})
	if err != nil {
		return err
	}
	p.stream.Bind(r.Agent)
	if err := r.Prepare(ctx); err != nil {
		return errors.Join(err, r.end(context.WithoutCancel(ctx), ""))
	}
	if opts.initOnly {
		err := r.setup(ctx)
		return errors.Join(err, r.end(ctx, endReason(ctx)))
	}
	return r.runPrompt(ctx, text, p, opts)
}

// runPrinter is the printer of what run prints, as flags and the terminal ask for it.
func (a *app) runPrinter(o runOptions) *printer {
	p := newPrinter(a.streams, o.output)
	p.stream.Partial = o.field.partial
	p.tellCalls = a.asks || o.field.verbose
	p.live = a.terminal && o.output == "text" && o.field.schema == ""
	return p
}

// runPrompt works on the prompt, prints what comes of it, and ends the session.
func (r *agentRun) runPrompt(ctx context.Context, text string, p *printer, o runOptions) error {
	var reply command.Reply
	r.AwaitServers(ctx) // the first message names their tools
	runErr := r.setup(ctx)
	if runErr == nil {
		reply, runErr = r.Work(ctx, text)
	}
	reason := endReason(ctx)
	closed := func() error { return r.end(ctx, reason) }
	var closeErr error
	if o.output != "text" { // what hooks do in the end comes before the result
		closeErr = closed()
	}
	finishErr := p.finish(reply, runErr)
	if o.output == "text" {
		closeErr = closed()
	}
	switch {
	case runErr != nil && ctx.Err() != nil:
		if r.Loop.Session().Path() != "" {
			r.app.warnf("hookline run --resume %s goes on from here.", r.Loop.SessionID())
		}
		return context.Cause(ctx)
	case finishErr != nil:
		return finishErr
	}
	if runErr == nil {
		runErr = endError(reply)
	}
	if runErr == errBlocked && o.field.set.Changed("print") {
		runErr = nil // as where the flag comes from: programs take any other code for a crash
	}
	return errors.Join(runErr, closeErr)
}

// endReason is why the session ends, as SessionEnd says it.
func endReason(ctx context.Context) string {
	if ctx.Err() != nil {
		return "prompt_input_exit"
	}
	return "other"
}

// endError is the exit code of how a prompt ended.
func endError(reply command.Reply) error {
	if reply.Blocked {
		return errBlocked
	}
	if reply.Result == nil {
		return nil
	}
	switch reply.Result.End {
	case agent.EndBlocked, agent.EndHalted, agent.EndDeferred, agent.EndInterrupted: // interrupted by a hook's refusal
		return errBlocked
	case agent.EndDone:
		return nil
	}
	return fmt.Errorf("the agent stopped early: %s", reply.Result.Reason)
}

// promptText is the prompt of the arguments and standard input.
func (a *app) promptText(ctx context.Context, args []string) (string, error) {
	var parts []string
	if in, ok := a.in.(*os.File); !ok || !ui.IsTerminal(in) {
		hint := time.AfterFunc(3*time.Second, func() { a.warnf("Waiting for the end of standard input; '< /dev/null' gives none.") })
		defer hint.Stop()
		b, err := readAll(ctx, io.LimitReader(a.in, maxStdin+1))
		if err != nil {
			return "", fmt.Errorf("read the prompt: %w", err)
		}
		if len(b) > maxStdin {
			return "", usagef("the prompt on standard input is longer than %d bytes", maxStdin)
		}
		if s := strings.TrimSpace(string(b)); s != "" {
			parts = append(parts, s)
		}
	}
	for _, arg := range args {
		if strings.TrimSpace(arg) != "" {
			parts = append(parts, arg)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

const maxStdin = 8 << 20

// runUI is the person at run: at the terminal, as flags answer, or nobody.
func (a *app) runUI(o runOptions) (ui.UI, func(), error) {
	flags, err := a.newFlagUI(o.answers)
	if err != nil {
		return nil, nil, err
	}
	if a.asks && len(o.args) > 0 && len(o.answers) == 0 {
		p := ui.NewPlain(ui.PlainConfig{In: a.in, Out: a.err, Sequences: true})
		return p, func() { _ = p.Close() }, nil
	}
	return flags, func() {}, nil
}
