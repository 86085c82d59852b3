package main

import (
	"context"

	"github.com/hookline-dev/hookline/agent/worktree"
)

// worktreeFlag is --worktree, with or without a name.
type worktreeFlag struct {
	on   bool
	name string
}

// anyName is the flag's value when it is given without one. No worktree is called so.
const anyName = "*"

func (f *worktreeFlag) String() string { return f.name }

// Type is what the help calls the value.
func (f *worktreeFlag) Type() string { return "NAME" }

// Set takes over the name.
func (f *worktreeFlag) Set(s string) error {
	f.on, f.name = true, ""
	if s == anyName {
		return nil
	}
	f.name = s
	return worktree.CheckName(s)
}

// prepare moves the session into the worktree that the flag asks for, or that the
// session was left in, and begins with the recipe.
func (w *wiring) prepare(ctx context.Context) error {
	if err := w.enterWorktree(ctx); err != nil {
		return err
	}
	return w.useRecipe(ctx)
}

func (w *wiring) enterWorktree(ctx context.Context) error {
	f := w.flags
	if (f.resume != "" || f.goOn) && f.worktree.name == "" {
		if _, err := w.agent.ResumeWorktree(ctx); err != nil {
			return err
		}
	}
	if _, _, in := w.agent.Worktree(); f.worktree.on && !in {
		if _, err := w.agent.EnterWorktree(ctx, f.worktree.name); err != nil {
			return err
		}
	}
	if at, _, ok := w.agent.Worktree(); ok {
		w.app.warnf("The session works in the worktree %s.", at.Path)
	}
	return nil
}

// sayKept tells where the worktree is that the session has left behind.
func (w *wiring) sayKept() {
	at, why, ok := w.agent.Worktree()
	if !ok {
		return
	}
	on := ""
	if at.Branch != "" {
		on = " on the branch " + at.Branch
	}
	w.app.warnf("The worktree %s is kept%s: %s. 'hookline run --worktree=%s' goes on in it.", at.Path, on, why, at.Name)
}
