package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/permission/rule"
)

// fieldFlags are flags of run that are called as in `claude -p`.
type fieldFlags struct {
	verbose              bool
	allowed, disallowed  []string
	system, appendSystem string
	effort               string
	thinking             int
	set                  *pflag.FlagSet
}

func (f *fieldFlags) add(cmd *cobra.Command, output *string) {
	fl := cmd.Flags()
	f.set = fl
	fl.BoolP("print", "p", true, "print the answer and end, which run always does")
	fl.StringVar(output, "output-format", "text", "the same as --output")
	fl.BoolVar(&f.verbose, "verbose", false, "tell each tool call on standard error, also where nobody is at a terminal")
	fl.Bool("include-hook-events", true, "have hooks in stream-json, which always has them")
	fl.StringArrayVar(&f.allowed, "allowedTools", nil, "rules that allow tool calls, by commas or blanks: \"Bash(git log:*) Edit\" (repeatable)")
	fl.StringArrayVar(&f.disallowed, "disallowedTools", nil, "rules that refuse tool calls (repeatable)")
	fl.StringVar(&f.system, "system-prompt", "", "the system prompt, in place of the built-in one")
	fl.StringVar(&f.appendSystem, "append-system-prompt", "", "put this behind the system prompt")
	fl.StringVar(&f.effort, "effort", "", "how hard the model tries, in its provider's words, such as low or high")
	fl.IntVar(&f.thinking, "max-thinking-tokens", 0, "how many tokens the model may think with")
	for _, r := range refusedFlags {
		if r.alone {
			fl.Bool(r.name, false, "")
		} else {
			fl.String(r.name, "", "")
		}
		_ = fl.MarkHidden(r.name)
	}
}

// refusedFlags are flags of `claude -p` that run does not have, with what to do instead;
// alone says that no value stands behind it.
var refusedFlags = []struct {
	name    string
	alone   bool
	instead string
}{
	{"input-format", false, "the prompt is text; 'hookline rpc' takes several over lines of JSON"},
	{"include-partial-messages", true, "'hookline rpc' has the text as it arrives"},
	{"permission-prompt-tool", false, "'hookline rpc' asks the program that embeds the agent"},
	{"tools", false, "--disallowedTools refuses tools"},
	{"mcp-config", false, "write the servers into .mcp.json of the project"},
	{"strict-mcp-config", true, "servers come from .mcp.json of the project only"},
	{"add-dir", false, "name it in permissions.additionalDirectories of a settings file"},
	{"setting-sources", false, "--no-hooks loads no hooks but the administrator's"},
	{"plugin-dir", false, "'hookline plugin add DIR' installs it"},
	{"max-budget-usd", false, "--max-tokens bounds what a prompt uses"},
	{"fallback-model", false, "a model that fails is asked again; --model names another"},
	{"session-id", false, "sessions get ids of their own; --output json tells it"},
	{"fork-session", true, "'hookline rpc' has the request branch"},
	{"no-session-persistence", true, "sessions are kept in the state directory"},
	{"json-schema", false, "say in the prompt which JSON you want"},
	{"thinking", false, "--max-thinking-tokens says how much the model may think"},
	{"system-prompt-file", false, "--system-prompt \"$(cat FILE)\""},
	{"agent", false, "ask in the prompt for the subagent"},
	{"betas", false, "no beta headers are sent"},
	{"resume-session-at", false, "'hookline rpc' has the request navigate"},
	{"task-budget", false, "--max-tokens bounds what a prompt uses"},
	{"dangerously-skip-permissions", true, "--permission-mode bypassPermissions"},
}

// check refuses what run does not have, by name: nothing is taken and not done.
func (f *fieldFlags) check() error {
	for _, r := range refusedFlags {
		if f.set.Changed(r.name) {
			return usagef("--%s is not there: %s", r.name, r.instead)
		}
	}
	for _, name := range []string{"print", "include-hook-events"} {
		if on, err := f.set.GetBool(name); err != nil || !on {
			return usagef("--%s=false is not there: run does it always", name)
		}
	}
	if f.set.Changed("output") && f.set.Changed("output-format") {
		return usagef("give --output or --output-format, not both")
	}
	if f.thinking < 0 {
		return usagef("--max-thinking-tokens takes no negative number")
	}
	return nil
}

// apply puts the flags into the options of an agent.
func (f *fieldFlags) apply(ao *host.AgentOptions) error {
	for _, list := range []struct {
		flag     string
		texts    []string
		behavior permission.Behavior
	}{{"allowedTools", f.allowed, permission.Allow}, {"disallowedTools", f.disallowed, permission.Deny}} {
		for _, text := range list.texts {
			for _, one := range splitRules(text) {
				r, err := rule.Parse(one)
				if err != nil {
					return usagef("--%s %s: %w", list.flag, one, err)
				}
				ao.Rules = append(ao.Rules, permission.Entry{Rule: r, Behavior: list.behavior, Scope: permission.ScopeCLI})
			}
		}
	}
	ao.Change = func(c *agent.Config) {
		if f.set.Changed("system-prompt") {
			c.System = []string{f.system}
		} else if f.appendSystem != "" {
			c.System = []string{agent.DefaultSystem}
		}
		if f.appendSystem != "" {
			c.System = append(c.System, f.appendSystem)
		}
		c.Effort, c.ThinkingBudget = f.effort, f.thinking
	}
	return nil
}

// splitRules splits a list of rules at commas and blanks that stand outside parentheses.
func splitRules(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0 && (r == ',' || r == ' ' || r == '\n' || r == '\t')
	})
}

// asRun puts run before arguments that begin with one of its flags, as a program does that
// starts the agent like `claude -p`. Flags of the root command may stand before it.
func asRun(root *cobra.Command, args []string) []string {
	run, _, err := root.Find([]string{"run"})
	if err != nil {
		return args
	}
	common := root.PersistentFlags()
	for i := 0; i < len(args) && strings.HasPrefix(args[i], "-") && args[i] != "-" && args[i] != "--"; i++ {
		name, _, valued := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		find := func(fl *pflag.FlagSet) *pflag.Flag {
			if strings.HasPrefix(args[i], "--") {
				return fl.Lookup(name)
			}
			return fl.ShorthandLookup(fmt.Sprintf("%.1s", name))
		}
		flag := find(common)
		if flag == nil {
			if name != "" && find(run.Flags()) != nil {
				return append([]string{run.Name()}, args...)
			}
			return args
		}
		attached := valued || !strings.HasPrefix(args[i], "--") && len(name) > 1
		if flag.NoOptDefVal == "" && !attached {
			i++ // its value
		}
	}
	return args
}
