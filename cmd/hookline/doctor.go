package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/discovery"
)

// check is one line of doctor.
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"` // ok, note or problem
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitzero"`
}

// doctorOptions are the flags of doctor.
type doctorOptions struct{ asJSON bool }

func newDoctorCmd(a *app) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Say what is installed, what is broken, and how to mend it",
		Example: "  hookline doctor\n  hookline doctor --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runDoctor(ctx context.Context, a *app, o doctorOptions) error {
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	checks := append(programs(a.getenv), places(w)...)
	checks = append(checks, sandboxCheck(w))
	checks = append(checks, hookChecks(w)...)
	checks = append(checks, a.scriptChecks(w)...)
	checks = append(checks, prewarmChecks(w)...)
	bridged, err := a.bridgeChecks(w)
	if err != nil {
		return err
	}
	checks = append(checks, bridged...)
	if err := a.doctor(checks, o.asJSON); err != nil {
		return err
	}
	return a.checkTrusted(w)
}

func (a *app) doctor(checks []check, asJSON bool) error {
	problems := 0
	for _, c := range checks {
		if c.State == "problem" {
			problems++
		}
	}
	if asJSON {
		if err := a.printJSON(struct {
			Version versionInfo `json:"version"`
			Checks  []check     `json:"checks"`
		}{currentVersion(), checks}); err != nil {
			return err
		}
	} else {
		for _, c := range checks {
			mark := map[string]string{"ok": a.style("32", "ok     "), "note": a.style("33", "note   "), "problem": a.style("31;1", "problem")}[c.State]
			a.printf("%s  %s: %s\n", mark, escaped(c.Name), line(c.Detail))
			if c.Remedy != "" {
				a.printf("         %s\n", line(c.Remedy))
			}
		}
	}
	if problems > 0 {
		return errSilent
	}
	return nil
}

// programs looks for what hooks are commonly written in.
func programs(getenv func(string) string) []check {
	shell := "sh"
	if runtime.GOOS == "windows" {
		shell = "powershell"
	}
	var out []check
	for _, p := range []struct {
		name, need, remedy string
		must               bool
	}{
		{shell, "shell hooks run in it", "install a POSIX shell, or set command.shell to builtin", true},
		{"git", "plugins are installed with it", "install git to use 'hookline plugin add'", false},
		{"bash", "hooks with shell: bash need it", "", false},
		{"python3", "many hooks are written in it", "", false},
		{"jq", "many shell hooks use it to read their input", "", false},
		{"node", "only modules that ask for runtime=node need it", "", false},
	} {
		path, err := exec.LookPath(p.name)
		switch {
		case err == nil:
			out = append(out, check{p.name, "ok", path, ""})
		case p.must:
			out = append(out, check{p.name, "problem", "not found in PATH=" + getenv("PATH") + "; " + p.need, p.remedy})
		default:
			out = append(out, check{p.name, "note", "not found; " + p.need, p.remedy})
		}
	}
	return out
}

// places checks the directories that Hookline writes to.
func places(w *workspace) []check {
	var out []check
	if w.Dirs.Home == "" {
		out = append(out, check{"home", "problem", "HOME is not set to an absolute path: hooks of the person are not found", "set HOME"})
	}
	for _, p := range []struct{ name, dir string }{{"state", w.Dirs.State}, {"cache", w.Dirs.Cache}} {
		if p.dir == "" {
			continue
		}
		if err := writable(p.dir); err != nil {
			out = append(out, check{p.name, "problem", err.Error(), "make the directory writable"})
			continue
		}
		out = append(out, check{p.name, "ok", p.dir, ""})
	}
	return append(out, check{"project", "ok", w.Dirs.Project, ""})
}

// writable reports whether files can be made in a directory, or in the nearest one
// above it that exists.
func writable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err == nil {
			if !info.IsDir() {
				return &os.PathError{Op: "use", Path: dir, Err: os.ErrInvalid}
			}
			f, err := os.CreateTemp(dir, ".hookline-*")
			if err != nil {
				return err
			}
			_ = f.Close()
			return os.Remove(f.Name())
		}
		if dir == filepath.Dir(dir) {
			return err
		}
		dir = filepath.Dir(dir)
	}
}

// scriptChecks are the faults of scripts that commands name.
func (a *app) scriptChecks(w *workspace) []check {
	var out []check
	for _, d := range a.checks(w) {
		state := "note"
		if d.Severity == diag.Error {
			state = "problem"
		}
		out = append(out, check{"file", state, d.String(), d.Remedy})
	}
	return out
}

func hookChecks(w *workspace) []check {
	n := map[discovery.Status]int{}
	var out []check
	for i := range w.Set().Hooks {
		h := &w.Set().Hooks[i]
		n[h.Status]++
		if h.Status == discovery.Broken {
			out = append(out, check{"hook " + h.FullName(), "problem", w.relative(h.Source) + ": " + h.Why, "mend it, or 'hookline disable' it"})
		}
	}
	for _, d := range w.Set().Diagnostics {
		state := "note"
		if d.Severity == diag.Error {
			state = "problem"
		}
		out = append(out, check{"file", state, d.String(), d.Remedy})
	}
	summary := count(n[discovery.Active], "hook in force", "hooks in force")
	for _, s := range []discovery.Status{discovery.Untrusted, discovery.Shadowed, discovery.Disabled, discovery.Broken} {
		if n[s] > 0 {
			summary += ", " + count(n[s], string(s), string(s))
		}
	}
	return append(out, check{"hooks", "ok", summary, ""})
}
