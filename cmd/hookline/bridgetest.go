package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/hook"
)

func newBridgeTestCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test HOST",
		Short: "Play an agent's events through what is installed, and say what it would do",
		Long: `Run the command lines that are installed in the host's files as the host would, for
each of its events, and say what the host would do with each answer. Of a module, in
OpenCode, pi, oh-my-pi and kodelet, what it starts is played, not its own code. What answers is a
guard that is made for this: it refuses, asks, changes and adds in a home directory of its
own. No hook of yours runs, save those that are set for the whole machine. Exits with 1
when a refusal would not hold.`,
		Example:           "  hookline bridge test claude",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeHost,
		RunE:              func(cmd *cobra.Command, args []string) error { return runBridgeTest(cmd.Context(), a, args[0]) },
	}
}

func runBridgeTest(ctx context.Context, a *app, name string) (err error) {
	h, err := a.hostNamed(name)
	if err != nil {
		return err
	}
	in, err := a.installer()
	if err != nil {
		return err
	}
	places, err := in.Places(h)
	if err != nil {
		return err
	}
	if len(places) == 0 {
		return fmt.Errorf("the bridge is not installed for %s here; 'hookline bridge install %s'", h.Title, h.Name)
	}
	dir, err := os.MkdirTemp("", "hookline-rehearsal-")
	if err != nil {
		return fmt.Errorf("make a place for the events: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := &bridge.Rehearsal{Installer: in, Host: h, Dir: dir, Input: inputOf}
	a.printf("A guard that is made for this answers, in a directory of its own; no hook of yours runs.\n")
	lost := false
	for _, p := range places {
		a.printf("%s: %s\n", p.Level, escaped(p.Path))
		event := ""
		err := r.Play(ctx, p.Path, func(t bridge.Trial) {
			if t.Event != event {
				event = t.Event
				a.printf("  %s\n", a.style("1", event))
			}
			lost = lost || t.Lost
			a.printf("    %-14s %s\n", strings.Join(t.Part.Names(), ", "), line(heard(&t)))
		})
		if err != nil {
			return err
		}
	}
	if lost {
		return errSilent
	}
	return nil
}

// inputOf is a plausible input of an event that happens in a directory.
func inputOf(ev hook.Event, dir string) (hook.Input, error) {
	return fillInput(dir, dir, ev.Spec().New(), nil, &eventFlags{})
}

// heard says what the host would do.
func heard(t *bridge.Trial) string {
	var said []string
	for _, p := range []struct {
		part hook.Fields
		text string
	}{
		{hook.FieldDeny, "refused: " + t.Reason},
		{hook.FieldAsk, "a person is asked: " + t.Reason},
		{hook.FieldUpdatedInput | hook.FieldUpdatedPrompt | hook.FieldUpdatedOutput, "changed"},
		{hook.FieldContinue | hook.FieldFollowUps, "the agent goes on"},
		{hook.FieldContext, "the model is told"},
	} {
		if t.Heard&p.part != 0 {
			said = append(said, p.text)
		}
	}
	switch {
	case t.Fault != nil:
		said = append(said, "no answer that counts, and it goes on: "+t.Fault.Error())
	case len(said) == 0:
		said = append(said, "nothing")
	}
	if t.Lost {
		said = append(said, "THE REFUSAL DOES NOT HOLD")
	}
	return strings.Join(said, "; ")
}
