package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Program is one of the two that a case is played under.
type Program struct {
	// Name stands in paths.
	Name string
	// Command returns the arguments for a prompt, the program's path first, and what
	// the environment gets beside HOME and PATH. It may put files into the room. The
	// argument again says that the prompt goes on with the session before.
	Command func(r *Room, c *Case, prompt string, again bool) (args, env []string, err error)
	// Talk, if there is one, speaks with the program over its input and output while it
	// runs. It closes the input when it has said all.
	Talk func(r *Room, c *Case, in io.WriteCloser, out io.Reader) error
	// Terminal says that it is spoken with over a terminal of its own.
	Terminal bool
	// Refusal, if there is one, matches the results of calls that could not run, for want of
	// a permission or of the tool: each program has words of its own for that.
	Refusal *regexp.Regexp
}

// Room is where a case is played: a directory of its own with a home and a project.
type Room struct {
	Dir, Home, Project string
	Model              *Model
	// Program is the name of the one that is played.
	Program string
	missed  []string
}

// Play is what is known after a case was played.
type Play struct {
	Heard          []Heard
	Requests       []Request
	Stdout, Stderr string
	Exit           int // -1: it did not end in time
	Files          []string
	Dir            string
	// Missed are the steps that did not come to their end.
	Missed  []string
	refusal *regexp.Regexp
	steps   bool // the case has some: every result counts
	script  Script
}

// Limit is how long one prompt may take. It is there to end what hangs, not to judge.
const Limit = 3 * time.Minute

// Run plays a case under a program in a directory, which is emptied first. The hook is
// the program of the recording hook and of the MCP server, see [IsHook] and [IsToolServer].
func Run(ctx context.Context, p Program, c *Case, dir, hook string) (*Play, error) {
	r := &Room{Dir: dir, Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), Program: p.Name}
	places := strings.NewReplacer("$HOOK", "recorder", "$PROJ", r.Project, "$HOME", r.Home)
	filled, err := fill(*c, places)
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", c.Name, err)
	}
	c = &filled
	if r.Model, err = StartModel(c.Script); err != nil {
		return nil, err
	}
	defer r.Model.Close()
	for name, text := range c.Files {
		c.Files[name] = strings.ReplaceAll(text, "$MODEL", r.Model.URL)
	}
	if err := r.furnish(c, hook); err != nil {
		return nil, fmt.Errorf("case %s: making its room: %w", c.Name, err)
	}
	play := &Play{Dir: dir, refusal: p.Refusal, steps: len(c.Steps) > 0, script: c.Script}
	for i, prompt := range append([]string{c.Prompt}, c.Again...) {
		if err := r.prompt(ctx, p, c, prompt, i > 0, play); err != nil {
			return nil, fmt.Errorf("case %s under %s: %w", c.Name, p.Name, err)
		}
	}
	play.Requests, play.Missed = r.Model.Requests(), r.missed
	if play.Heard, err = readHeard(dir); err != nil {
		return nil, err
	}
	play.Files, err = listFiles(r.Project)
	return play, err
}

// bin is where the commands recorder, the hook, and toolserver, an MCP server, are: short
// names that no path makes different.
func (r *Room) bin() string { return filepath.Join(r.Dir, "bin") }

// furnish makes the directories and files of a case.
func (r *Room) furnish(c *Case, hook string) error {
	if err := os.RemoveAll(r.Dir); err != nil {
		return err
	}
	if err := os.MkdirAll(r.Project, 0o755); err != nil {
		return err
	}
	if err := WriteJSON(filepath.Join(r.Dir, "answers.json"), c.Answers); err != nil {
		return err
	}
	recorder := fmt.Sprintf("#!/bin/sh\nexec '%s' oracle-hook '%s' \"$1\"\n", hook, r.Dir)
	if err := writeFile(filepath.Join(r.bin(), "recorder"), []byte(recorder)); err != nil {
		return err
	}
	server := fmt.Sprintf("#!/bin/sh\nexec '%s' oracle-tools\n", hook)
	if err := writeFile(filepath.Join(r.bin(), "toolserver"), []byte(server)); err != nil {
		return err
	}
	for name, text := range c.Files {
		path := filepath.Join(r.Project, name)
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			path = filepath.Join(r.Home, rest)
		}
		if err := writeFile(path, []byte(text)); err != nil {
			return err
		}
	}
	return os.MkdirAll(r.Home, 0o755)
}

// WriteJSON writes a file, and the directories above it.
func WriteJSON(path string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFile(path, raw)
}

// writeFile writes a file, and the directories above it. A script can be run.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if bytes.HasPrefix(data, []byte("#!")) {
		mode = 0o755
	}
	return os.WriteFile(path, data, mode)
}

// prompt runs the program once.
func (r *Room) prompt(ctx context.Context, p Program, c *Case, text string, again bool, play *Play) error {
	args, env, err := p.Command(r, c, text, again)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay = r.Project, 2*time.Second
	cmd.Env = append([]string{"HOME=" + r.Home, "PATH=" + r.bin() + ":" + os.Getenv("PATH"), "LANG=C.UTF-8"}, env...)
	var out, errs bytes.Buffer
	cmd.Stderr = &errs
	switch {
	case p.Talk == nil:
		cmd.Stdout = &out
		err = cmd.Run()
	case p.Terminal:
		err = r.onTerminal(cmd, p, c)
	default:
		err = r.converse(cmd, p, c, &out)
	}
	play.Stdout, play.Stderr = play.Stdout+out.String(), play.Stderr+errs.String()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed && ctx.Err() == nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("running it: %w", err)
	}
	play.Exit = cmd.ProcessState.ExitCode()
	return nil
}

// converse runs the program and speaks with it.
func (r *Room) converse(cmd *exec.Cmd, p Program, c *Case, kept io.Writer) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return r.speak(cmd, p, c, in, io.TeeReader(out, kept))
}

// speak has a started program spoken with, and waits for its end.
func (r *Room) speak(cmd *exec.Cmd, p Program, c *Case, in io.WriteCloser, heard io.Reader) error {
	talked := p.Talk(r, c, in, heard)
	in.Close()                           // also when the talk broke off
	_, err := io.Copy(io.Discard, heard) // what it says at its end
	if ended := cmd.Wait(); ended != nil {
		return ended
	}
	return errors.Join(talked, err)
}

// listFiles returns the paths below a directory, without those of version control and
// of settings.
func listFiles(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != dir && strings.HasPrefix(e.Name(), ".") {
			return filepath.SkipDir
		}
		if !e.IsDir() {
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}
