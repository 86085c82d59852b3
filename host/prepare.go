package host

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/ui"
)

// Prepare moves the session into the worktree that the options ask for, or that the
// session was left in, and begins with the recipe. Work does it when nobody did.
func (h *Agent) Prepare(ctx context.Context) error {
	if h.prepared {
		return nil
	}
	h.prepared = true
	if err := h.enterWorktree(ctx); err != nil {
		return err
	}
	return h.useRecipe(ctx)
}

func (h *Agent) enterWorktree(ctx context.Context) error {
	name := strings.TrimSuffix(h.opts.Worktree, NewWorktree)
	if (h.opts.Resume != "" || h.opts.Continue) && name == "" {
		if _, err := h.Loop.ResumeWorktree(ctx); err != nil {
			return err
		}
	}
	if _, _, in := h.Loop.Worktree(); h.opts.Worktree != "" && !in {
		if _, err := h.Loop.EnterWorktree(ctx, name); err != nil {
			return err
		}
	}
	if at, _, ok := h.Loop.Worktree(); ok {
		h.notify(ui.Info, "The session works in the worktree %s.", at.Path)
	}
	return nil
}

// serverWait is how long a session waits for MCP servers.
const serverWait = 10 * time.Second

// AwaitServers waits until the MCP servers are there, for ten seconds at most, and tells
// which are not. Work does it; whoever opens the session without it may do it before.
func (h *Agent) AwaitServers(ctx context.Context) {
	if h.servers == nil || h.awaited {
		return
	}
	h.awaited = true
	wait, cancel := context.WithTimeout(ctx, serverWait)
	defer cancel()
	if err := h.servers.Wait(wait); err != nil {
		h.notify(ui.Warning, "%v", err)
	}
}

// Work opens the session, where that is still to be done, and works on what a person
// wrote: a prompt, or a slash command. It stands behind what the recipe begins with.
func (h *Agent) Work(ctx context.Context, text string) (command.Reply, error) {
	if err := h.Prepare(ctx); err != nil {
		return command.Reply{}, err
	}
	h.AwaitServers(ctx)
	if err := h.Loop.Start(ctx); err != nil {
		return command.Reply{}, err
	}
	begin, granted := h.TakeRecipe()
	text = strings.TrimSpace(begin + "\n\n" + text)
	if text == "" {
		return command.Reply{}, nil
	}
	if begin != "" { // a recipe is not a command, whatever it begins with
		res, err := h.Loop.Run(ctx, agent.Prompt{Text: text, Granted: granted})
		return command.Reply{Result: &res, Blocked: res.End == agent.EndBlocked}, err
	}
	reply, err := h.Commands.Input(ctx, text, command.Interactive)
	if unknown, ok := errors.AsType[*command.UnknownError](err); ok {
		h.notify(ui.Info, "There is no command /%s, so it is sent to the model as it is.", unknown.Name)
		return h.Commands.Prompt(ctx, agent.Prompt{Text: unknown.Text})
	}
	return reply, err
}
