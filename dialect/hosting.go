package dialect

import (
	"context"

	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// Hosting is what an agent offers to the hooks that need one. The zero value
// offers nothing: prompt hooks report that they need a model, and script modules
// have no person and no session.
type Hosting struct {
	// EnvFile returns the file to which hooks of a call may append variables for
	// later shell commands, and Traceparent the trace context; either may be nil.
	EnvFile, Traceparent func(call *hook.Call) string
	// Terminal says that a person sits at a terminal.
	Terminal bool
	// Wrap, when not nil, wraps the handler of every hook, for instance in a span.
	Wrap func(h hook.Handler) hook.Handler
	// Skills are those of the session; nil is none that uses skills.
	Skills Skills
	// Model and MCP run prompt, agent and mcp_tool hooks.
	Model prompt.Model
	MCP   prompt.MCP
	// WorkerHost answers what workers ask for, and OnWorkerLog takes what they log.
	WorkerHost  worker.Host
	OnWorkerLog func(worker.Log)
	// Host answers what script modules ask, OnReport gets what they do beside
	// their calls, and Flags are the values of flags that they register.
	Host     script.Host
	OnReport func(script.Report)
	Flags    map[string]string
	// Leave, when not nil, is called before a module is closed because it is gone or
	// loaded anew.
	Leave func(ctx context.Context, m *script.Module)
}

// Skills are the skills of a session. Its methods may be called by several goroutines.
type Skills interface {
	// Dirs are directories of skills besides those of Kit.Places.
	Dirs() []plugin.Level
	// Used reports whether the session uses the skill whose SKILL.md is at a path.
	Used(path string) bool
}
