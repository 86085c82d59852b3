package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/internal/shell"
)

const (
	bashTimeout    = 2 * time.Minute
	bashMaxTimeout = 10 * time.Minute
	bashKeep       = 8 << 20  // how much of an output is kept, in bytes
	bashMaxArg     = 96 << 10 // longer commands go into a file
)

const bashSchema = `{"type":"object","properties":{
"command":{"type":"string","description":"The command to run."},
"description":{"type":"string","description":"What the command does, in a few words."},
"timeout":{"type":"number","minimum":1,"maximum":600000,"description":"Milliseconds after which it is killed; 120000 if absent."},
"run_in_background":{"type":"boolean","description":"Return at once; read the output with BashOutput, end it with KillShell."}%s
},"required":["command"],"additionalProperties":false}`

const sandboxSchema = `,
"sandbox":{"type":"object","description":"What this command may do beyond the sandbox. The person is asked about it.",
"properties":{"write":{"type":"array","items":{"type":"string"},"description":"Files and directories that it may write."}},"additionalProperties":false}`

type bashInput struct {
	Command     string  `json:"command"`
	Description string  `json:"description"`
	Timeout     float64 `json:"timeout"`
	Background  bool    `json:"run_in_background"`
	Sandbox     struct {
		Write []string `json:"write"`
	} `json:"sandbox"`
}

type bashResponse struct {
	Stdout           string `json:"stdout"`
	Stderr           string `json:"stderr"`
	Interrupted      bool   `json:"interrupted"`
	IsImage          bool   `json:"isImage"`
	NoOutputExpected bool   `json:"noOutputExpected"`
	ExitCode         int    `json:"exitCode,omitzero"` // of a command that failed
	OutputFile       string `json:"persistedOutputPath,omitzero"`
	BackgroundTaskID string `json:"backgroundTaskId,omitzero"`
}

// ExitError says that a command did not succeed. Its text holds the output.
type ExitError struct {
	// Code is the exit code, -1 when the command did not end by itself.
	Code int
	// TimedOut says that it was killed when its time was over.
	TimedOut bool
	text     string
}

// Error returns what the model is told.
func (e *ExitError) Error() string { return e.text }

// interruptedError is why a command was ended with the turn.
type interruptedError struct {
	text string
	why  error
}

func (e *interruptedError) Error() string { return e.text }

func (e *interruptedError) Unwrap() error { return e.why }

func (s *Set) bash() Tool {
	about, more := "Runs a shell command in the working directory. A cd lasts for the next commands as long as it stays "+
		"inside the allowed directories. There is no terminal and no input.", ""
	if s.cfg.Sandbox != nil {
		about += " A sandbox lets it write to these, to temporary and to cache directories only, and to no settings in them."
		more = sandboxSchema
	}
	return define("Bash", about, fmt.Sprintf(bashSchema, more), s.runBash)
}

func (s *Set) runBash(ctx context.Context, in bashInput, call Input) (Result, error) {
	cmd, err := s.command(in.Command)
	if err != nil {
		return Result{}, err
	}
	if s.cfg.Sandbox != nil {
		if cmd.box, err = s.cfg.Sandbox.begin(s, in.Sandbox.Write); err != nil {
			cmd.cleanup()
			return Result{}, err
		}
		cmd.spec.Wall = cmd.box.wall
	}
	if in.Background {
		return s.startBackground(cmd, in)
	}
	defer cmd.cleanup()
	timeout := bashTimeout
	if in.Timeout > 0 {
		timeout = min(time.Duration(in.Timeout*float64(time.Millisecond)), bashMaxTimeout)
	}
	if call.Progress != nil {
		cmd.spec.OnOutput = func(_ process.Stream, b []byte) { call.Progress(decode(b), nil) }
	}
	runCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	exit, err := process.Run(runCtx, cmd.spec)
	if err != nil {
		return Result{}, errors.Join(fmt.Errorf("starting the shell: %w", err), cmd.box.end(nil))
	}
	note := joinLines(s.follow(cmd.cwdFile), cmd.box.note(exit))
	return s.bashResult(ctx, in.Command, exit, timeout, note)
}

// shellCommand says how to run a command.
type shellCommand struct {
	spec    process.Spec
	cwdFile string   // the shell writes the directory it ends in into it
	files   []string // made for the command
	box     *box     // nil without a sandbox
}

func (c shellCommand) cleanup() {
	for _, f := range c.files {
		os.Remove(f)
	}
}

func (s *Set) command(command string) (shellCommand, error) {
	if strings.ContainsRune(command, 0) {
		return shellCommand{}, errors.New("the command holds a NUL byte")
	}
	shell, err := s.shell()
	if err != nil {
		return shellCommand{}, err
	}
	dir, n, err := s.outputDir()
	if err != nil {
		return shellCommand{}, err
	}
	env := s.cfg.Env
	if env == nil {
		env, _ = process.Environ(os.Environ(), nil, process.EnvPolicy{})
	}
	c := shellCommand{cwdFile: filepath.Join(dir, fmt.Sprintf("cwd-%d", n))}
	c.files = []string{c.cwdFile}
	script := "trap 'pwd -P > \"$" + cwdVariable + "\"' EXIT; " + s.readEnv() + command
	c.spec = process.Spec{
		Path: shell, Args: []string{"-c", script}, Dir: s.Cwd(), Leave: true, StdoutLimit: bashKeep, StderrLimit: bashKeep,
		Env: slices.Concat(env, []string{cwdVariable + "=" + filepath.ToSlash(c.cwdFile)}),
	}
	if len(script) > bashMaxArg {
		file := filepath.Join(dir, fmt.Sprintf("command-%d.sh", n))
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			return shellCommand{}, fmt.Errorf("saving a long command: %w", err)
		}
		c.spec.Args = []string{filepath.ToSlash(file)}
		c.files = append(c.files, file)
	}
	return c, nil
}

// readEnv is what makes a shell read the files that its environment comes from.
func (s *Set) readEnv() string {
	if s.cfg.EnvFiles == nil {
		return ""
	}
	var b strings.Builder
	for _, f := range s.cfg.EnvFiles() {
		q := "'" + strings.ReplaceAll(filepath.ToSlash(f), "'", `'\''`) + "'"
		fmt.Fprintf(&b, "[ ! -r %s ] || . %s; ", q, q)
	}
	return b.String()
}

// cwdVariable names the file that the shell writes its last directory to.
const cwdVariable = "HOOKLINE_CWD_FILE"

func (s *Set) shell() (string, error) {
	if s.cfg.Shell != "" {
		return s.cfg.Shell, nil
	}
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is neither bash nor sh to run commands with")
}

// follow moves the working directory to where the shell has ended, and says so
// when it can not.
func (s *Set) follow(cwdFile string) string {
	data, err := os.ReadFile(cwdFile)
	if err != nil {
		return "" // killed, or it replaced itself with another program
	}
	dir, err := filepath.EvalSymlinks(nativePath(strings.TrimRight(string(data), "\r\n")))
	if err != nil || dir == s.Cwd() {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.roots {
		if _, ok := below(r.real, dir); ok {
			s.cwd = dir
			return ""
		}
	}
	s.cwd = s.roots[0].real
	return fmt.Sprintf("The shell had left the allowed directories; it starts in %s again.", s.cwd)
}

// quietPrograms say nothing when they succeed.
var quietPrograms = []string{"mv", "cp", "rm", "mkdir", "rmdir", "chmod", "chown", "chgrp", "touch", "ln", "cd", "export", "unset", "wait"}

// quiet reports whether a command is made of such programs alone.
func quiet(command string) bool {
	commands := shell.Analyze(command).Commands
	return len(commands) > 0 && !slices.ContainsFunc(commands, func(c shell.Command) bool {
		return len(c.Env) > 0 && c.Name() != "export" || !slices.Contains(quietPrograms, c.Name())
	})
}

// bashResult tells the model how a command went.
func (s *Set) bashResult(ctx context.Context, command string, exit *process.Exit, timeout time.Duration, note string) (Result, error) {
	stdout, stderr := strings.TrimRight(decode(exit.Stdout), "\n"), strings.TrimRight(decode(exit.Stderr), "\n")
	text := joinLines(stdout, stderr)
	if exit.StdoutTruncated || exit.StderrTruncated {
		text = joinLines(text, fmt.Sprintf("(The command wrote %d bytes; only %d MiB of each stream were kept.)", exit.StdoutBytes+exit.StderrBytes, bashKeep>>20))
	}
	short, file, err := s.shorten("bash", text)
	if err != nil {
		return Result{}, err
	}
	resp := bashResponse{
		Stdout: clip(stdout, maxOutput), Stderr: clip(stderr, maxOutput), OutputFile: file,
		Interrupted: exit.Cancelled || exit.TimedOut, NoOutputExpected: quiet(command), ExitCode: exit.Code,
	}
	if exit.PipeHeld {
		note = joinLines(note, "A process that the command started still runs.")
	}
	if short == "" && note == "" {
		short = "(Bash completed with no output)"
	}
	res, err := result(joinLines(short, note), resp)
	if err != nil || exit.Success() {
		return res, err
	}
	return Result{Response: res.Response}, failure(ctx, exit, timeout, joinLines(short, note))
}

func failure(ctx context.Context, exit *process.Exit, timeout time.Duration, text string) error {
	e := &ExitError{Code: exit.Code}
	switch {
	case ctx.Err() != nil && exit.Cause != nil:
		return &interruptedError{"The command was interrupted.\n" + text, ctx.Err()}
	case exit.TimedOut:
		e.TimedOut = true
		e.text = fmt.Sprintf("The command was killed after %s.\n%s", timeout, text)
	case exit.Signal != "":
		e.text = fmt.Sprintf("The command was ended by %s.\n%s", exit.Signal, text)
	default:
		e.text = fmt.Sprintf("Exit code %d\n%s", exit.Code, text)
	}
	return e
}

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
