package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui/clean"
)

func newBridgeCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bridge",
		Short: "Run hooks behind another agent",
		Long: `Put the hooks behind an agent of another maker: ` + strings.Join(hostNames(a), ", ") + `.
What such an agent cannot be told goes to the nearest stricter thing and is reported;
what goes wrong is a refusal, where something can be refused.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBridgeInstallCmd(a), newBridgeRemoveCmd(a), newBridgeStatusCmd(a), newBridgeTestCmd(a), newBridgeProbeCmd(a), newBridgeRunCmd(a))
	return cmd
}

func hostNames(a *app) []string {
	var names []string
	for _, h := range dialect.Hosts(a.dialects) {
		names = append(names, h.Name)
	}
	return names
}

func newBridgeRunCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "run HOST EVENT",
		Short: "Answer one event of a host, which is on stdin",
		Long: `Answer one event as a hook of the host would: the payload is on stdin, the answer on
stdout. This is what the host is told to start; by hand it shows what the host would
be told.`,
		Example: `  hookline bridge run claude PreToolUse < payload.json`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBridge(cmd.Context(), a, args[0], args[1])
		},
	}
}

// runBridge answers, whatever happens: an error is for what cannot be an answer.
func runBridge(ctx context.Context, a *app, name, event string) error {
	b := newOneShot(a)
	defer b.wait()
	c := &bridge.Call{Host: name, Event: event, Environ: os.Environ()}
	dir, err := a.workDir()
	if err != nil {
		return err
	}
	c.Dir = dir
	c.Payload, c.Unread = a.readInput(ctx, "-", maxPayload)
	return a.sayAnswer(b.Answer(ctx, c))
}

// sayAnswer says what a hook of the host would have to.
func (a *app) sayAnswer(ans handler.Answer) error {
	if _, err := a.out.Write(ans.Stdout); err != nil {
		return err
	}
	if len(ans.Stderr) > 0 {
		a.warnf("%s", strings.TrimRight(clean.PlainText(string(ans.Stderr)), "\n"))
	}
	if ans.ExitCode != 0 {
		return exitWith(ans.ExitCode)
	}
	return nil
}

// oneShot is a bridge whose hooks live for one call.
type oneShot struct {
	bridge.Bridge
	a    *app
	open sync.WaitGroup
}

func newOneShot(a *app) *oneShot {
	b := &oneShot{a: a}
	b.Bridge = bridge.Bridge{Dialects: a.dialects, Open: b.hooks, LateWait: lateWait, Problem: func(err error) { a.warnf("hookline: %v", err) }}
	return b
}

// hooks opens the hooks of a call's directory.
func (b *oneShot) hooks(ctx context.Context, c *bridge.Call, _ string) (*host.Host, func(), error) {
	h, err := b.a.openBehind(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	b.open.Add(1)
	return h, func() {
		defer b.open.Done()
		if err := h.Close(); err != nil {
			b.Problem(err)
		}
	}, nil
}

// wait waits until the hooks are closed.
func (b *oneShot) wait() { b.open.Wait() }

// openBehind loads the hooks that run behind a host: all but those that it runs itself. Where
// approvals cannot be read, as within a sandbox of ours, none are loaded: which guards are in
// force cannot be told.
func (a *app) openBehind(ctx context.Context, c *bridge.Call) (*host.Host, error) {
	dirs := a.dirsOf(c)
	if _, _, err := trust.NewStore(discovery.TrustDir(dirs)).List(); errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	o := a.options()
	o.Dir, o.Environ, o.Getenv = c.Dir, c.Environ, c.Getenv
	if row, _ := dialect.HostByName(a.dialects, c.Host); row != nil {
		o.TheirFiles = row.OwnFiles(a.dialects, dirs, c.Getenv)
	}
	h, err := host.Open(ctx, o)
	return h, hostError(err)
}

// dirsOf are the directories of a call's project, and of the person.
func (a *app) dirsOf(c *bridge.Call) discovery.Dirs {
	return host.FindDirs(c.Dir, c.Getenv, a.dialects...)
}
