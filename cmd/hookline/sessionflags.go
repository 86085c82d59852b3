package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/pflag"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/permission"
)

// sessionFlags say what a session of the agent works with. They are called as in `claude -p`.
type sessionFlags struct {
	allowed, disallowed, tools []string
	addDirs, mcpConfig         []string
	onlyMCP                    bool
	system, appendSystem       string
	systemFile, appendFile     string
	effort, thinking, agent    string
	thinkingTokens             int
	fallback, betas            []string
	maxUSD                     float64
	taskBudget                 int64
	id, at                     string
	fork, memory               bool
	dir                        string // what relative paths begin at
}

func (f *sessionFlags) add(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.allowed, "allowedTools", nil, "rules that allow tool calls, by commas or blanks: \"Bash(git log:*) Edit\" (repeatable)")
	fl.StringArrayVar(&f.disallowed, "disallowedTools", nil, "rules that refuse tool calls (repeatable)")
	fl.StringArrayVar(&f.tools, "tools", nil, "the built-in tools to offer, such as \"Bash,Read\"; \"\" is none, \"default\" all (repeatable)")
	fl.StringArrayVar(&f.addDirs, "add-dir", nil, "work in this directory too (repeatable)")
	fl.StringArrayVar(&f.mcpConfig, "mcp-config", nil, "use the MCP servers of this file, or of this JSON, without asking (repeatable)")
	fl.BoolVar(&f.onlyMCP, "strict-mcp-config", false, "use no MCP servers but those of --mcp-config")
	fl.StringVar(&f.system, "system-prompt", "", "the system prompt, in place of the built-in one")
	fl.StringVar(&f.systemFile, "system-prompt-file", "", "a file with the system prompt, in place of the built-in one")
	fl.StringVar(&f.appendSystem, "append-system-prompt", "", "put this behind the system prompt")
	fl.StringVar(&f.appendFile, "append-system-prompt-file", "", "put the text of this file behind the system prompt")
	fl.StringVar(&f.effort, "effort", "", "how hard the model tries, in its provider's words, such as low or high")
	fl.StringVar(&f.thinking, "thinking", "", "adaptive, the model's own choice, or disabled")
	fl.IntVar(&f.thinkingTokens, "max-thinking-tokens", 0, "how many tokens the model may think with")
	fl.StringVar(&f.agent, "agent", "", "work as this subagent: with its prompt, tools and model")
	fl.StringSliceVar(&f.fallback, "fallback-model", nil, "the models that answer, in this order, while the model is not available")
	fl.StringSliceVar(&f.betas, "betas", nil, "features of Anthropic's API to turn on, by the names of its beta headers")
	fl.Float64Var(&f.maxUSD, "max-budget-usd", 0, "end a prompt when the models have cost this much in US dollars")
	fl.Int64Var(&f.taskBudget, "task-budget", 0, "tell the model that it has this many tokens for the session, a feature of Anthropic's API")
	fl.StringVar(&f.at, "resume-session-at", "", "with --resume, go on after this message, by its uuid in stream-json, and leave out what came later")
	fl.StringVar(&f.id, "session-id", "", "the id of the new session, a UUID")
	fl.BoolVar(&f.fork, "fork-session", false, "with --resume or --continue, go on in a new session that begins as a copy")
	fl.BoolVar(&f.memory, "no-session-persistence", false, "keep the session in memory only; it can't be resumed")
}

// apply checks the flags and puts them into the options of an agent.
func (f *sessionFlags) apply(ao *host.AgentOptions, changed func(flag string) bool) (err error) {
	goesOn := ao.Resume != "" || ao.Continue
	switch {
	case f.fork && !goesOn:
		return usagef("--fork-session needs --resume or --continue")
	case changed("session-id") && goesOn && !f.fork:
		return usagef("--session-id is for a new session; with --resume or --continue give --fork-session too")
	case changed("resume-session-at") && (ao.Resume == "" || f.at == ""):
		return usagef("--resume-session-at needs the uuid of a message, and --resume")
	case changed("task-budget") && f.taskBudget <= 0:
		return usagef("--task-budget takes a number above 0")
	case changed("max-budget-usd") && !(f.maxUSD > 0):
		return usagef("--max-budget-usd takes a number above 0")
	case !slices.Contains([]string{"", "adaptive", "disabled"}, f.thinking):
		return usagef("--thinking %s: there are adaptive and disabled; --max-thinking-tokens gives a number", f.thinking)
	case f.thinking == "disabled" && f.thinkingTokens > 0:
		return usagef("give --thinking disabled or --max-thinking-tokens, not both")
	case f.thinkingTokens < 0:
		return usagef("--max-thinking-tokens takes no negative number")
	case changed("session-id") && uuid.Validate(f.id) != nil:
		return usagef("--session-id %q is not a UUID, such as %s", f.id, uuid.NewString())
	}
	ao.SessionID, ao.Fork, ao.NoPersistence = f.id, f.fork, f.memory
	ao.MaxUSD, ao.Fallbacks, ao.Betas = f.maxUSD, f.fallback, f.betas
	ao.TaskBudget, ao.ResumeAt = f.taskBudget, f.at
	ao.Effort, ao.AddDirs, ao.OnlyServers = f.effort, f.addDirs, f.onlyMCP
	ao.Thinking, ao.Agent = f.thinkingTokens, f.agent
	if changed("tools") {
		ao.BuiltIn = f.builtIn()
	}
	if ao.System, err = f.systemPrompt(changed); err != nil {
		return err
	}
	if ao.Servers, err = f.servers(); err != nil {
		return err
	}
	return f.rules(ao)
}

// rules adds the rules that the flags bring.
func (f *sessionFlags) rules(ao *host.AgentOptions) error {
	for _, list := range []struct {
		flag     string
		texts    []string
		behavior permission.Behavior
	}{{"allowedTools", f.allowed, permission.Allow}, {"disallowedTools", f.disallowed, permission.Deny}} {
		for _, text := range list.texts {
			for _, one := range splitRules(text) {
				r, err := permission.ParseRule(one)
				if err != nil {
					return usagef("--%s %s: %w", list.flag, one, err)
				}
				ao.Rules = append(ao.Rules, permission.Entry{Rule: r, Behavior: list.behavior, Scope: permission.ScopeCLI})
			}
		}
	}
	return nil
}

// builtIn names the built-in tools that are asked for, nil for all.
func (f *sessionFlags) builtIn() []string {
	names := []string{}
	for _, text := range f.tools {
		names = append(names, splitRules(text)...)
	}
	if slices.Contains(names, "default") {
		return nil
	}
	for i, name := range names {
		if name == "Task" { // as the tool was once called
			names[i] = "Agent"
		}
	}
	return names
}

// systemPrompt is the system prompt in pieces, nil for the built-in one.
func (f *sessionFlags) systemPrompt(changed func(flag string) bool) ([]string, error) {
	var err error
	text := func(flag, text, file string) string {
		if err != nil || !changed(flag+"-file") {
			return text
		}
		if changed(flag) {
			err = usagef("give --%s or --%[1]s-file, not both", flag)
			return ""
		}
		var b []byte
		if b, err = os.ReadFile(f.path(file)); err != nil {
			err = usagef("--%s-file: %w", flag, err)
		}
		return string(b)
	}
	system := text("system-prompt", f.system, f.systemFile)
	behind := text("append-system-prompt", f.appendSystem, f.appendFile)
	var out []string
	if changed("system-prompt") || f.systemFile != "" {
		out = []string{system}
	} else if behind != "" {
		out = []string{agent.DefaultSystem}
	}
	if behind != "" {
		out = append(out, behind)
	}
	return out, err
}

// servers are the MCP servers that the flags bring; the last of a name counts.
func (f *sessionFlags) servers() ([]mcp.Server, error) {
	var out []mcp.Server
	for _, text := range f.mcpConfig {
		path, data := "--mcp-config", []byte(text)
		if !dialect.InPlace(text) {
			var err error
			path = f.path(text)
			if data, err = os.ReadFile(path); err != nil {
				return nil, usagef("--mcp-config: %w", err)
			}
		}
		servers, err := mcp.ParseConfig(data, path)
		if err != nil {
			return nil, usagef("--mcp-config: %w", err)
		}
		for _, s := range servers {
			out = slices.DeleteFunc(out, func(o mcp.Server) bool { return mcp.SameTools(o.Name, s.Name) })
			out = append(out, s)
		}
	}
	return out, nil
}

func (f *sessionFlags) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.dir, name)
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
