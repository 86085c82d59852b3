package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/command/internal/builtin"
	"github.com/hookline-dev/hookline/handler/internal/procrun"
	"github.com/hookline-dev/hookline/handler/internal/text"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/sandbox"
)

// Hook is a hook that runs a command. Set its fields before its first use and
// none after it; it is then safe for concurrent use. It must not be copied after
// its first use.
type Hook struct {
	// Command is the line for the shell, or the program when Args is not nil.
	Command string
	// Args, when not nil, are the program's arguments: the exec form. No shell
	// sees them.
	Args []string
	// Vars are the values of ${NAME} in the exec form's program and arguments.
	// Names that it lacks stay as they are, and the record says so.
	Vars map[string]string

	// Shell runs the line; "" is Sh.
	Shell Shell
	// Prefix is shell text that goes before the line, which it gets as one quoted
	// argument: a wrapper that logs commands, for example. A prefix that is the
	// path of a file is quoted itself. It has no effect on PowerShell and on the
	// exec form.
	Prefix string

	// Dir is the directory to work in, "" for the event's.
	Dir string
	// Dirs are the directories to work in when that one cannot be used, in
	// order. When none can, the hook does not start.
	Dirs []string
	// Base is the environment as KEY=VALUE that Env is laid over. Nil is this
	// program's own without credentials, loader variables and the like; see
	// process.Environ.
	Base []string
	// Env returns variables of a call as KEY=VALUE. They replace those of Base;
	// of equal names the last wins. Nil adds none.
	Env func(call *hook.Call) []string

	// Wall, when not nil, is what the command stays within. It has the built-in shell, which
	// runs in this process, replaced by a real one.
	Wall *sandbox.Wall

	// Codec translates the input and the answer.
	Codec handler.Codec
	// Limiter bounds how many hooks run at once; nil means no bound. Hooks that a
	// decision depends on go before those in the background. Waiting does not
	// count against the hook's time.
	Limiter *process.Limiter
	// StdoutLimit and StderrLimit bound what is kept of the output, in bytes; 0 is
	// process.DefaultOutputLimit.
	StdoutLimit, StderrLimit int
	// KillAfter is the time between SIGTERM and SIGKILL; 0 is
	// process.DefaultGrace.
	KillAfter time.Duration
	// Prewarm is how many processes are kept in Pool that were started ahead of the next
	// event and wait for their input; see the package documentation. 0 keeps none.
	Prewarm int
	// Pool keeps the processes that were started ahead, for this hook and others. It
	// is the caller's, to close when the session ends.
	Pool *process.Pool
	// WarmFiles are the files that the command reads when it starts: its script and
	// what that loads. When one has changed, what was started ahead is thrown away.
	// Names are absolute or relative to the working directory.
	WarmFiles []string
	// WarmCheck, if not nil, is called before a process is started ahead, while WarmFiles
	// are known not to change; its error means that none is.
	WarmCheck func() error

	// Copies, if not "", is a directory of private copies that the command runs from, and
	// Original the one that they are copies of: what the hook's record says about files
	// names the latter.
	Copies, Original string

	// Origin tells apart hooks that read the same and are not, such as those of
	// two plugins. It is part of the identity only.
	Origin string

	env   procrun.Environment
	ahead procrun.Ahead
	mu    sync.Mutex
	found *shell

	program     *builtin.Program // for a built-in shell
	unsupported error            // why it is for a real one
}

var (
	_ hook.Handler    = (*Hook)(nil)
	_ hook.Identifier = (*Hook)(nil)
	_ hook.Graceful   = (*Hook)(nil)
)

// Handle runs the command for an event. A command that could not be started is a
// *hook.Failure of kind FailureLaunch; so is one that a shell could not find.
// What ends with the context is an error of its cause.
func (h *Hook) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	job, err := h.job(call)
	if err != nil {
		call.Report = &hook.Report{Notes: job.Notes}
		return hook.Result{}, err
	}
	return procrun.Run(ctx, call, job)
}

// Warm starts the processes ahead for events like that of call, before the first one
// comes, and returns at once. Without Prewarm and Pool it does nothing.
func (h *Hook) Warm(call *hook.Call) error {
	job, err := h.job(call)
	if err != nil || job.Ahead == nil {
		return err
	}
	return job.Ahead.Fill(job.Spec, job.Files)
}

// job returns what a call runs. With an error it has the notes only.
func (h *Hook) job(call *hook.Call) (procrun.Job, error) {
	job := procrun.Job{
		Codec: h.Codec, Limiter: h.Limiter, Text: h.Command,
		Ahead: h.ahead.Of(h.Pool, h.Prewarm, h.WarmCheck), Files: h.WarmFiles,
		Copies: h.Copies, Original: h.Original,
	}
	job.Spec = process.Spec{
		StdoutLimit: h.StdoutLimit, StderrLimit: h.StderrLimit, Grace: h.KillAfter, Env: h.environment(call), Wall: h.Wall,
	}
	return job, h.prepare(call, &job)
}

func (h *Hook) environment(call *hook.Call) []string {
	set := handler.EnvironOf(call.Input)
	if h.Env != nil {
		set = slices.Concat(set, h.Env(call))
	}
	return h.env.With(h.Base, set)
}

// prepare sets what is run and where.
func (h *Hook) prepare(call *hook.Call, job *procrun.Job) error {
	if h.Command == "" {
		return hook.Failf(hook.FailureLaunch, "the hook has no command")
	}
	if h.Args != nil {
		job.Spec.Path, job.Spec.Args = h.expanded(&job.Notes)
	} else if err := h.useShell(job); err != nil {
		return err
	}
	dir, note, err := procrun.WorkDir(cmp.Or(h.Dir, call.Input.Base().CWD), h.Dirs)
	if err != nil {
		return err
	}
	if note != "" {
		job.Notes = append(job.Notes, note)
	}
	job.Spec.Dir = dir
	return nil
}

// expanded returns the program and arguments of the exec form with their
// placeholders replaced.
func (h *Hook) expanded(notes *[]string) (path string, args []string) {
	var unknown []string
	path = Expand(h.Command, h.Vars, &unknown)
	args = make([]string, len(h.Args))
	for i, arg := range h.Args {
		args[i] = Expand(arg, h.Vars, &unknown)
	}
	if notes != nil {
		for _, name := range unknown {
			*notes = append(*notes, fmt.Sprintf("${%s} has no value and was passed on as it is", name))
		}
	}
	return path, args
}

// Identity tells hooks apart: two hooks with the same one do the same.
func (h *Hook) Identity() string {
	if h.Args == nil {
		return text.Identity("command", h.Origin, h.Dir, string(h.kind()), h.Prefix, h.Command)
	}
	path, args := h.expanded(nil)
	return text.Identity("program", append([]string{h.Origin, h.Dir, path}, args...)...)
}

// Grace returns how long ending the command may take after its deadline.
func (h *Hook) Grace() time.Duration { return procrun.EndTime(h.KillAfter) }
