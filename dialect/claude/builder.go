package claude

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/httpcall"
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
	// SessionEndBudget replaces Set.SessionEndBudget when it is not 0.
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

	// Commands say how command hooks are run. Client sends the requests of http
	// hooks, MCP calls the tools of mcp_tool hooks, and Model answers prompt and
	// agent hooks; without MCP or Model such hooks are registered and fail.
	Commands CommandOptions
	Client   *httpcall.Client
	MCP      prompt.MCP
	Model    prompt.Model

	// Factories make the handlers in another way; nil is NewCommand, NewHTTP,
	// NewMCPTool and NewPrompt with the fields above.
	Command func(CommandSpec) (hook.Handler, error)
	// Worker makes the handler of a worker, which other entries with the same command
	// share; nil refuses workers.
	Worker  func(CommandSpec) (hook.Handler, error)
	HTTP    func(HTTPSpec) (hook.Handler, error)
	MCPTool func(MCPToolSpec) (hook.Handler, error)
	Prompt  func(PromptSpec) (hook.Handler, error)
}

// CommandSpec is a command hook, ready to be run.
type CommandSpec struct {
	Entry *Entry
	// Command is the line for the shell or, when Args is not nil, the program.
	// Values of variables reach a shell by the environment only.
	Command string
	Args    []string
	// Vars are the values of ${NAME} in the exec form.
	Vars map[string]string
	// Shell is "" for the default, sh, bash or powershell.
	Shell string
	// Env returns the variables of a call as KEY=VALUE; later ones win.
	Env func(call *hook.Call) []string
	// DropEnv are patterns of variables that hooks do not inherit.
	DropEnv []string
	// Dirs are the directories to work in when the session's is gone.
	Dirs []string
	// Origin tells apart copies of a hook that count as different ones.
	Origin string
	Codec  handler.Codec
}

// HTTPSpec is an http hook.
type HTTPSpec struct {
	Entry *Entry
	URL   string
	// Headers may have $NAME and ${NAME} for AllowedEnvVars.
	Headers        map[string]string
	AllowedEnvVars []string
	// Allow is the list of URL patterns that the hook and its redirects may reach;
	// nil sets no limit.
	Allow  []string
	Origin string
	Codec  handler.Codec
}

// MCPToolSpec is an mcp_tool hook. ${path.in.input} in strings of Input stands for
// a value of the event's input.
type MCPToolSpec struct {
	Entry        *Entry
	Server, Tool string
	Input        hook.JSON
	Origin       string
	Codec        handler.Codec
}

// PromptSpec is a prompt or agent hook. $ARGUMENTS in Prompt stands for the event's
// input, which is appended where it does not occur.
type PromptSpec struct {
	Entry  *Entry
	Prompt string
	Model  string
	// Agent says that a subagent with tools answers.
	Agent bool
	// HaltOnBlock says that an objection ends the run: the hook comes after a tool
	// has run and does not ask to go on with the reason as feedback.
	HaltOnBlock bool
	Origin      string
	Codec       handler.Codec
}

// handler makes the handler of an entry.
func (b *Builder) handler(f *Settings, set *Set, e *Entry) (hook.Handler, error) {
	codec := b.Codec
	if codec == nil {
		codec = &Codec{}
	}
	switch e.Type {
	case TypeHTTP:
		allowed, _ := set.allowedEnv(e.AllowedEnvVars)
		spec := HTTPSpec{
			Entry: e, URL: e.URL, Headers: maps.Clone(e.Headers), AllowedEnvVars: allowed, Allow: set.allowedURLs(),
			Origin: f.origin(), Codec: codec.ForHTTP(),
		}
		if b.HTTP != nil {
			return b.HTTP(spec)
		}
		return NewHTTP(spec, b.Client), nil
	case TypeMCPTool:
		spec := MCPToolSpec{Entry: e, Server: e.Server, Tool: e.Tool, Input: e.Input, Origin: f.origin(), Codec: codec}
		if spec.Input.IsZero() {
			spec.Input = hook.RawJSON("{}")
		}
		if b.MCPTool != nil {
			return b.MCPTool(spec)
		}
		return NewMCPTool(spec, b.MCP), nil
	case TypePrompt, TypeAgent:
		spec := PromptSpec{
			Entry: e, Prompt: e.Prompt, Model: e.Model, Agent: e.Type == TypeAgent,
			HaltOnBlock: afterTools(e.Event) && !e.ContinueOnBlock, Origin: f.origin(), Codec: codec,
		}
		if b.Prompt != nil {
			return b.Prompt(spec)
		}
		return NewPrompt(spec, b.Model), nil
	}
	spec := b.command(f, e, codec)
	if e.Type == TypeWorker {
		if b.Worker == nil {
			return nil, errors.New("workers cannot run here")
		}
		return b.Worker(spec)
	}
	if b.Command != nil {
		return b.Command(spec)
	}
	return NewCommand(spec, b.Commands)
}

// afterTools reports whether an event comes after tools have run.
func afterTools(ev hook.Event) bool {
	return ev == hook.EventPostToolUse || ev == hook.EventPostToolUseFailure || ev == hook.EventPostToolBatch
}

// command makes the spec of a command hook.
func (b *Builder) command(f *Settings, e *Entry, codec *Codec) CommandSpec {
	vars := b.vars(f)
	line := e.Command
	if e.Args == nil && isPowerShell(e.Shell) {
		// There, ${NAME} is a variable of the shell, not of the environment.
		line = replaceVars(line, func(name string) (string, bool) {
			_, ours := vars[name]
			return "${env:" + name + "}", ours && strings.HasPrefix(name, "CLAUDE_")
		})
	}
	static := b.staticEnv(f, vars)
	own := make([]string, 0, len(e.Env))
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		own = append(own, name+"="+e.Env[name])
	}
	return CommandSpec{
		Entry: e, Command: line, Args: slices.Clone(e.Args), Vars: vars, Shell: e.Shell, Origin: f.origin(), Codec: codec,
		Env: func(call *hook.Call) []string {
			return slices.Concat(own, static, b.callEnv(call))
		},
		DropEnv: dropEnv(),
		Dirs:    slices.DeleteFunc([]string{b.StartDir, b.ProjectDir, b.Home, os.TempDir()}, func(s string) bool { return s == "" }),
	}
}

func isPowerShell(shell string) bool { return shell == "powershell" || shell == "pwsh" }

// origin tells apart copies of hooks: a plugin's or a skill's is another hook than
// the same text in a settings file.
func (f *Settings) origin() string {
	switch {
	case f.Plugin != nil:
		return "plugin " + f.Plugin.Name
	case f.Scope == ScopeSkill || f.Scope == ScopeAgent:
		return f.Scope.String() + " " + f.Path
	}
	return ""
}

// vars are the values of ${NAME} in a file's commands.
func (b *Builder) vars(f *Settings) map[string]string {
	vars := map[string]string{"CLAUDE_PROJECT_DIR": b.ProjectDir}
	if p := f.Plugin; p != nil {
		vars["CLAUDE_PLUGIN_ROOT"], vars["CLAUDE_PLUGIN_DATA"] = p.Root, p.Data
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
