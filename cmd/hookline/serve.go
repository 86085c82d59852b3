package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/bridge"
)

func newServeCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Keep hooks loaded for the agents of this person",
		Long: `Answer the agents that the hooks are behind, without loading hooks for every event;
modules keep their state for as long as a session of the agent lasts. What a hook starts
gets the environment of the event that it is for. The first event
starts it, and it ends when nobody has asked for half an hour, or the program is replaced. There
is one for a person. Agents are answered without it too, only later; HOOKLINE_NO_SERVER
in their environment keeps it from being started.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), a) },
	}
}

func runServe(ctx context.Context, a *app) (err error) {
	stale, err := replaced()
	if err != nil {
		return err
	}
	problem := func(err error) { a.warnf("hookline: %v", err) }
	rooms := &bridge.Rooms{Load: a.openBehind, Problem: problem, Project: func(c *bridge.Call) string { return a.dirsOf(c).Project }}
	defer func() { err = errors.Join(err, rooms.Close()) }()
	s := &bridge.Server{Bridge: &bridge.Bridge{Dialects: a.dialects, Open: rooms.Open, Problem: problem}, Stale: stale}
	if a.asks {
		a.warnf("Keeping hooks loaded; agents ask here by themselves. An interrupt ends it.")
	}
	err = s.Serve(ctx, a.getenv)
	if errors.Is(err, bridge.ErrServed) {
		if a.asks {
			a.warnf("Another one is there already.")
		}
		return nil // which is as good
	}
	return err
}

// replaced returns what tells whether the program's file is still the one that runs.
func replaced() (func() bool, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	was, err := os.Stat(self)
	if err != nil {
		return nil, err
	}
	return func() bool {
		is, err := os.Stat(self)
		return err != nil || !os.SameFile(was, is) || is.Size() != was.Size() || !is.ModTime().Equal(was.ModTime())
	}, nil
}
