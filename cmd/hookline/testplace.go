package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// errSetup is the fault of a case whose setup lines may not run.
var errSetup = errors.New("it has setup lines, which are commands that nobody approved: read them, and give --setup")

// tempDir makes a directory, and names it as processes and the sandbox see it.
func tempDir(pattern string) (string, error) {
	dir, err := os.MkdirTemp("", pattern)
	if err != nil {
		return "", err
	}
	seen, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return seen, nil
}

// place makes what a case happens in: a directory of its own with its files, when it has
// some, where its setup lines are run. It returns the working directory, "" where the case
// does not say, and what takes away what was made, which is never nil.
func (t *hookTest) place(ctx context.Context, project string, setup bool) (dir string, remove func() error, err error) {
	remove = func() error { return nil }
	top := project
	switch {
	case len(t.Files)+len(t.Setup) > 0:
		if top, err = tempDir("hookline-test-"); err != nil {
			return "", remove, fmt.Errorf("make a directory for the case: %w", err)
		}
		remove = func() error { return os.RemoveAll(top) }
	case t.Cwd == "":
		return "", remove, nil
	}
	for name, text := range t.Files {
		if err := writeInside(top, name, text); err != nil {
			return "", remove, fmt.Errorf("files: %w", err)
		}
	}
	if len(t.Setup) > 0 && !setup {
		return "", remove, errSetup
	}
	if err := runSetup(ctx, top, t.Setup); err != nil {
		return "", remove, err
	}
	dir = filepath.Join(top, filepath.FromSlash(t.Cwd))
	if t.Cwd != "" && !filepath.IsLocal(filepath.FromSlash(t.Cwd)) || !isDir(dir) {
		return "", remove, fmt.Errorf("cwd: %s is not a directory below %s", t.Cwd, top)
	}
	return dir, remove, nil
}

// writeInside writes a file below a directory. None is one of git's own: those can name
// programs that git starts, which setup lines may do and files not.
func writeInside(dir, name, text string) error {
	own := func(part string) bool { return strings.EqualFold(part, ".git") }
	if !filepath.IsLocal(filepath.FromSlash(name)) || slices.ContainsFunc(strings.Split(filepath.ToSlash(filepath.Clean(name)), "/"), own) {
		return fmt.Errorf("%s: name a file below the directory of the case, and none of .git", name)
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// runSetup runs lines of shell in a directory, up to the first that fails.
func runSetup(ctx context.Context, dir string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	exit, err := process.Run(ctx, process.Spec{Path: "sh", Args: []string{"-ec", strings.Join(lines, "\n")}, Dir: dir})
	if err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	if exit.Code != 0 {
		return fmt.Errorf("setup: exit %d: %s", exit.Code, strings.TrimSpace(string(exit.Stderr)))
	}
	return nil
}

// setEnv gives hooks the variables of a case. One that the environment of a session could
// not give them either is an error.
func (t *hookTest) setEnv(w *workspace, in hook.Input) error {
	var env []string
	for name, value := range t.Env {
		env = append(env, name+"="+value)
	}
	_, dropped := process.Environ(env, nil, process.EnvPolicy{Keep: w.Config.EnvAllow, Drop: dialect.CodeVariables()})
	if len(dropped) > 0 {
		return fmt.Errorf("env: hooks are not given %s by a session", strings.Join(dropped, ", "))
	}
	handler.SetEnviron(in, func() []string { return env })
	return nil
}
