package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

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
	if len(files)+len(f.Artifact.Trees) == 0 {
		return
	}
	if w, ok := dialect.Innermost(r.Handler).(*worker.Entry); ok {
		if s.workerFromMirror(f, e, w) {
			return
		}
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
	s.Verified(f)
}

// fromMirror lets the command of an entry run the copies of its files.
func (s *finder) fromMirror(f *dialect.Found, e *Entry, h *command.Hook) bool {
	dir, program, args, ok := s.rewritten(f, h.Command, h.Args, e.Args != nil)
	if ok {
		h.Command, h.Args, h.Copies, h.Original = program, args, dir, f.Artifact.Root
	}
	return ok
}

// workerFromMirror lets the worker of an entry run the copies of its files.
func (s *finder) workerFromMirror(f *dialect.Found, e *Entry, w *worker.Entry) bool {
	dir, program, args, ok := s.rewritten(f, e.Command, e.Args, e.Args != nil)
	switch {
	case !ok, program == e.Command && slices.Equal(args, e.Args): // none of them lies where copies are made of
		return false
	case e.Args == nil && program != e.Command:
		w.Arg(1, "exec "+program)
	case program != e.Command:
		w.Program(program)
	}
	for i, arg := range args {
		if arg != e.Args[i] {
			w.Arg(i, arg)
		}
	}
	w.FromCopies(f.Artifact.Files, f.Artifact.Root, dir)
	return true
}

// rewritten returns a line of shell text, or a program and its arguments, in which the files
// of a hook are their copies, and the directory that these lie in.
func (s *finder) rewritten(f *dialect.Found, program string, args []string, exec bool) (dir, newProgram string, newArgs []string, ok bool) {
	if dir = s.Mirror(f.Artifact); dir == "" {
		return "", program, args, false
	}
	o := s.refOptions(f.Artifact.Root)
	to := refs.Below(f.Artifact.Files, f.Artifact.Root, dir)
	if exec {
		newProgram, newArgs, ok = refs.RewriteExec(program, args, o, to)
	} else {
		newProgram, ok = refs.Rewrite(program, o, to)
	}
	return dir, newProgram, newArgs, ok
}

func (s *finder) refOptions(root string) refs.Options {
	return refs.Options{
		Dir: s.Dirs.Project, Root: root, Vars: map[string]string{"HOME": s.Dirs.Home, "CLAUDE_PROJECT_DIR": s.Dirs.Project},
	}
}

// isolate keeps a hook of the person or the administrator from finding code in the
// project by accident.
func (s *finder) isolate(ctx context.Context, f *dialect.Found) {
	switch h := dialect.Innermost(f.Registration.Handler).(type) {
	case *command.Hook:
		h.Base = s.OwnCodeEnv(h.Base, dialect.Copied(f.Python, h.Original, h.Copies), dialect.Guards(f.Registration))
		s.Isolate(f, h.Base)
		if before, modules := h.WarmCheck, f.Modules; len(modules) > 0 {
			h.WarmCheck = func() error {
				if before != nil {
					if err := before(); err != nil {
						return err
					}
				}
				return dialect.Unshadowed(context.Background(), modules, s.StartDir, h.Base)
			}
		}
	case *worker.Entry:
		if err := h.Isolate(ctx, f); err != nil {
			f.Status, f.Why, f.Shut = dialect.Broken, err.Error(), true
			f.Registration.Handler = dialect.Unusable(fmt.Errorf("the worker could not be started: %w", err))
		}
	}
}

// confine has what a hook starts stay within its sandbox.
func (s *finder) confine(f *dialect.Found) {
	h := dialect.Innermost(f.Registration.Handler)
	switch h.(type) {
	case *command.Hook, *worker.Entry:
	default:
		return
	}
	c, err := s.Confine(f)
	if err != nil {
		f.Registration.Handler = dialect.Unusable(err)
		return
	}
	switch h := h.(type) {
	case *command.Hook:
		h.Wall, h.Base = c.Wall, slices.Concat(h.Base, c.Env)
	case *worker.Entry:
		h.Confine(c, f.Needs)
	}
}

// named returns the files that a command names, which approval covers along with the
// command itself, and in words what it cannot see through. With own set the hook, which is
// of that level, is kept from the code of the project; with first set it is what the first
// rules of approval covered.
func (s *finder) named(e *Entry, f *Settings, level string, own, first bool) refs.Refs {
	if e.Type != TypeCommand && e.Type != TypeWorker {
		return refs.Refs{}
	}
	o := s.refOptions(s.Dirs.Project)
	o.Isolated, o.FirstRules = own, first
	if f.Plugin != nil {
		o.Root = f.Plugin.Root
		o.Vars["CLAUDE_PLUGIN_ROOT"] = f.Plugin.Root
	}
	if level == "user" || level == dialect.ManagedLevel {
		// A person's hook may run scripts from anywhere; those of the system are left out.
		o.Root = filepath.VolumeName(s.Dirs.Home) + string(filepath.Separator)
	}
	switch {
	case e.Args != nil:
		return refs.Exec(e.Command, e.Args, o)
	case isPowerShell(e.Shell):
		return refs.PowerShell(e.Command, o)
	}
	return refs.Command(e.Command, o)
}
