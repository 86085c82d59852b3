package claude

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/worker"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/internal/shell/refs"
)

// builder says how entries of settings files become handlers.
func (s *finder) builder() Builder {
	cfg := s.Config.Claude
	to, err := ParseMessageTo(cfg.SystemMessage)
	if err != nil {
		to = ToBoth // the configuration's reader has reported the word
	}
	return Builder{
		Codec:      NewCodec(CodecOptions{SystemMessage: to, StopOnContinueTrue: cfg.StopOnContinueTrue, Overflow: s.overflow}),
		ProjectDir: s.Dirs.Project, StartDir: s.StartDir, Home: s.Dirs.Home, Entrypoint: "cli",
		EnvFile: s.Hosting.EnvFile, Traceparent: s.Hosting.Traceparent,
		Commands: CommandOptions{
			Shell: s.Config.Command.Shell, Prefix: s.Config.Command.ShellPrefix, Base: s.Env, Keep: s.Config.EnvAllow, Limiter: s.Limiter,
			Pool: s.Pool, Prewarm: s.Prewarm,
		},
		HTTP: HTTPOptions{Client: s.Kit.HTTP, LookupEnv: s.lookupEnv}, MCP: s.Hosting.MCP, Model: s.Hosting.Model, Workers: s.workers,
	}
}

// lookupEnv looks a variable up in the host's environment: an http hook names the
// variables that it may see, credentials among them.
func (s *finder) lookupEnv(name string) (string, bool) {
	for _, kv := range s.Environ {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:], true
		}
	}
	return "", false
}

// overflow keeps a text that is too long for the model in a file.
func (s *finder) overflow(text string) (string, error) {
	dir := filepath.Join(s.Dirs.State, "overflow")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keep a long text: %w", err)
	}
	f, err := os.CreateTemp(dir, "text-*.txt")
	if err != nil {
		return "", fmt.Errorf("keep a long text: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("keep a long text: %w", err)
	}
	return f.Name(), nil
}

// secure makes a hook that names files run what was allowed and nothing else: from
// private copies where the command can be told to, otherwise with a look at the
// files before and after. What was started before does not go on with old code.
func (s *finder) secure(f *dialect.Found, e *Entry) {
	r := f.Registration
	h, isCommand := dialect.Innermost(r.Handler).(*command.Hook)
	if isCommand {
		f.Warm = s.WarmHandler(f, h.Warm)
	}
	files := f.Artifact.Files
	if len(files) == 0 {
		return
	}
	if w, ok := dialect.Innermost(r.Handler).(*worker.Entry); ok {
		w.Files(files)
	}
	if isCommand {
		h.WarmFiles = files
		if s.fromMirror(f, e, h) {
			return
		}
		artifact := f.Artifact
		h.WarmCheck = func() error { return s.Allowed(artifact) }
	}
	r.Handler = s.Verified(r.Handler, f.Artifact)
}

// fromMirror lets the command of an entry run the copies of its files.
func (s *finder) fromMirror(f *dialect.Found, e *Entry, h *command.Hook) bool {
	dir := s.Mirror(f.Artifact)
	if dir == "" {
		return false
	}
	o := s.refOptions(f.Artifact.Root)
	to := refs.Below(f.Artifact.Files, f.Artifact.Root, dir)
	ok := false
	if e.Args != nil {
		var program string
		var args []string
		if program, args, ok = refs.RewriteExec(h.Command, h.Args, o, to); ok {
			h.Command, h.Args = program, args
		}
	} else {
		var text string
		if text, ok = refs.Rewrite(h.Command, o, to); ok {
			h.Command = text
		}
	}
	if ok {
		h.Copies, h.Original = dir, f.Artifact.Root
	}
	return ok
}

func (s *finder) refOptions(root string) refs.Options {
	return refs.Options{
		Dir: s.Dirs.Project, Root: root, Vars: map[string]string{"HOME": s.Dirs.Home, "CLAUDE_PROJECT_DIR": s.Dirs.Project},
	}
}

// scriptFiles returns what a command names, which approval covers along with the command
// itself, and in words what it cannot see through.
func (s *finder) scriptFiles(e *Entry, f *Settings) refs.Refs {
	if e.Type != TypeCommand && e.Type != TypeWorker {
		return refs.Refs{}
	}
	o := s.refOptions(s.Dirs.Project)
	if f.Scope == ScopeUser || f.Scope == ScopeManaged {
		// A person's hook may run scripts from anywhere; those of the system are left out.
		o.Root = filepath.VolumeName(s.Dirs.Home) + string(filepath.Separator)
	}
	if f.Plugin != nil {
		o.Root = f.Plugin.Root
		o.Vars["CLAUDE_PLUGIN_ROOT"] = f.Plugin.Root
	}
	switch {
	case e.Args != nil:
		return refs.Exec(e.Command, e.Args, o)
	case isPowerShell(e.Shell):
		return refs.PowerShell(e.Command, o)
	}
	return refs.Command(e.Command, o)
}
