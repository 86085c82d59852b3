package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/tui"
)

// chatOptions are the flags of chat.
type chatOptions struct {
	agent agentFlags
	plain bool
	theme string
}

func newChatCmd(a *app) *cobra.Command {
	var o chatOptions
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to the agent in the terminal",
		Long: strings.TrimSpace(`
Talk to the agent in the terminal, on a full screen that shows the conversation, what
hooks do, and the questions of the agent and of hooks. Enter sends, shift-enter or
ctrl-j makes a new line, esc interrupts, ctrl-c twice ends.

--plain goes line by line: nothing is redrawn, which suits screen readers. It is also
what ACCESSIBLE=1 and TERM=dumb get. chat needs a terminal; run takes a pipe.`),
		Example: "  hookline chat\n  hookline chat --continue --permission-mode plan\n  hookline chat --plain --model script",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runChat(cmd.Context(), a, &o) },
	}
	o.agent.add(cmd)
	o.agent.addModules(cmd)
	cmd.Flags().BoolVar(&o.plain, "plain", false, "go line by line instead of drawing a screen")
	cmd.Flags().StringVar(&o.theme, "theme", "", "the colours at the start; /theme lists what there is")
	return cmd
}

func runChat(ctx context.Context, a *app, o *chatOptions) error {
	in, isFile := a.in.(*os.File)
	if !isFile || !ui.IsTerminal(in) || !a.terminal {
		return usagef("chat needs a terminal; 'hookline run' takes a pipe")
	}
	if o.plain || a.getenv("ACCESSIBLE") == "1" || a.getenv("TERM") == "dumb" {
		return plainChat(ctx, a, o)
	}
	themes, err := a.themes(o.theme)
	if err != nil {
		return err
	}
	screen := tui.New(tui.Config{In: a.in, Out: terminalOf(a), Colour: a.colour(), Themes: themes, Theme: o.theme})
	quiet := *a.streams
	quiet.err = screen // warnings have a place on the screen
	onScreen := *a
	onScreen.streams = &quiet
	last := &lastInputs{by: map[hookKey][]byte{}}
	var r *agentRun
	err = screen.Run(ctx, func(ctx context.Context) (*tui.Session, error) {
		var err error
		r, err = onScreen.openChat(ctx, o, screen, screen.OnEvent, hook.WithObserver(screen), hook.WithRecorder(screen), hook.WithRecorder(last))
		if err != nil {
			return nil, err
		}
		return &tui.Session{
			Loop: r.Loop, Commands: r.Commands, Permission: r.Permission, Refresh: r.Refresh, Hooks: func() []tui.ListedHook { return onScreen.listedHooks(r, screen, last) },
			Modules: r.Modules, Begin: r.beginRecipe,
		}, nil
	})
	if r != nil {
		quiet.err = a.err
		err = errors.Join(err, a.endChat(ctx, r))
	}
	return chatError(ctx, err)
}

// themes reads the person's own themes. A name that neither they nor the built-in ones have
// is a mistake, and what cannot be read is said before the screen is there.
func (a *app) themes(name string) ([]ui.Theme, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	own, err := ui.ReadThemes(filepath.Join(a.dirs(dir).Config, "themes"))
	if err != nil {
		a.warnf("%v", err)
	}
	var names []string
	for _, t := range append(ui.Themes(), own...) {
		names = append(names, t.Name)
	}
	if name != "" && !slices.Contains(names, name) {
		return nil, usagef("--theme %s: there are %s", name, strings.Join(names, ", "))
	}
	return own, nil
}

// terminalOf is the terminal that a command writes to.
func terminalOf(a *app) io.Writer {
	if w, ok := a.out.(*checkedWriter); ok {
		return w.to
	}
	return a.out
}

// chatError is what the command returns: a signal goes before what follows from it.
func chatError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errLeft):
		return nil
	}
	return err
}

// errLeft is why there is no chat: the person did not want one with this project.
var errLeft = errors.New("left before the session began")

// openChat asks about what the project brings, and opens the agent of a chat and its session.
func (a *app) openChat(ctx context.Context, o *chatOptions, person ui.UI, told func(agent.Event), sees ...hook.EngineOption) (*agentRun, error) {
	if goOn, err := a.askTrust(ctx, person); err != nil {
		return nil, err
	} else if !goOn {
		return nil, errLeft
	}
	r, err := a.openAgent(ctx, &o.agent, func(h *host.Options, ao *host.AgentOptions) error {
		h.UI, h.Hosting.Terminal, ao.OnEvent = person, true, told
		h.Engine = append(h.Engine, sees...)
		ao.Change = func(c *agent.Config) { c.Rewake, c.IdleAfter = true, rpcIdle }
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := r.ready(ctx); err != nil {
		return nil, errors.Join(err, r.end(context.WithoutCancel(ctx), ""))
	}
	return r, nil
}

// beginRecipe starts on what the recipe begins with, if there is one.
func (r *agentRun) beginRecipe() {
	if text, granted := r.TakeRecipe(); text != "" {
		r.Loop.QueueGranted(text, granted, agent.Steer) // hooks see it as any other prompt
		r.Loop.Wake()
	}
}

// endChat ends the session and says how to go on with it.
func (a *app) endChat(ctx context.Context, r *agentRun) error {
	id := r.Loop.SessionID()
	said := r.Loop.Session().Path() != "" && len(r.Loop.Live().Messages()) > 0
	err := r.end(ctx, "prompt_input_exit")
	if said {
		a.warnf("hookline chat --resume %s goes on from here.", id)
	}
	return err
}

// plainChat goes line by line.
func plainChat(ctx context.Context, a *app, o *chatOptions) error {
	person := ui.NewPlain(ui.PlainConfig{In: a.in, Out: a.out, Colour: a.colour(), Sequences: true})
	defer person.Close()
	p := &plainTeller{out: a.streams}
	r, err := a.openChat(ctx, o, person, p.event, hook.WithObserver(p))
	if err != nil {
		return chatError(ctx, err)
	}
	r.beginRecipe()
	err = r.readLines(ctx, person, p)
	return chatError(ctx, errors.Join(err, a.endChat(ctx, r)))
}

// readLines works on one line after the other until the input ends.
func (r *agentRun) readLines(ctx context.Context, person *ui.Plain, p *plainTeller) error {
	for {
		if err := r.Loop.WaitIdle(ctx); err != nil {
			return nil // interrupted
		}
		text, err := person.ReadLine(ctx, "you: ")
		switch {
		case errors.Is(err, io.EOF) || ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("read what the person writes: %w", err)
		case strings.TrimSpace(text) == "":
			continue
		}
		if err := r.Refresh(ctx); err != nil {
			return err
		}
		reply, err := r.Commands.Input(ctx, text, command.Interactive)
		if err != nil && ctx.Err() == nil {
			p.say("error", err.Error())
		}
		if reply.Output != "" {
			p.say("hookline", reply.Output)
		}
		if reply.Quit {
			return nil
		}
	}
}
