package discovery

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/httpcall"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/hook"
)

// builder says how entries of settings files become handlers.
func (s *claudeSource) builder() claude.Builder {
	l := s.l
	cfg := l.opts.Config.Claude
	to, err := claude.ParseMessageTo(cfg.SystemMessage)
	if err != nil {
		to = claude.ToBoth // the configuration's reader has reported the word
	}
	return claude.Builder{
		Codec:      claude.NewCodec(claude.CodecOptions{SystemMessage: to, StopOnContinueTrue: cfg.StopOnContinueTrue, Overflow: l.overflow}),
		ProjectDir: l.opts.Dirs.Project, StartDir: l.opts.StartDir, Home: l.opts.Dirs.Home, Entrypoint: "cli",
		EnvFile: l.opts.Hosting.EnvFile, Traceparent: l.opts.Hosting.Traceparent,
		Command: l.command, Worker: l.worker, HTTP: l.http, Prompt: l.prompt, MCPTool: l.mcpTool,
	}
}

func (l *Loader) command(spec claude.CommandSpec) (hook.Handler, error) {
	name := spec.Shell
	if name == "" {
		name = l.opts.Config.Command.Shell
	}
	shell, err := command.ParseShell(name)
	if err != nil {
		return nil, err
	}
	base, _ := process.Environ(l.env, nil, process.EnvPolicy{Keep: l.opts.Config.EnvAllow, Drop: spec.DropEnv})
	h := &command.Hook{
		Command: spec.Command, Args: spec.Args, Vars: spec.Vars, Shell: shell, Prefix: l.opts.Config.Command.ShellPrefix,
		Dirs: spec.Dirs, Base: base, Env: spec.Env, Codec: spec.Codec, Limiter: l.limiter, Origin: spec.Origin,
		Prewarm: l.prewarm(spec.Entry.Label(), spec.Entry.Prewarm), Pool: l.pool,
	}
	l.made[spec.Entry] = h
	return h, nil
}

// prewarm is how many processes of a hook wait ahead of time: what its definition
// says, or the configuration for its name.
func (l *Loader) prewarm(name string, n int) int {
	for pattern, m := range l.opts.Config.Prewarm {
		if ok, err := filepath.Match(pattern, name); err == nil && ok || pattern == name {
			return m
		}
	}
	return n
}

func (l *Loader) http(spec claude.HTTPSpec) (hook.Handler, error) {
	return &httpcall.Hook{
		URL: spec.URL, Headers: spec.Headers, EnvNames: spec.AllowedEnvVars, Allow: spec.Allow, Origin: spec.Origin, LookupEnv: l.lookupEnv, Client: l.httpClient, Codec: spec.Codec,
	}, nil
}

func (l *Loader) prompt(spec claude.PromptSpec) (hook.Handler, error) {
	return &prompt.Hook{
		Prompt: spec.Prompt, ModelName: spec.Model, Agent: spec.Agent, HaltOnBlock: spec.HaltOnBlock, Origin: spec.Origin,
		Model: l.opts.Hosting.Model, Codec: spec.Codec,
	}, nil
}

func (l *Loader) mcpTool(spec claude.MCPToolSpec) (hook.Handler, error) {
	return &prompt.Tool{Server: spec.Server, Tool: spec.Tool, Input: spec.Input, MCP: l.opts.Hosting.MCP, Codec: spec.Codec, Origin: spec.Origin}, nil
}

// lookupEnv looks a variable up in the host's environment: an http hook names the
// variables that it may see, credentials among them.
func (l *Loader) lookupEnv(name string) (string, bool) {
	for _, kv := range hostEnviron(l.opts.Environ) {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:], true
		}
	}
	return "", false
}

// overflow keeps a text that is too long for the model in a file.
func (l *Loader) overflow(text string) (string, error) {
	dir := filepath.Join(l.opts.Dirs.State, "overflow")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keep a long text: %w", err)
	}
	f, err := os.CreateTemp(dir, "text-*.txt")
	if err != nil {
		return "", fmt.Errorf("keep a long text: %w", err)
	}
	if _, err := f.WriteString(text); err != nil {
		return "", fmt.Errorf("keep a long text: %w", errorsJoinClose(f, err))
	}
	return f.Name(), f.Close()
}

func errorsJoinClose(f *os.File, err error) error {
	_ = f.Close()
	_ = os.Remove(f.Name())
	return err
}
