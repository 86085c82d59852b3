// Package command takes what a person types to an agent: prompts, slash commands,
// and shell commands behind an exclamation mark.
//
//	set := command.New(a, command.Options{})
//	reply, err := set.Input(ctx, "/compact keep the file names", command.Interactive)
package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/recipe"
)

// The sources of an input, as UserInput hooks see them.
const (
	Interactive = "interactive"
	RPC         = "rpc"
)

// Command is a slash command.
type Command struct {
	Name        string
	Description string
	// Source says where it comes from: built-in, module or recipe.
	Source string
	// Unlisted says that it is not among those that a person is offered.
	Unlisted bool
	// Run does what the command is for, with the text after its name.
	Run func(ctx context.Context, args string) (Reply, error)
}

// Reply is what came of an input.
type Reply struct {
	// Output is for the person. What happened may be all that it says: a program that
	// follows the agent's events knows it already.
	Output   string
	Happened bool
	// Result is set when a prompt was worked on.
	Result *agent.Result
	// Blocked says that a hook refused the input.
	Blocked bool
	// Quit says that the person wants to end.
	Quit bool
}

// Options say what there is beside the built-in commands.
type Options struct {
	// More lists further commands, such as those of script modules. A built-in one
	// of the same name goes before.
	More func() []Command
	// Recipes finds recipes, each of which is a command; Exec runs commands that
	// they ask for, and RecipeShell, given the rules that a recipe brings, lines for a shell.
	Recipes     func(ctx context.Context) (*recipe.Set, error)
	Exec        func(ctx context.Context, argv []string) (string, error)
	RecipeShell func(granted []permission.Rule) func(ctx context.Context, line string) (string, error)
	// Grant returns the allow rules that a recipe brings for its prompt; nil grants
	// nothing, whatever a recipe says.
	Grant func(r *recipe.Recipe) []permission.Rule
	// Hooks lists the hooks for /hooks.
	Hooks func() []*hook.Info
	// SessionDir is where /resume looks for sessions, and Dir their working
	// directory.
	SessionDir, Dir string
	// AddDir lets the agent work in a further directory; nil refuses it.
	AddDir func(ctx context.Context, dir string) error
	// Shell runs a shell command of the person; nil refuses them.
	Shell func(ctx context.Context, command string) (output string, err error)
}

// Set is the commands of one agent. It is safe for concurrent use.
type Set struct {
	a    *agent.Agent
	opts Options
	own  []Command
}

// New returns the commands of an agent.
func New(a *agent.Agent, o Options) *Set {
	s := &Set{a: a, opts: o}
	s.own = s.builtins()
	return s
}

// UnknownError is the error of an input that begins with the name of no command.
type UnknownError struct {
	// Name is what there is none of, Text the whole input as hooks left it.
	Name, Text string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no command /%s; /help lists them", e.Name)
}

// slash is a command with its arguments.
var slash = lazyregexp.New(`^/([A-Za-z][\w.@:/-]*)(?:\s+(?s:(.*)))?$`)

// Input takes what a person typed or a program sent. UserInput hooks see it first:
// they may change it, deal with it, or drop it.
func (s *Set) Input(ctx context.Context, text, source string, images ...model.Image) (Reply, error) {
	in := &hook.UserInput{Text: text, Source: source}
	for _, img := range images {
		in.Images = append(in.Images, hook.MustJSON(img))
	}
	out, err := s.a.Fire(ctx, in)
	switch {
	case err != nil:
		return Reply{}, err
	case out.Blocked():
		return Reply{Blocked: true, Output: "A hook refused the input: " + out.Reason}, nil
	case out.Host != nil && out.Host.Handled:
		return Reply{}, nil
	}
	text = in.Text
	images = images[:0:0]
	for _, raw := range in.Images {
		var img model.Image
		if err := raw.Decode(&img); err != nil {
			return Reply{}, fmt.Errorf("reading an image as hooks left it: %w", err)
		}
		images = append(images, img)
	}
	if command, ok := strings.CutPrefix(text, "!"); ok && len(images) == 0 {
		return s.shell(ctx, strings.TrimSpace(command))
	}
	if m := slash.Get().FindStringSubmatch(text); m != nil {
		c, err := s.Lookup(ctx, m[1])
		if err != nil {
			return Reply{}, err
		}
		if c != nil {
			s.a.Commanded()
			return c.Run(ctx, strings.TrimSpace(m[2]))
		}
		if !strings.Contains(m[1], "/") { // else it is a path that a prompt begins with
			return Reply{}, &UnknownError{Name: m[1], Text: text}
		}
	}
	return s.Prompt(ctx, agent.Prompt{Text: text, Images: images})
}

// Prompt works on a prompt, such as what a command came to.
func (s *Set) Prompt(ctx context.Context, p agent.Prompt) (Reply, error) {
	res, err := s.a.Run(ctx, p)
	reply := Reply{Result: &res, Blocked: res.End == agent.EndBlocked}
	if reply.Blocked && p.Expansion != nil {
		reply.Output = res.Reason
	}
	return reply, err
}

// Lookup finds a command, nil when there is none of that name.
func (s *Set) Lookup(ctx context.Context, name string) (*Command, error) {
	list := s.own
	if s.opts.More != nil {
		list = append(list[:len(list):len(list)], s.opts.More()...)
	}
	if i := slices.IndexFunc(list, func(c Command) bool { return c.Name == name }); i >= 0 {
		return &list[i], nil
	}
	if s.opts.Recipes == nil {
		return nil, nil
	}
	set, err := s.opts.Recipes(ctx)
	if err != nil {
		return nil, err
	}
	r, err := set.Lookup(name)
	if _, missing := errors.AsType[*recipe.NotFoundError](err); missing {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if strings.Contains(name, "/") && called(r) != r.Name {
		return nil, nil // a path
	}
	c := s.recipeCommand(r)
	return &c, nil
}

// called is what a person calls a recipe by: colons stand between the directories of a
// Claude Code command.
func called(r *recipe.Recipe) string {
	if r.Format != recipe.Template && r.Plugin == "" {
		return strings.ReplaceAll(r.Name, "/", ":")
	}
	return r.Name
}

// List returns all commands: the built-in ones, then the others by name.
func (s *Set) List(ctx context.Context) ([]Command, error) {
	out := slices.Clone(s.own)
	if s.opts.More != nil {
		for _, c := range s.opts.More() {
			if !c.Unlisted {
				out = append(out, c)
			}
		}
	}
	if s.opts.Recipes != nil {
		set, err := s.opts.Recipes(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range set.Active() {
			out = append(out, s.recipeCommand(r))
		}
	}
	slices.SortStableFunc(out[len(s.own):], func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// recipeCommand makes a command of a recipe: it is rendered, hooks see what it
// expands to, and the model gets that as the prompt.
func (s *Set) recipeCommand(r *recipe.Recipe) Command {
	name := called(r)
	return Command{Name: name, Description: r.Description, Source: "recipe", Run: func(ctx context.Context, args string) (Reply, error) {
		o := recipe.RenderOptions{Args: map[string]string{}, Exec: s.opts.Exec}
		var granted []permission.Rule
		if s.opts.Grant != nil {
			granted = s.opts.Grant(r)
		}
		if s.opts.RecipeShell != nil {
			o.Shell = s.opts.RecipeShell(granted)
		}
		if r.Format != recipe.Template {
			o.Args["ARGUMENTS"] = args
		} else {
			for _, word := range strings.Fields(args) {
				name, value, ok := strings.Cut(word, "=")
				if !ok {
					return Reply{}, fmt.Errorf("/%s: %q: write arguments as NAME=VALUE", name, word)
				}
				o.Args[name] = value
			}
		}
		text, err := r.Render(ctx, o)
		if err != nil {
			return Reply{}, err
		}
		e := Expanded{Name: name, Args: args, Path: r.Path, Plugin: r.Plugin, Text: text, Granted: granted, Model: r.Model}
		return s.Prompt(ctx, e.Prompt(s.opts.Dir))
	}}
}

// Expanded is what a command that a person typed came to.
type Expanded struct {
	Name, Args   string // as they were typed
	Path, Plugin string // its file, and the plugin that has it or ""
	Text         string
	Granted      []permission.Rule
	Model        string // that its header asks for
}

// Prompt is the prompt that the agent works on. A file in the project is the project's.
func (e Expanded) Prompt(project string) agent.Prompt {
	return agent.Prompt{Text: e.Text, Granted: e.Granted, Model: e.Model, Expansion: &hook.UserPromptExpansion{
		ExpansionType: "slash_command", CommandName: e.Name, CommandArgs: e.Args, CommandSource: source(e.Path, e.Plugin, project),
		Prompt: strings.TrimSpace("/" + e.Name + " " + e.Args),
	}}
}

// source is where a command comes from, as UserPromptExpansion says it.
func source(path, plugin, project string) string {
	rel, err := filepath.Rel(project, path)
	switch {
	case plugin != "":
		return "plugin"
	case err == nil && filepath.IsLocal(rel):
		return "projectSettings"
	}
	return "userSettings"
}

// shell runs a shell command of the person. The model sees the output with the next
// prompt; with a second exclamation mark it does not.
func (s *Set) shell(ctx context.Context, command string) (Reply, error) {
	command, private := strings.CutPrefix(command, "!")
	command = strings.TrimSpace(command)
	if s.opts.Shell == nil {
		return Reply{}, errors.New("shell commands can't be run here")
	}
	in := &hook.UserBash{Command: command, ExcludeFromContext: private}
	out, err := s.a.Fire(ctx, in)
	if err != nil {
		return Reply{}, err
	}
	if out.Blocked() {
		return Reply{Blocked: true, Output: "A hook refused the command: " + out.Reason}, nil
	}
	var text string
	switch {
	case !out.UpdatedOutput.IsZero():
		var ok bool
		if text, ok = out.UpdatedOutput.AsString(); !ok {
			text = out.UpdatedOutput.Raw()
		}
	case out.Host != nil && out.Host.Handled:
		return Reply{}, nil
	default:
		if text, err = s.opts.Shell(ctx, in.Command); err != nil {
			text = strings.TrimSpace(text + "\n" + err.Error())
		}
	}
	if !private {
		s.a.QueueNote("The person ran a shell command.\n\n$ "+in.Command+"\n"+text, agent.NextTurn)
	}
	return Reply{Output: text}, nil
}
