package claude

import (
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/httpcall"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/hook"
)

// CommandOptions say how command hooks are run.
type CommandOptions struct {
	// Shell runs hooks that name none; "" is sh.
	Shell string
	// Prefix goes before every shell command.
	Prefix string
	// Base is the environment that hooks inherit from; nil is the program's own.
	// It is filtered: credentials and the like stay out, save those that Keep names.
	Base []string
	Keep []string
	// Limiter bounds how many hooks run at once; nil is no bound.
	Limiter *process.Limiter

	env []string // Base, filtered
}

// dropEnv are patterns of variables that hooks do not inherit beside credentials
// and the like.
func dropEnv() []string { return []string{"OTEL_*"} }

// ready filters the environment once for many hooks.
func (o CommandOptions) ready() CommandOptions {
	if o.env == nil {
		base := o.Base
		if base == nil {
			base = os.Environ()
		}
		o.env, _ = process.Environ(base, nil, process.EnvPolicy{Drop: dropEnv(), Keep: o.Keep})
	}
	return o
}

// NewCommand makes the handler of a command hook.
func NewCommand(spec CommandSpec, opts CommandOptions) (hook.Handler, error) {
	name := spec.Shell
	if name == "" {
		name = opts.Shell
	}
	shell, err := command.ParseShell(name)
	if err != nil {
		return nil, fmt.Errorf("command hook: %w", err)
	}
	return &command.Hook{
		Command: spec.Command, Args: spec.Args, Vars: spec.Vars, Shell: shell, Prefix: opts.Prefix, Dirs: spec.Dirs,
		Base: opts.ready().env, Env: spec.Env, Codec: spec.Codec, Limiter: opts.Limiter, Origin: spec.Origin,
	}, nil
}

// NewHTTP makes the handler of an http hook. A nil client keeps no connection open.
func NewHTTP(spec HTTPSpec, client *httpcall.Client) hook.Handler {
	return &httpcall.Hook{
		URL: spec.URL, Headers: spec.Headers, EnvNames: spec.AllowedEnvVars, Allow: spec.Allow, Client: client, Codec: spec.Codec, Origin: spec.Origin,
	}
}

// NewMCPTool makes the handler of an mcp_tool hook. Without an MCP client it fails.
func NewMCPTool(spec MCPToolSpec, mcp prompt.MCP) hook.Handler {
	return &prompt.Tool{Server: spec.Server, Tool: spec.Tool, Input: spec.Input, MCP: mcp, Codec: spec.Codec, Origin: spec.Origin}
}

// NewPrompt makes the handler of a prompt or agent hook. Without a model it fails.
func NewPrompt(spec PromptSpec, model prompt.Model) hook.Handler {
	return &prompt.Hook{
		Prompt: spec.Prompt, ModelName: spec.Model, Agent: spec.Agent, HaltOnBlock: spec.HaltOnBlock, Model: model, Codec: spec.Codec, Origin: spec.Origin,
	}
}
