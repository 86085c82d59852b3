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
	"github.com/hookline-dev/hookline/handler/httpcall"
)

// builder says how entries of settings files become handlers.
func (s *finder) builder() Builder {
	cfg := s.Config.Claude
	to, err := parseMessageTo(cfg.SystemMessage)
	if err != nil {
		to = ToBoth // the configuration's reader has reported the word
	}
	return Builder{
		Codec:      NewCodec(CodecOptions{SystemMessage: to, StopOnContinueTrue: cfg.StopOnContinueTrue, Overflow: s.overflow, Terminal: s.Hosting.Terminal}),
		ProjectDir: s.Dirs.Project, StartDir: s.StartDir, Home: s.Dirs.Home, Entrypoint: "cli",
		EnvFile: s.Hosting.EnvFile, Traceparent: s.Hosting.Traceparent,
		Commands: CommandOptions{
			Shell: s.Config.Command.Shell, Prefix: s.Config.Command.ShellPrefix, Base: s.Env, Keep: s.Config.EnvAllow, Limiter: s.Limiter,
			Pool: s.Pool, Prewarm: s.Prewarm,
		},
		HTTP: HTTPOptions{Client: s.Kit.HTTP, LookupEnv: s.lookupEnv}, MCP: s.Hosting.MCP, Model: s.Hosting.Model, Workers: s.workers, SkillUsed: s.skillUsed,
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

// run makes a hook that may run start what was allowed and nothing else, with what keeps
// it from the code of the project and within its sandbox.
func (s *finder) run(ctx context.Context, f *dialect.Found, e *Entry) {
	switch h := dialect.Innermost(f.Registration.Handler).(type) {
	case *command.Hook:
		s.RunCommand(f, h, s.vars())
	case *worker.Entry:
		s.runWorker(ctx, f, e, h)
	case *httpcall.Hook:
		if s.Sandbox.Only {
			f.Registration.Handler = dialect.Unusable(errors.New("its sandbox does not let it send requests"))
		}
	}
}

// workerFromMirror lets the worker of an entry run the copies of its files.
func (s *finder) workerFromMirror(f *dialect.Found, e *Entry, w *worker.Entry) bool {
	copies, ok := s.FromCopies(f, dialect.CommandLine{Command: e.Command, Args: e.Args, Vars: s.vars()})
	switch {
	case !ok, copies.Command == e.Command && slices.Equal(copies.Args, e.Args): // none of them lies where copies are made of
		return false
	case e.Args == nil && copies.Command != e.Command:
		w.Arg(1, "exec "+copies.Command)
	case copies.Command != e.Command:
		w.Program(copies.Command)
	}
	for i, arg := range copies.Args {
		if arg != e.Args[i] {
			w.Arg(i, arg)
		}
	}
	w.FromCopies(f.Artifact.Files, f.Artifact.Root, copies.Root)
	return true
}

func (s *finder) runWorker(ctx context.Context, f *dialect.Found, e *Entry, h *worker.Entry) {
	if len(f.Artifact.Files)+len(f.Artifact.Trees) > 0 && !s.workerFromMirror(f, e, h) {
		h.Files(f.Artifact.Files)
		s.WhileUnchanged(f)
	}
	if s.OwnCode(f.Level, f.Name) {
		if err := h.Isolate(ctx, f); err != nil {
			f.Status, f.Why, f.Shut = dialect.Broken, err.Error(), true
			f.Registration.Handler = dialect.Unusable(fmt.Errorf("the worker could not be started: %w", err))
			return
		}
	}
	c, err := s.Confine(f)
	if err != nil {
		f.Registration.Handler = dialect.Unusable(err)
		return
	}
	h.Confine(c, f.Needs)
}

// vars are the variables of a command whose values are known.
func (s *finder) vars() map[string]string {
	return map[string]string{"CLAUDE_PROJECT_DIR": s.Dirs.Project}
}

// see finds the files that an entry's command names.
func (s *finder) see(out *dialect.Found, f *Settings, e *Entry) {
	if !e.startsProgram() {
		out.Artifact.First = func() []string { return nil }
		return
	}
	l := dialect.CommandLine{Command: e.Command, Args: e.Args, PowerShell: isPowerShell(e.Shell), Vars: f.vars(s.Dirs.Project), Env: e.Env, Root: f.pluginRoot()}
	s.SeeCommand(out, l)
}
