package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/bridge/acpagent"
	"github.com/hookline-dev/hookline/bridge/acpproxy"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui/clean"
)

// acpOptions are the arguments and flags of acp.
type acpOptions struct {
	wrap, chain, requireGate bool
	argv                     []string
	agent                    agentFlags
}

func newACPCmd(a *app) *cobra.Command {
	var o acpOptions
	cmd := &cobra.Command{
		Use:   "acp [--wrap {-- AGENT [ARGS...] | --proxy-chain}]",
		Short: "Run the agent for an editor that speaks ACP, or put hooks before another agent",
		Long: strings.TrimSpace(`
Run the agent for an editor that speaks the Agent Client Protocol over standard input and
output.

With --wrap, start an agent of another maker that speaks it, and stand between it and the
editor, so that hooks guard any agent. A prompt fires UserPromptSubmit; what the agent asks
permission for fires PreToolUse and PermissionRequest; files and terminals of the editor
fire PreToolUse and PostToolUse; and when the agent is done, Stop may send it on. All else
passes through as it is.

An agent that runs a tool without asking cannot be stopped there, only seen: the first
session begins with what that means for this agent. docs/acp.md says more.

With --wrap --proxy-chain a conductor starts this command, and the agent behind it, as a
draft of the protocol says: that may change.`),
		Example: "  hookline acp --model sonnet\n  hookline acp --wrap -- npx -y @agentclientprotocol/claude-agent-acp\n  hookline acp --wrap --require-gate -- gemini --acp",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.argv = args
			if err := o.checkFlags(cmd.LocalNonPersistentFlags()); err != nil {
				return err
			}
			return runACP(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.wrap, "wrap", false, "guard the agent that is named after --")
	cmd.Flags().BoolVar(&o.chain, "proxy-chain", false, "with --wrap, stand in a chain of proxies that a conductor starts (a draft of the protocol)")
	cmd.Flags().BoolVar(&o.requireGate, "require-gate", false, "refuse an agent that runs its tools without asking, and end a turn in which it does")
	o.agent.add(cmd)
	return cmd
}

// checkFlags refuses flags that have no effect: the editor opens sessions, and an agent of
// another maker has flags of its own.
func (o *acpOptions) checkFlags(flags *pflag.FlagSet) error {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		of := slices.Contains([]string{"wrap", "proxy-chain", "require-gate"}, f.Name)
		if f.Changed && (o.wrap && !of || !o.wrap && slices.Contains([]string{"resume", "continue", "fork-session", "session-id", "recipe", "arg", "worktree", "require-gate", "proxy-chain"}, f.Name)) {
			names = append(names, "--"+f.Name)
		}
	})
	switch {
	case len(names) == 0:
		return nil
	case o.wrap:
		return usagef("with --wrap, %s has no effect: give the agent its own flags, after --", strings.Join(names, ", "))
	}
	return usagef("acp: %s has no effect: the editor opens the sessions", strings.Join(names, ", "))
}

func runACP(ctx context.Context, a *app, o acpOptions) error {
	switch {
	case o.chain && len(o.argv) > 0:
		return usagef("with --proxy-chain the conductor starts the agent")
	case o.wrap && len(o.argv) == 0 && !o.chain:
		return usagef("say which agent to guard: hookline acp --wrap -- AGENT [ARGS...]")
	case o.wrap:
		return a.wrapACP(ctx, o)
	case len(o.argv) > 0:
		return usagef("to guard another agent, write: hookline acp --wrap -- AGENT [ARGS...]")
	}
	return a.serveACP(ctx, o)
}

// serveACP runs the agent for an editor.
func (a *app) serveACP(ctx context.Context, o acpOptions) error {
	return acpagent.Serve(ctx, acpagent.Options{
		Version: currentVersion().Version,
		Sessions: func(dir string) ([]session.Info, error) {
			return session.List(a.dirs(dir).Sessions(), dir)
		},
		Open: func(ctx context.Context, opening acpagent.Opening) (*acpagent.Agent, error) {
			flags := o.agent // each session reads them anew
			r, err := a.openAgent(context.WithoutCancel(ctx), &flags, func(ho *host.Options, ao *host.AgentOptions) error {
				ho.Dir, ho.UI = opening.Dir, opening.Person
				ho.Engine = append(ho.Engine, hook.WithRecorder(opening.Recorder))
				ao.Resume, ao.Servers, ao.OnEvent, ao.OnSetting, ao.Editor = opening.Resume, append(ao.Servers, opening.Servers...), opening.OnEvent, opening.OnSetting, opening.Editor
				return nil
			})
			if err != nil {
				return nil, err
			}
			if err := r.ready(ctx); err != nil {
				return nil, errors.Join(err, r.end(ctx, "other"))
			}
			return &acpagent.Agent{Agent: r.Agent, End: func(ctx context.Context) error { return r.end(ctx, "prompt_input_exit") }}, nil
		},
	}, a.client())
}

// wrapACP puts the hooks before another agent.
func (a *app) wrapACP(ctx context.Context, o acpOptions) (err error) {
	hooks := &acpHooks{app: a, open: map[string]*workspace{}}
	defer func() { err = errors.Join(err, hooks.close()) }()
	if _, err := hooks.Open(ctx, ""); err != nil { // what is broken is told at once
		return err
	}
	po := acpproxy.Options{Open: hooks.Open, RequireGate: o.requireGate, Hosts: dialect.Hosts(a.dialects), Notify: a.proxyNotice}
	if o.chain {
		client, agent := acpproxy.Chain(a.client())
		return acpproxy.Run(ctx, po, client, agent)
	}
	agent, end, err := a.startProxied(ctx, o.argv, "the ACP agent")
	if err != nil {
		return err
	}
	return end(acpproxy.Run(ctx, po, a.client(), agent), acpproxy.ErrAgentGone)
}

// startProxied starts a program that another one speaks to through this command. The
// function returned ends it: of an error that says that the program has gone, it adds how.
func (a *app) startProxied(ctx context.Context, argv []string, what string) (jsonrpc.Conn, func(err, gone error) error, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p, err := process.Start(ctx, process.Spec{
		Path: argv[0], Args: argv[1:], Env: os.Environ(), StdinLater: true, StdoutPipe: true, StderrLimit: -1, Through: true,
		OnOutput: func(_ process.Stream, b []byte) { _, _ = a.err.Write(b) },
	})
	if err != nil {
		cancel()
		return nil, nil, fmt.Errorf("start %s %s: %w", what, argv[0], err)
	}
	return jsonrpc.Lines(p.Stdout(), p.Stdin()), func(err, gone error) error {
		cancel()
		exit := p.Wait()
		if errors.Is(err, gone) && exit.Code != 0 {
			err = fmt.Errorf("%w, with exit code %d", err, exit.Code)
		}
		return err
	}, nil
}

// proxyNotice tells the person what a proxy has to say.
func (a *app) proxyNotice(text string) { a.warnf("hookline: %s", clean.PlainText(text)) }

// acpHooks are the hooks of the directories in which an agent works.
type acpHooks struct {
	app  *app
	mu   sync.Mutex
	open map[string]*workspace
}

// Open returns the hooks of a directory, "" for the one that the command works in.
func (h *acpHooks) Open(ctx context.Context, dir string) (acpproxy.Hooks, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.open[dir]
	if w == nil {
		var err error
		if w, err = h.app.openProxied(context.WithoutCancel(ctx), dir); err != nil {
			return acpproxy.Hooks{}, err
		}
		h.open[dir] = w
	}
	return acpproxy.Hooks{
		Hears: w.Registry.Has, Fire: w.fireFresh,
		Guards: func(in hook.Input) bool {
			return slices.ContainsFunc(w.Engine.Explain(in), func(c hook.Consideration) bool { return c.Runs })
		},
		Lost: func(in hook.Input, what string) {
			if w.Audit == nil {
				return
			}
			if err := w.Audit.Note(audit.Record{Session: in.Base().SessionID, Event: in.Event().String(), Reason: "lost behind ACP: " + what}); err != nil {
				h.app.warnf("hookline: %v", err)
			}
		},
	}, nil
}

func (h *acpHooks) close() error {
	var errs []error
	for _, w := range h.open {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}
