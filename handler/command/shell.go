package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/handler/command/internal/builtin"
	"github.com/hookline-dev/hookline/handler/internal/procrun"
	"github.com/hookline-dev/hookline/hook"
)

// Shell names the shell that runs a line.
type Shell string

// The shells.
const (
	Sh         Shell = "sh"
	Bash       Shell = "bash"
	PowerShell Shell = "powershell"
	// Builtin runs a line for sh in this process where it can, and by Sh otherwise;
	// BuiltinBash the same for bash. See package builtin.
	Builtin     Shell = "builtin"
	BuiltinBash Shell = "builtin-bash"
)

// shellNames is for messages.
const shellNames = "sh, bash, powershell, builtin or builtin-bash"

// ParseShell returns the shell of a name, where "" is Sh and pwsh is PowerShell.
func ParseShell(name string) (Shell, error) {
	switch s := Shell(name); s {
	case "":
		return Sh, nil
	case Sh, Bash, PowerShell, Builtin, BuiltinBash:
		return s, nil
	case "pwsh":
		return PowerShell, nil
	}
	return "", fmt.Errorf("unknown shell %q: it is %s", name, shellNames)
}

// shell is a shell that was found on this machine.
type shell struct{ path, label string }

func (h *Hook) kind() Shell {
	if h.Shell == "" {
		return Sh
	}
	return h.Shell
}

// useShell makes the job run the line by the hook's shell.
func (h *Hook) useShell(job *procrun.Job) error {
	kind := h.kind()
	why := ""
	if kind == Builtin || kind == BuiltinBash {
		lang, real := builtin.Sh, Sh
		if kind == BuiltinBash {
			lang, real = builtin.Bash, Bash
		}
		program, err := h.builtin(lang)
		if err == nil && h.Wall != nil {
			err = errors.New("a sandbox holds other processes only")
		}
		if err == nil {
			job.Run = program.Run
			job.Ahead = nil // nothing has to start
			job.Notes = append(job.Notes, "shell: built in")
			return nil
		}
		kind, why = real, ", since "+err.Error()
	}
	sh, err := h.shell(kind, procrun.Lookup(job.Spec.Env, "PATH"))
	if err != nil {
		return err
	}
	job.Notes = append(job.Notes, "shell: "+sh.label+why)
	job.PlainSh = kind == Sh
	job.Spec.Path = sh.path
	if kind == PowerShell {
		if h.Prefix != "" {
			job.Notes = append(job.Notes, "the shell prefix has no effect on PowerShell")
		}
		job.Spec.Args = []string{"-NoProfile", "-NonInteractive", "-Command", powerShellLine(h.Command, h.Vars)}
		return nil
	}
	job.Spec.Args = []string{"-c", h.line()}
	return nil
}

// builtin reads the line once.
func (h *Hook) builtin(lang builtin.Lang) (*builtin.Program, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.program == nil && h.unsupported == nil {
		h.program, h.unsupported = builtin.Parse(h.line(), lang)
	}
	return h.program, h.unsupported
}

// shell finds the hook's shell. It is looked for until it is found, and once.
func (h *Hook) shell(kind Shell, path string) (*shell, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.found != nil {
		return h.found, nil
	}
	if parsed, err := ParseShell(string(kind)); err != nil || parsed != kind {
		return nil, hook.Failf(hook.FailureLaunch, "unknown shell %q: it is %s", kind, shellNames)
	}
	for _, file := range slices.Concat(firstChoices(kind), searched(kind, path), lastChoices(kind)) {
		found, err := exec.LookPath(file)
		if err != nil || !usable(kind, found) {
			continue
		}
		h.found = &shell{path: found, label: label(found)}
		return h.found, nil
	}
	return nil, hook.Failf(hook.FailureLaunch, "no %s on this machine, PATH=%s", kind, path)
}

// searched returns where the shell may be in the absolute directories of a PATH.
func searched(kind Shell, path string) []string {
	names := []string{string(kind)}
	if kind == PowerShell {
		names = []string{"pwsh", "powershell"}
	}
	var out []string
	for _, name := range names {
		for _, dir := range filepath.SplitList(path) {
			if filepath.IsAbs(dir) {
				out = append(out, filepath.Join(dir, name))
			}
		}
	}
	return out
}

// label names a shell for the record, with the program that a link leads to.
func label(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || filepath.Base(real) == filepath.Base(path) {
		return path
	}
	return fmt.Sprintf("%s (%s)", path, filepath.Base(real))
}

// line returns the line for a POSIX shell, with the prefix.
func (h *Hook) line() string {
	if h.Prefix == "" {
		return h.Command
	}
	prefix := h.Prefix
	if info, err := os.Stat(prefix); err == nil && !info.IsDir() {
		prefix = quote(prefix)
	}
	return prefix + " " + quote(h.Command)
}

// quote makes one word of s for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// powerShellLine makes ${NAME} of the hook's variables mean the environment's, as
// it does in other shells, and keeps the exit code of the last command, which
// PowerShell turns into 1: a refusal by exit code would be lost.
func powerShellLine(command string, vars map[string]string) string {
	var b strings.Builder
	names := make([]string, 0, len(vars))
	for name := range vars {
		if !strings.ContainsAny(name, ".-") && isName(name) && strings.Contains(command, "${"+name+"}") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "${%s} = $env:%s\n", name, name)
	}
	b.WriteString(command)
	b.WriteString("\nif ($?) { exit 0 } elseif ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 }")
	return b.String()
}
