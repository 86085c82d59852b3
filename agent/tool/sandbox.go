package tool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/sandbox"
)

// Sandbox holds what shell commands may write. Sets that are made of one configuration
// share it. Set its fields before its first use; Close it after the sets.
type Sandbox struct {
	// Policy says what commands may do besides writing to the directories of their set,
	// and to what a person grants to one call.
	Policy sandbox.Policy
	// Kept are names in each of the directories that commands may not write, and Except
	// names below these that they may. See [sandbox.Keep].
	Kept, Except []string
	// Aside is the directory for what is put back.
	Aside string
	// OnChange, when not nil, is told in words what was put back, or changed between
	// two commands.
	OnChange func(text string)

	mu    sync.Mutex
	walls map[string]*sandbox.Wall
	keeps map[string]*sandbox.Keep
}

// Close lets go of all that the sandbox holds.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, w := range s.walls {
		w.Close()
	}
	for _, k := range s.keeps {
		errs = append(errs, k.Close())
	}
	s.walls, s.keeps = nil, nil
	return errors.Join(errs...)
}

// box is one command within the sandbox.
type box struct {
	wall    *sandbox.Wall
	own     bool // the wall is this command's alone
	keeps   []*sandbox.Keep
	granted []string
	sandbox *Sandbox
}

// begin prepares a command that may write to the directories of a set, and to what was
// asked for.
func (s *Sandbox) begin(set *Set, asked []string) (_ *box, err error) {
	b, dirs := &box{sandbox: s}, set.Dirs()
	if b.granted, err = s.grants(set, dirs, asked); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.Join(dirs, "\x00")
	if b.wall = s.walls[key]; b.wall == nil || len(b.granted) > 0 {
		p := s.Policy
		p.Write = slices.Concat(p.Write, dirs, b.granted)
		for _, dir := range dirs {
			p.Write = append(p.Write, gitDir(dir)...)
		}
		if b.wall, err = sandbox.New(p); err != nil {
			return nil, fmt.Errorf("the sandbox for commands: %w", err)
		}
		if b.own = len(b.granted) > 0; !b.own {
			if s.walls == nil {
				s.walls = map[string]*sandbox.Wall{}
			}
			s.walls[key] = b.wall
		}
	}
	for _, dir := range dirs {
		if err := s.keep(b, dir, s.Kept, s.Except); err != nil {
			return nil, errors.Join(err, b.end(nil))
		}
		for _, git := range gitDir(dir) {
			if err := s.keep(b, git, []string{"hooks", "config", "config.worktree"}, nil); err != nil {
				return nil, errors.Join(err, b.end(nil))
			}
		}
	}
	return b, nil
}

// keep adds a directory whose names are kept; s.mu is held.
func (s *Sandbox) keep(b *box, dir string, names, except []string) error {
	k := s.keeps[dir]
	if k == nil {
		var err error
		if k, err = sandbox.NewKeep(dir, names, except, s.Aside); err != nil {
			return err
		}
		if s.keeps == nil {
			s.keeps = map[string]*sandbox.Keep{}
		}
		s.keeps[dir] = k
	}
	changes, err := k.Begin()
	if err != nil {
		return err
	}
	b.keeps = append(b.keeps, k)
	for _, c := range changes {
		s.tell(fmt.Sprintf("%s was %s while no command ran.", c.Path, c.Did))
	}
	return nil
}

// accept leaves a file as it is that was written by somebody who may.
func (s *Sandbox) accept(file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keeps {
		k.Accept(file)
	}
}

func (s *Sandbox) tell(text string) {
	if s.OnChange != nil {
		s.OnChange(text)
	}
}

// grants makes paths of what was asked for, and refuses what is never granted.
func (s *Sandbox) grants(set *Set, dirs, asked []string) (out []string, err error) {
	for _, path := range asked {
		full, err := set.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("sandbox.write: %s: %w", path, err)
		}
		full = fsx.Resolve(full)
		inside := func(dir string) bool { _, ok := below(fsx.Resolve(dir), full); return ok }
		if slices.ContainsFunc(slices.Concat(s.Policy.NoWrite, s.Policy.NoRead), inside) {
			return nil, fmt.Errorf("sandbox.write: %s is never granted to a command", path)
		}
		if _, err := os.Lstat(full); err != nil && !slices.ContainsFunc(dirs, inside) {
			return nil, fmt.Errorf("sandbox.write: %s is not there; name the directory that it would be in", path)
		}
		out = append(out, full)
	}
	return out, nil
}

// end compares when the command has ended, and returns what to tell the model. It is
// called by the goroutine that waited for the command.
func (b *box) end(out *strings.Builder) error {
	if b == nil {
		return nil
	}
	if b.own {
		b.wall.Close()
	}
	var errs []error
	for _, k := range b.keeps {
		changes, err := k.End(b.granted...)
		errs = append(errs, err)
		for _, c := range changes {
			text := fmt.Sprintf("%s was %s by a command, or while it ran, and was put back.", c.Path, c.Did)
			if c.Aside != "" {
				text += " What was there is in " + c.Aside + "."
			}
			b.sandbox.tell(text)
			if out != nil {
				fmt.Fprintln(out, text)
			}
		}
	}
	return errors.Join(errs...)
}

// note ends a command and says what the model should know of the sandbox.
func (b *box) note(failed bool, output string) string {
	if b == nil {
		return ""
	}
	var out strings.Builder
	err := b.end(&out)
	if err != nil {
		fmt.Fprintln(&out, "Settings that this command may have changed could not be looked after: "+err.Error())
		b.sandbox.tell("Settings that a command may have changed could not be looked after: " + err.Error())
	}
	refused := failed && slices.ContainsFunc(refusals, func(s string) bool { return strings.Contains(output, s) })
	if out.Len() > 0 || refused {
		if refused {
			fmt.Fprintln(&out, "The sandbox may have refused this: commands write to the working directories, temporary and cache directories only.")
		}
		out.WriteString("If the task needs it, call Bash again with sandbox: {\"write\": [PATH...]}, which the person is asked about.")
	}
	return strings.TrimSpace(out.String())
}

// refusals is what programs print when the wall refuses them.
var refusals = []string{"ermission denied", "EACCES", "EPERM", "peration not permitted", "cross-device link", "EXDEV"}

// gitDir returns the git directory of the repository that dir is a linked worktree of;
// nothing for other directories. Whoever made dir could name any directory there, so it
// counts only when that one knows dir.
func gitDir(dir string) []string {
	file := filepath.Join(dir, ".git")
	text, err := os.ReadFile(file)
	own, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !ok {
		return nil
	}
	own = from(dir, own)
	back, err := os.ReadFile(filepath.Join(own, "gitdir"))
	if err != nil || filepath.Base(filepath.Dir(own)) != "worktrees" || from(own, strings.TrimSpace(string(back))) != fsx.Resolve(file) {
		return nil
	}
	return []string{filepath.Dir(filepath.Dir(own))}
}

// from returns where a path leads that may be relative to dir.
func from(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return fsx.Resolve(path)
}
