package main

import (
	"context"
	"errors"
	"io"

	"github.com/hookline-dev/hookline/agentsdk"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// runSDK is run for a program that is written for the Agent SDK: prompts, requests and
// answers to questions come from it, a line each.
func runSDK(ctx context.Context, a *app, opts runOptions) error {
	if len(opts.args) > 0 {
		return usagef("with --input-format stream-json prompts come from standard input")
	}
	defs, err := opts.field.subagents()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := agentsdk.NewServer(ctx, agentsdk.Config{In: a.in, Out: a.out, Ask: opts.field.asks != "", Version: currentVersion().Version})
	s.Partial = opts.field.partial
	if err := s.Begin(ctx); err != nil {
		return err
	}
	r, err := a.openAgent(ctx, &opts.agent, func(o *host.Options, ao *host.AgentOptions) error {
		o.Engine = append(o.Engine, hook.WithObserver(s))
		ao.JSON = true
		if err := s.Shape(o, ao); err != nil {
			return err
		}
		return opts.field.apply(s.Stream, o, ao, defs)
	})
	if err != nil {
		s.Refuse(err)
		return err
	}
	s.Bind(r.Agent)
	err = r.Prepare(ctx)
	if err == nil && (opts.agent.init || opts.agent.maintenance) {
		r.AwaitServers(ctx)
		err = r.setup(ctx)
	}
	if err == nil {
		err = s.Serve(ctx)
	}
	if in, ok := a.in.(io.Closer); ok && err != nil {
		_ = in.Close() // nothing more is read
	}
	if err == nil && s.Failed() {
		err = errSilent
	}
	reason := "other"
	if ctx.Err() != nil {
		reason = "prompt_input_exit"
	}
	return errors.Join(err, r.end(ctx, reason))
}
