package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// watcherArg is the first argument of the process that ends what a killed one left behind.
const watcherArg = "__watcher"

// program is run for a process of its own: nothing that hooks or tools started outlives it.
func program(args []string, s *streams, dialects ...dialect.Dialect) int {
	if len(args) == 2 && args[0] == watcherArg {
		if err := process.Watcher(args[1]); err != nil {
			s.warnf("hookline: %s", err)
			return exitFailed
		}
		return 0
	}
	process.Watch(watcherArg)
	if err := process.Adopt(); err != nil {
		return run(args, s, dialects...) // a kernel without it
	}
	code := run(args, s, dialects...)
	if left := process.EndAdopted(); len(left) > 0 {
		s.warnf("ended %s that hooks or tools had left running", count(len(left), "process", "processes"))
	}
	return code
}

// run is the whole command: arguments in, exit code out. Without dialects it has all.
func run(args []string, s *streams, dialects ...dialect.Dialect) int {
	process.SealFDs() // hooks inherit nothing but their own streams
	signals := watchSignals()
	defer signals.stop()
	out := &checkedWriter{to: s.out, gone: signals.readerGone}
	checked := *s
	checked.out, checked.hurry, checked.watchReader, s = out, signals.hurry, out.watch, &checked
	root := newRoot(s, args, dialects...)
	root.SetArgs(withModuleFlags(root, asRun(root, args)))
	cmd, err := root.ExecuteContextC(signals.ctx)
	if in, ok := errors.AsType[*interrupt](context.Cause(signals.ctx)); ok && (errors.Is(err, context.Canceled) || readerGone(err)) {
		if in.signal != syscall.SIGPIPE {
			s.warnf("hookline: %s", in)
		}
		return in.code()
	}
	code, show := exitCode(err)
	if lost := out.fault(); lost != nil && !show {
		s.warnf("hookline: write the output: %s", lost)
		return max(code, exitFailed)
	}
	if !show {
		return code
	}
	s.warnf("hookline: %s", err)
	if code == exitUsage {
		s.warnf("Run '%s --help' for how to call it.", cmd.CommandPath())
	}
	return code
}

// newRoot builds the command tree, as far as arguments ask for it.
func newRoot(s *streams, args []string, dialects ...dialect.Dialect) *cobra.Command {
	if len(dialects) == 0 {
		dialects = all.Dialects()
	}
	a := &app{streams: s, dialects: dialects}
	root := &cobra.Command{
		Use:   "hookline",
		Short: "A hook engine for AI coding agents",
		Long: strings.TrimSpace(`
Hookline runs hooks: outside code that steps in when a coding agent runs a tool,
gets a prompt, wants to stop, and at many other moments. It reads hooks of four
kinds (settings files, executables, script modules, Go functions), runs them in
one order and merges what they say.

Exit codes: 0 fine, 1 failed, 2 called wrongly, 3 blocked by a hook, 130 interrupted,
143 terminated.`),
		Example:       "  hookline list\n  hookline fire PreToolUse --tool Bash --input '{\"command\":\"rm -rf /\"}'\n  hookline demo",
		Version:       currentVersion().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(flagError)
	a.addFlags(root.PersistentFlags())
	of := asked(args)
	for _, c := range of {
		root.AddCommand(c.make(a))
	}
	if len(of) == len(commands) {
		addHelpers(root)
	}
	wrapArgs(root)
	return root
}

// subcommand is one command of the root: its name, and what makes it.
type subcommand struct {
	name string
	make func(*app) *cobra.Command
}

// commands are the subcommands, in the order of the help.
var commands = []subcommand{
	{"run", newRunCmd},
	{"chat", newChatCmd},
	{"rpc", newRPCCmd},
	{"acp", newACPCmd},
	{"mcp", newMCPCmd},
	{"list", newListCmd},
	{"show", newShowCmd},
	{"fire", newFireCmd},
	{"explain", newExplainCmd},
	{"events", newEventsCmd},
	{"validate", newValidateCmd},
	{"schema", newSchemaCmd},
	{"hook", newHookCmd},
	{"enable", newEnableCmd},
	{"disable", newDisableCmd},
	{"trust", newTrustCmd},
	{"untrust", newUntrustCmd},
	{"bridge", newBridgeCmd},
	{"serve", newServeCmd},
	{"status", newStatusCmd},
	{"log", newLogCmd},
	{"bench", newBenchCmd},
	{"plugin", newPluginCmd},
	{"recipe", newRecipeCmd},
	{"skill", newSkillCmd},
	{"session", newSessionCmd},
	{"new", newNewCmd},
	{"test", newTestCmd},
	{"dev", newDevCmd},
	{"backtest", newBacktestCmd},
	{"record", newRecordCmd},
	{"replay", newReplayCmd},
	{"doctor", newDoctorCmd},
	{"demo", newDemoCmd},
	{"version", newVersionCmd},
}

// asked are the commands that arguments can be for: the one that they begin with, since
// making the flags of all takes longer than many commands do, or else all.
func asked(args []string) []subcommand {
	if len(args) > 0 {
		if i := slices.IndexFunc(commands, func(c subcommand) bool { return c.name == args[0] }); i >= 0 {
			return commands[i : i+1]
		}
	}
	return commands
}

// flagError makes mistakes in flags usage errors, and names the flag that one that is not
// there was probably to be.
func flagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); len(words) > 0 && cmd.HasSubCommands() {
		if wrong := cmd.ValidateArgs(words); wrong != nil {
			return wrong // the flag is of a command that there is not
		}
	}
	if _, name, ok := strings.Cut(err.Error(), "unknown flag: --"); ok {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, f.Name)
			}
		})
		if near := nearest.Name(name, known); near != "" {
			err = fmt.Errorf("%w (did you mean --%s?)", err, near)
		}
	}
	return &usageError{err}
}

func commandNames(c *cobra.Command) []string {
	var out []string
	for _, sub := range c.Commands() {
		out = append(out, sub.Name())
	}
	return out
}

// wrapArgs makes mistakes in arguments usage errors.
func wrapArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return &usageError{argsError(c, args, err)}
			}
			return nil
		}
	}
	for _, c := range cmd.Commands() {
		wrapArgs(c)
	}
}

// argsError says what a command takes in place of arguments that it does not.
func argsError(c *cobra.Command, args []string, err error) error {
	known := commandNames(c)
	switch {
	case len(args) > 0 && len(known) > 0:
		err = fmt.Errorf("unknown command %q for %q", args[0], c.CommandPath())
		if near := nearest.Name(args[0], known); near != "" {
			return fmt.Errorf("%w (did you mean %s?)", err, near)
		}
		if c.HasParent() {
			return fmt.Errorf("%w; there are %s", err, strings.Join(known, ", "))
		}
		return err
	case len(args) > 0 && cobra.NoArgs(c, args).Error() == err.Error():
		err = fmt.Errorf("it takes no arguments, and got %q", args[0])
	}
	return fmt.Errorf("%s: %w; write '%s %s'", strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "), err, c.Parent().CommandPath(), c.Use)
}

// addHelpers adds the commands that the command library makes by itself, which would let
// mistakes pass.
func addHelpers(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				switch {
				case err != nil, len(rest) > 0 && found.HasSubCommands():
					return argsError(found, rest, err)
				case len(rest) > 0:
					return fmt.Errorf("%q has no command %q", found.CommandPath(), rest[0])
				}
				return nil
			}
		case "completion":
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}
