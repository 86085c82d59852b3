package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/permission"
)

// agentFlags are the flags of the commands that run the agent.
type agentFlags struct {
	model, scriptLog, mode, recipe, resume string
	args                                   []string
	goOn, init, maintenance, team, record  bool
	maxTurns                               int
	budget                                 int64
	backgroundWait                         time.Duration
	worktree                               worktreeFlag
	session                                sessionFlags
	changed                                func(flag string) bool
	modules                                moduleFlags // nil where they cannot be given
	cmd                                    *cobra.Command
}

func (f *agentFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	f.changed = fl.Changed
	f.session.add(fl)
	fl.StringVar(&f.model, "model", "", "the model: PROVIDER/NAME, a name such as sonnet or gpt-5, script:FILE, or script for the built-in demonstration")
	fl.StringVar(&f.scriptLog, "script-log", "", "write the requests that a scripted model gets to this file, one a line")
	fl.StringVar(&f.mode, "permission-mode", "", "one of "+strings.Join(permission.ModeNames(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("permission-mode", cobra.FixedCompletions(permission.ModeNames(), cobra.ShellCompDirectiveNoFileComp))
	fl.StringVarP(&f.recipe, "recipe", "r", "", "begin with this recipe")
	fl.StringArrayVar(&f.args, "arg", nil, "an argument of the recipe: NAME=VALUE (repeatable)")
	fl.StringVar(&f.resume, "resume", "", "go on with the session of this id, the beginning of one, or its file")
	fl.BoolVar(&f.goOn, "continue", false, "go on with the last session of this directory")
	fl.BoolVar(&f.init, "init", false, "fire Setup(init) first")
	fl.BoolVar(&f.maintenance, "maintenance", false, "fire Setup(maintenance) first")
	fl.BoolVar(&f.team, "team", false, "give the model tasks and teammates in the background")
	fl.VarP(&f.worktree, "worktree", "w", "work in a git worktree of the project, one of this name (--worktree=NAME) or a new one")
	fl.Lookup("worktree").NoOptDefVal = host.NewWorktree
	fl.BoolVar(&f.record, "record", false, "record the events of the session, secrets replaced, to fire them again with 'hookline replay'")
	fl.IntVar(&f.maxTurns, "max-turns", 0, "end a prompt after this many model calls")
	fl.DurationVar(&f.backgroundWait, "background-wait", 10*time.Second, "at the end, wait this long for hooks in the background")
	fl.Int64Var(&f.budget, "max-tokens", 0, "end a prompt when it has used this many tokens")
}

// addModules takes the flags of script modules, too.
func (f *agentFlags) addModules(cmd *cobra.Command) {
	f.cmd, f.modules = cmd, moduleFlags{}
	cmd.Flags().Var(f.modules, moduleFlag, "a flag that a script module registers")
	_ = cmd.Flags().MarkHidden(moduleFlag)
}

// options checks the flags and says what agent they ask for. A script whose variable is
// empty must not get another session than it asked for.
func (f *agentFlags) options() (host.AgentOptions, error) {
	var none host.AgentOptions
	switch {
	case f.changed("resume") && strings.TrimSpace(f.resume) == "":
		return none, usagef("--resume needs the id of a session or its file; --continue takes the last one")
	case f.resume != "" && f.goOn:
		return none, usagef("give --resume or --continue, not both")
	case f.changed("recipe") && f.recipe == "":
		return none, usagef("--recipe needs a name; 'hookline recipe list' shows what there is")
	case f.recipe == "" && len(f.args) > 0:
		return none, usagef("--arg needs --recipe")
	case f.maxTurns < 0, f.budget < 0, f.backgroundWait < 0:
		return none, usagef("--max-turns, --max-tokens and --background-wait take no negative numbers")
	}
	args, err := parseArgs(f.args)
	if err != nil {
		return none, err
	}
	o := host.AgentOptions{
		Model: f.model, PermissionMode: f.mode, Resume: f.resume, Continue: f.goOn, Recipe: f.recipe, RecipeArgs: args,
		Worktree: string(f.worktree), Team: f.team, MaxTurns: f.maxTurns, Budget: f.budget,
	}
	return o, f.session.apply(&o, f.changed)
}

// worktreeFlag is --worktree, with or without a name.
type worktreeFlag string

func (f *worktreeFlag) String() string { return strings.TrimSuffix(string(*f), host.NewWorktree) }

// Type is what the help calls the value.
func (f *worktreeFlag) Type() string { return "NAME" }

// Set takes over the name.
func (f *worktreeFlag) Set(s string) error {
	*f = worktreeFlag(s)
	if s == host.NewWorktree {
		return nil
	}
	return worktree.CheckName(s)
}
