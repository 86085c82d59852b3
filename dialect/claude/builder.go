package claude

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect/worker"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/httpcall"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/hook"
)

// Builder says how entries become registrations. Only Group and ProjectDir are
// needed.
type Builder struct {
	// Group is the parallel group that the registrations belong to.
	Group *hook.Group
	// Codec is the codec of the handlers; nil is the zero Codec.
	Codec *Codec

	// ProjectDir is the project's root, absolute; it does not follow a change of
	// directory. StartDir is where the program was started, Home the person's home
	// directory.
	ProjectDir, StartDir, Home string
	// AgentID is the running agent that the hooks of an agent's frontmatter are
	// for. Without one they are left out.
	AgentID string
	// SkillUsed reports whether the skill whose SKILL.md is at a path is used, while its
	// hooks run; nil is always.
	SkillUsed func(path string) bool
	// SessionEndBudget replaces fileSet.SessionEndBudget when it is not 0.
	SessionEndBudget time.Duration

	// Entrypoint says how the program was started (cli, sdk-go, ...); Remote says
	// that it runs on a remote machine.
	Entrypoint string
	Remote     bool
	// EnvFile returns the file to which hooks of a call may append variables for
	// later shell commands, "" for none; Traceparent the trace context. Either may
	// be nil.
	EnvFile     func(call *hook.Call) string
	Traceparent func(call *hook.Call) string

	// Commands say how command hooks are run, HTTP how requests are sent. MCP calls the
	// tools of mcp_tool hooks, Model answers prompt and agent hooks, and Workers holds
	// what entries of type worker start; without them such hooks are registered and fail.
	Commands CommandOptions
	HTTP     HTTPOptions
	MCP      prompt.MCP
	Model    prompt.Model
	Workers  *worker.Pool
}

// CommandOptions say how command hooks are run. The zero value runs them in sh with
// the program's environment, without what looks like credentials.
type CommandOptions struct {
	// Shell runs hooks that name none; "" is sh.
	Shell string
	// Prefix goes before every shell command.
	Prefix string
	// Base is the environment that hooks inherit from; nil is the program's own.
	// It is filtered: credentials and the like stay out, save those that Keep names.
	Base []string
	Keep []string
	// Limiter bounds how many hooks run at once; nil means no bound.
	Limiter *process.Limiter
	// Pool keeps processes that are started ahead, and Prewarm says how many for a hook
	// of a name whose entry asks for n; without it none are.
	Pool    *process.Pool
	Prewarm func(name string, n int) int

	env []string // Base, filtered
}

// HTTPOptions say how requests of http hooks are sent.
type HTTPOptions struct {
	// Client sends them; nil is a client of the hook's own.
	Client *httpcall.Client
	// LookupEnv looks up the variables that headers name; nil looks in the program's
	// environment.
	LookupEnv func(name string) (string, bool)
}

// dropEnv are patterns of variables that hooks of the dialect do not inherit.
func dropEnv() []string { return []string{"OTEL_*"} }

// ready filters the environment, once for all hooks.
func (o CommandOptions) ready() CommandOptions {
	base := o.Base
	if base == nil {
		base = os.Environ()
	}
	o.env, _ = process.Environ(base, nil, process.EnvPolicy{Drop: dropEnv(), Keep: o.Keep})
	return o
}

// handler makes the handler of an entry. Commands are ready.
func (b *Builder) handler(f *Settings, set *fileSet, e *Entry) (hook.Handler, error) {
	codec := b.Codec
	if codec == nil {
		codec = &Codec{}
	}
	k := e.Type.row()
	if k == nil {
		return nil, fmt.Errorf("there is no type of hooks %q", e.Type)
	}
	return k.handler(b, e, surroundings{file: f, set: set, codec: codec, label: e.Label()})
}

// request makes the handler of an http hook.
func (b *Builder) request(e *Entry, in surroundings) (hook.Handler, error) {
	allowed, _ := in.set.allowedEnv(in.file, e.AllowedEnvVars)
	return &httpcall.Hook{
		URL: e.URL, Headers: maps.Clone(e.Headers), EnvNames: allowed, Allow: in.set.allowedURLs(in.file), Origin: in.file.origin(),
		LookupEnv: b.HTTP.LookupEnv, Client: b.HTTP.Client, Codec: in.codec.ForHTTP(),
	}, nil
}

// tool makes the handler of an mcp_tool hook.
func (b *Builder) tool(e *Entry, in surroundings) (hook.Handler, error) {
	input := e.Input
	if input.IsZero() {
		input = hook.RawJSON("{}")
	}
	return &prompt.Tool{Server: e.Server, Tool: e.Tool, Input: input, MCP: b.MCP, Codec: in.codec, Origin: in.file.origin()}, nil
}

// question makes the handler of a prompt or agent hook.
func (b *Builder) question(e *Entry, in surroundings) (hook.Handler, error) {
	return &prompt.Hook{
		Prompt: e.Prompt, ModelName: e.Model, Agent: e.Type == TypeAgent, HaltOnBlock: !e.Event.Spec().KeepsGoing() && !e.ContinueOnBlock,
		Model: b.Model, Codec: in.codec, Origin: in.file.origin(),
	}, nil
}

// command makes the handler of a command. Values of variables reach a shell by the
// environment only.
func (b *Builder) command(e *Entry, in surroundings) (hook.Handler, error) {
	name := e.Shell
	if name == "" {
		name = b.Commands.Shell
	}
	shell, err := command.ParseShell(name)
	if err != nil {
		return nil, err
	}
	vars := in.file.vars(b.ProjectDir)
	h := &command.Hook{
		Command: b.line(e, vars), Args: slices.Clone(e.Args), Vars: vars, Shell: shell, Prefix: b.Commands.Prefix, Dirs: b.dirs(),
		Base: b.Commands.env, Env: b.env(in.file, e, vars), Codec: in.codec, Limiter: b.Commands.Limiter, Origin: in.file.origin(), Pool: b.Commands.Pool,
	}
	if b.Commands.Prewarm != nil {
		h.Prewarm = b.Commands.Prewarm(in.label, e.Prewarm)
	}
	return h, nil
}

// worker makes the handler of a worker, which entries with the same command share.
func (b *Builder) worker(e *Entry, in surroundings) (hook.Handler, error) {
	if b.Workers == nil {
		return nil, errors.New("workers cannot run here")
	}
	vars := in.file.vars(b.ProjectDir)
	var unknown []string // they stay as they are
	path, args := command.Expand(e.Command, vars, &unknown), make([]string, len(e.Args))
	for i, arg := range e.Args {
		args[i] = command.Expand(arg, vars, &unknown)
	}
	if e.Args == nil {
		sh, err := exec.LookPath("sh")
		if err != nil {
			return nil, fmt.Errorf("a worker without args needs a shell: %w", err)
		}
		path, args = sh, []string{"-c", "exec " + b.line(e, vars)}
	}
	env := b.env(in.file, e, vars)(&hook.Call{Input: e.Event.Spec().New()})
	return b.Workers.Entry(e.Event, worker.Spec{
		Name: in.label, Path: path, Args: args, Dir: b.ProjectDir, Env: slices.Concat(b.Commands.Base, env),
	}), nil
}

// line is a command as its shell gets it.
func (b *Builder) line(e *Entry, vars map[string]string) string {
	if e.Args != nil || !isPowerShell(e.Shell) {
		return e.Command
	}
	// There, ${NAME} is a variable of the shell, not of the environment.
	return replaceVars(e.Command, func(name string) (string, bool) {
		_, ours := vars[name]
		return "${env:" + name + "}", ours && strings.HasPrefix(name, "CLAUDE_")
	})
}

// env returns what a call's environment has beside what it inherits; later ones win.
func (b *Builder) env(f *Settings, e *Entry, vars map[string]string) func(call *hook.Call) []string {
	static := b.staticEnv(f, vars)
	own := make([]string, 0, len(e.Env))
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		own = append(own, name+"="+e.Env[name])
	}
	return func(call *hook.Call) []string { return slices.Concat(own, static, b.callEnv(call)) }
}

// dirs are the directories to work in when the session's is gone.
func (b *Builder) dirs() []string {
	return slices.DeleteFunc([]string{b.StartDir, b.ProjectDir, b.Home, os.TempDir()}, func(s string) bool { return s == "" })
}

func isPowerShell(shell string) bool { return shell == "powershell" || shell == "pwsh" }

// origin tells apart copies of hooks: a plugin's or a skill's is another hook than
// the same text in a settings file.
func (f *Settings) origin() string {
	switch {
	case f.Scope == ScopeSkill || f.Scope == ScopeAgent:
		return f.Scope.String() + " " + f.Path
	case f.Plugin != nil:
		return "plugin " + f.Plugin.Name
	}
	return ""
}

// root is what CLAUDE_PLUGIN_ROOT is for a file's hooks: their plugin's directory, or
// that of a skill which no plugin brought; "" for others.
func (f *Settings) root() string {
	switch {
	case f.Plugin != nil:
		return f.Plugin.Root
	case f.Scope == ScopeSkill:
		return filepath.Dir(f.Path)
	}
	return ""
}

// pluginRoot is the directory of the plugin that a file's hooks come from, "" for none.
func (f *Settings) pluginRoot() string {
	if f.Plugin == nil {
		return ""
	}
	return f.Plugin.Root
}

// vars are the values of ${NAME} in a file's commands.
func (f *Settings) vars(project string) map[string]string {
	vars := map[string]string{"CLAUDE_PROJECT_DIR": project}
	if root := f.root(); root != "" {
		vars["CLAUDE_PLUGIN_ROOT"] = root
	}
	if p := f.Plugin; p != nil {
		vars["CLAUDE_PLUGIN_DATA"] = p.Data
		for k, v := range p.Config {
			vars["user_config."+k] = v
		}
	}
	return vars
}

// staticEnv is the environment that is the same for every call.
func (b *Builder) staticEnv(f *Settings, vars map[string]string) []string {
	env := []string{"CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_PID=" + strconv.Itoa(os.Getpid())}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if strings.HasPrefix(name, "CLAUDE_") {
			env = append(env, name+"="+vars[name])
		}
	}
	if b.Entrypoint != "" {
		env = append(env, "CLAUDE_CODE_ENTRYPOINT="+b.Entrypoint)
	}
	if b.Remote {
		env = append(env, "CLAUDE_CODE_REMOTE=true")
	}
	if f.Plugin != nil {
		for _, k := range slices.Sorted(maps.Keys(f.Plugin.Config)) {
			env = append(env, "CLAUDE_PLUGIN_OPTION_"+envName(k)+"="+f.Plugin.Config[k])
		}
	}
	return env
}

// envName makes an option's key part of a variable's name.
func envName(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, key)
}

// callEnv is the environment that a call adds.
func (b *Builder) callEnv(call *hook.Call) []string {
	base := call.Input.Base()
	env := []string{"CLAUDE_CODE_SESSION_ID=" + base.SessionID}
	if base.Effort != nil {
		env = append(env, "CLAUDE_EFFORT="+base.Effort.Level)
	}
	if b.Traceparent != nil {
		if tp := b.Traceparent(call); tp != "" {
			env = append(env, "TRACEPARENT="+tp)
		}
	}
	switch call.Input.Event() {
	case hook.EventSessionStart, hook.EventSetup, hook.EventCwdChanged, hook.EventFileChanged:
		if b.EnvFile != nil && call.Hook != nil { // what starts ahead of its calls has no file of a run
			if path := b.EnvFile(call); path != "" {
				env = append(env, "CLAUDE_ENV_FILE="+path)
			}
		}
	}
	return env
}

// replaceVars replaces each ${NAME} for which value has one.
func replaceVars(s string, value func(name string) (string, bool)) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, "${")
		out.WriteString(before)
		name, rest, closed := strings.Cut(after, "}")
		if !found || !closed {
			if found {
				out.WriteString("${" + after)
			}
			return out.String()
		}
		if v, ok := value(name); ok {
			out.WriteString(v)
			s = rest
			continue
		}
		out.WriteString("${")
		s = after
	}
}
