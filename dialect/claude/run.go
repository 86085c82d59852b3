package claude

import (
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/process"
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
}

// NewCommand makes the handler of a command hook. It is what Builder.Command is
// when it is nil, with the zero CommandOptions.
func NewCommand(spec CommandSpec, opts CommandOptions) (hook.Handler, error) {
	name := spec.Shell
	if name == "" {
		name = opts.Shell
	}
	shell, err := command.ParseShell(name)
	if err != nil {
		return nil, fmt.Errorf("command hook: %w", err)
	}
	base := opts.Base
	if base == nil {
		base = os.Environ()
	}
	env, _ := process.Environ(base, nil, process.EnvPolicy{Drop: spec.DropEnv, Keep: opts.Keep})
	return &command.Hook{
		Command: spec.Command, Args: spec.Args, Vars: spec.Vars, Shell: shell, Prefix: opts.Prefix, Dirs: spec.Dirs,
		Base: env, Env: spec.Env, Codec: spec.Codec, Limiter: opts.Limiter, Origin: spec.Origin,
	}, nil
}
