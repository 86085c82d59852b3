package main

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/agentsdk"
	"github.com/hookline-dev/hookline/host"
)

// fieldFlags are flags of run that are called as in `claude -p`.
type fieldFlags struct {
	verbose bool
	partial bool
	input   string
	asks    string
	agents  string
	schema  string
	set     *pflag.FlagSet
}

func (f *fieldFlags) add(cmd *cobra.Command, output *string) {
	fl := cmd.Flags()
	f.set = fl
	fl.BoolP("print", "p", true, "print the answer and end, which run always does")
	fl.StringVar(output, "output-format", "text", "the same as --output")
	fl.BoolVar(&f.verbose, "verbose", false, "tell each tool call on standard error, also where nobody is at a terminal")
	fl.Bool("include-hook-events", true, "have hooks in stream-json, which always has them")
	fl.BoolVar(&f.partial, "include-partial-messages", false, "have answers in stream-json as they arrive, too: events of the model's stream")
	fl.StringVar(&f.input, "input-format", "text", "text, or stream-json: prompts and control requests of the Agent SDK, one a line")
	fl.StringVar(&f.asks, "permission-prompt-tool", "", "stdio asks the program that writes stream-json about tool calls")
	fl.StringVar(&f.agents, "agents", "", "further subagents: {\"NAME\": {\"description\": ..., \"prompt\": ...}}")
	fl.StringVar(&f.schema, "json-schema", "", "have an answer that fits this JSON Schema, as structured_output of the result")
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
	{"resume-drops-turn", false, "--resume-session-at leaves out all that came after the message"},
	{"dangerously-skip-permissions", true, "--permission-mode bypassPermissions"},
}

// check refuses what run does not have, by name: nothing is taken and not done.
func (f *fieldFlags) check(output string) error {
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
	streams := f.input == "stream-json"
	switch {
	case !streams && f.input != "text":
		return usagef("--input-format %s: there are text and stream-json", f.input)
	case streams && output != "stream-json":
		return usagef("--input-format stream-json needs --output-format stream-json")
	case f.asks != "" && (f.asks != "stdio" || !streams):
		return usagef("--permission-prompt-tool %s: there is stdio, with --input-format stream-json", f.asks)
	}
	for _, name := range []string{"include-partial-messages", "include-hook-events"} {
		if f.set.Changed(name) && output != "stream-json" {
			return usagef("--%s needs --output-format stream-json", name)
		}
	}
	return nil
}

// subagents reads those of --agents.
func (f *fieldFlags) subagents() ([]subagent.Definition, error) {
	defs, err := agentsdk.ParseAgents(jsontext.Value(f.agents))
	if err != nil {
		return nil, usagef("--agents: %w", err)
	}
	return defs, nil
}

// apply puts the flags into the options of an agent whose messages the stream tells.
func (f *fieldFlags) apply(s *agentsdk.Stream, o *host.Options, ao *host.AgentOptions, defs []subagent.Definition) error {
	ao.Subagents = append(ao.Subagents, defs...)
	if f.schema == "" {
		return nil
	}
	if err := s.Answer(jsontext.Value(f.schema), o, ao); err != nil {
		return usagef("--json-schema: %w", err)
	}
	return nil
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
