package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/internal/recording"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui/clean"
)

// agentRun is an agent that a command runs, from its flags to what is said at its end.
type agentRun struct {
	*host.Agent
	app     *app
	flags   *agentFlags
	closers []func() error
}

// openAgent makes an agent in the working directory; change adds to what the flags ask
// for. Prepare it, and end it.
func (a *app) openAgent(ctx context.Context, f *agentFlags, change func(*host.Options, *host.AgentOptions) error) (r *agentRun, err error) {
	r = &agentRun{app: a, flags: f}
	if a.watchReader != nil {
		stop := a.watchReader()
		r.closers = append(r.closers, func() error { stop(); return nil })
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if f.session.dir, err = a.workDir(); err != nil {
		return r, err
	}
	ao, err := f.options()
	if err != nil {
		return r, err
	}
	if err := a.mayTrustProject(); err != nil {
		return r, err
	}
	if f.scriptLog != "" {
		log, err := os.OpenFile(f.scriptLog, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return r, fmt.Errorf("--script-log: %w", err)
		}
		ao.ScriptLog = log
		r.closers = append(r.closers, log.Close)
	}
	o := a.options()
	o.RequireTrusted, o.Diagnose, o.Record = a.requireTrusted, a.printDiagnostics, f.record
	o.Hosting.Flags = f.modules
	if err := change(&o, &ao); err != nil {
		return r, err
	}
	if r.Agent, err = host.OpenAgent(ctx, o, ao); err != nil {
		if f.goOn && errors.Is(err, session.ErrNone) {
			err = usagef("--continue: there is no session of %s yet; without --continue one begins", f.session.dir)
		}
		return r, hostError(err)
	}
	if err := f.modules.check(f.cmd, r.Modules()); err != nil {
		return r, err
	}
	if f.record {
		a.warnf("The session is recorded in %s, secrets replaced; 'hookline record list' shows what there is.", recording.In(r.Dirs.State).Dir)
	}
	a.untrustedLine(r.Set())
	a.offLine(r.Set())
	r.closers = append(r.closers, r.watchHurry())
	return r, nil
}

// end ends the session and what it works with; the reason is SessionEnd's.
func (r *agentRun) end(ctx context.Context, reason string) error {
	err := r.End(ctx, reason)
	r.sayKept()
	r.awaitBackground(ctx)
	return errors.Join(err, r.close())
}

func (r *agentRun) close() error {
	var errs []error
	if r.Agent != nil {
		errs = append(errs, r.Close())
	}
	for _, c := range slices.Backward(r.closers) {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// ready goes where the session works, fires Setup as the flags ask and opens it.
func (r *agentRun) ready(ctx context.Context) error {
	if err := r.Prepare(ctx); err != nil {
		return err
	}
	return r.setup(ctx)
}

// setup fires Setup as the flags ask, once, and opens the session.
func (r *agentRun) setup(ctx context.Context) error {
	trigger := ""
	switch {
	case r.flags.init:
		trigger = "init"
	case r.flags.maintenance:
		trigger = "maintenance"
	}
	if trigger != "" {
		if err := r.Loop.Setup(ctx, trigger); err != nil {
			return err
		}
	}
	return r.Loop.Start(ctx)
}

// sayKept tells where the worktree is that the session has left behind.
func (r *agentRun) sayKept() {
	at, why, ok := r.Loop.Worktree()
	if !ok {
		return
	}
	on := ""
	if at.Branch != "" {
		on = " on the branch " + at.Branch
	}
	r.app.warnf("The worktree %s is kept%s: %s. 'hookline run --worktree=%s' goes on in it.", at.Path, on, why, at.Name)
}

// awaitBackground waits for hooks that run in the background, so that what they are
// for is done: each for its own time, all of them for that of the flag, and no longer
// than the person wants. What they answer comes too late for the session.
func (r *agentRun) awaitBackground(ctx context.Context) {
	runs := r.Engine.Background()
	if len(runs) == 0 || r.flags.backgroundWait <= 0 || ctx.Err() != nil {
		return
	}
	wait, cancel := context.WithTimeout(ctx, r.flags.backgroundWait)
	defer cancel()
	hint := time.AfterFunc(2*time.Second, func() {
		r.app.warnf("Waiting for hooks in the background; Ctrl-C ends them.")
	})
	defer hint.Stop()
	var left []string
	for _, run := range runs {
		if _, err := run.Wait(wait); err != nil {
			left = append(left, clean.PlainLine(run.Hook.Name))
		}
	}
	if len(left) == 0 {
		return
	}
	why := "by Ctrl-C"
	if ctx.Err() == nil {
		why = fmt.Sprintf("after %s; --background-wait gives them more time", r.flags.backgroundWait)
	}
	r.app.warnf("Ended in the background: %s (%s).", strings.Join(left, ", "), why)
}

// watchHurry ends hooks at once when the person interrupts a second time. The function
// returned ends the watching.
func (r *agentRun) watchHurry() func() error {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-r.app.hurry:
			r.app.warnf("hookline: hooks that still run are ended now")
			_ = r.Engine.Close() // closing it once more says the same
		case <-stop:
		}
	}()
	return func() error {
		close(stop)
		<-ended
		return nil
	}
}
