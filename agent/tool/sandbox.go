package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/sandbox"
)

// Sandbox holds what shell commands may write. Sets that are made of one configuration
// share it. Set its fields before its first use; Close it after the sets.
type Sandbox struct {
	// Policy says what commands may do besides writing to the directories of their set,
	// and to what a person grants to one call.
	Policy sandbox.Policy
	// Protected are names in each of the directories that commands may not write, and Except
	// names below these that they may. See [sandbox.Keep]. In directories below, those are
	// kept that are there when the first command runs.
	Protected, Except []string
	// Namespaces has the kernel hold those of Protected that are there, too. See [sandbox.Policy.Hold].
	Namespaces bool
	// PutBackDir is the directory for what is put back.
	PutBackDir string
	// OnChange, when not nil, is told in words what was put back, or changed between
	// two commands.
	OnChange func(text string)

	mu    sync.Mutex
	walls map[string]*sandbox.Wall
	// places are, by working directory, what is looked after in it as of its first use,
	// and keeps what does that, by directory.
	places map[string][]watched
	keeps  map[string]*sandbox.Keep
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
	s.walls, s.places, s.keeps = nil, nil, nil
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
		if b.wall, err = sandbox.New(s.hold(p, dirs, b.granted)); err != nil {
			return nil, fmt.Errorf("the sandbox for commands: %w", err)
		}
		if b.own = len(b.granted) > 0; !b.own {
			if s.walls == nil {
				s.walls = map[string]*sandbox.Wall{}
			}
			s.walls[key] = b.wall
		}
	}
	if err := s.keepAll(b, dirs); err != nil {
		return nil, errors.Join(err, b.end(nil))
	}
	return b, nil
}

// Around has the directories looked after while something writes to them that Bash did
// not start, such as a server within a wall of the same policy. Over compares and puts
// back, and returns what to tell the model.
func (s *Sandbox) Around(dirs []string) (over func() string, err error) {
	b := &box{sandbox: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.keepAll(b, dirs); err != nil {
		return nil, errors.Join(err, b.end(nil))
	}
	return b.over, nil
}

// keepAll begins to look after directories, and those of git and of others in them; s.mu
// is held.
func (s *Sandbox) keepAll(b *box, dirs []string) error {
	for _, dir := range dirs {
		for _, p := range s.placesIn(dir) {
			if err := s.keep(b, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// watched is a directory, and the names in it that are kept.
type watched struct {
	dir   string
	names []string
}

// placesIn returns a working directory, the directory of its repository where that lies
// elsewhere, and the directories below it in which there are names of the kind that is
// kept at its first use: repositories in it, for example. s.mu is held.
func (s *Sandbox) placesIn(dir string) []watched {
	if out := s.places[dir]; out != nil {
		return out
	}
	out := []watched{{dir, s.Protected}}
	for _, git := range gitDir(dir) {
		out = append(out, watched{git, []string{"hooks", "config", "config.worktree"}})
	}
	for below, names := range sandbox.Nested(dir, s.Protected) {
		out = append(out, watched{below, names})
	}
	if s.places == nil {
		s.places = map[string][]watched{}
	}
	s.places[dir] = out
	return out
}

// Hold returns a policy for who works in dirs that has the kernel hold what is looked after
// there; without Namespaces, the policy as it is.
func (s *Sandbox) Hold(p sandbox.Policy, dirs []string) sandbox.Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hold(p, dirs, nil)
}

// hold does it, but for what was granted, with s.mu held. A name that ends in a slash is
// held where it is not a directory.
func (s *Sandbox) hold(p sandbox.Policy, dirs, granted []string) sandbox.Policy {
	if !s.Namespaces {
		return p
	}
	for _, dir := range dirs {
		for _, w := range s.placesIn(dir) {
			for _, name := range w.names {
				path := filepath.Join(w.dir, name)
				if info, err := os.Lstat(path); strings.HasSuffix(name, "/") && (err != nil || info.IsDir()) {
					continue
				}
				real := fsx.Resolve(path)
				asked := slices.ContainsFunc(granted, func(g string) bool {
					_, in := below(real, g)
					_, around := below(g, real)
					return in || around
				})
				if !asked {
					p.Hold = append(p.Hold, path)
				}
			}
			for _, name := range s.Except {
				p.Free = append(p.Free, filepath.Join(w.dir, name))
			}
		}
	}
	return p
}

// keep begins to look after a place; s.mu is held.
func (s *Sandbox) keep(b *box, p watched) error {
	k := s.keeps[p.dir]
	if k == nil {
		if s.keeps == nil {
			s.keeps = map[string]*sandbox.Keep{}
		}
		var err error
		k, err = sandbox.NewKeep(p.dir, p.names, s.Except, s.PutBackDir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went, and what was in it
		}
		if err != nil {
			return err
		}
		s.keeps[p.dir] = k
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
			if c.MovedTo != "" {
				text += " What was there is in " + c.MovedTo + "."
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
func (b *box) note(exit *process.Exit) string {
	if b == nil {
		return ""
	}
	text := b.over()
	refused := !exit.Success() && slices.ContainsFunc(refusals, func(s string) bool {
		return bytes.Contains(exit.Stderr, []byte(s)) || bytes.Contains(exit.Stdout, []byte(s))
	})
	if refused {
		text = joinLines(text, "The sandbox may have refused this: commands write to the working directories, temporary and cache directories only.")
	}
	if text != "" {
		text = joinLines(text, "If the task needs it, call Bash again with sandbox: {\"write\": [PATH...]}, which the person is asked about.")
	}
	return text
}

// over ends what was begun, and returns what to tell the model.
func (b *box) over() string {
	var out strings.Builder
	if err := b.end(&out); err != nil {
		text := "Settings that may have been changed could not be looked after: " + err.Error()
		fmt.Fprintln(&out, text)
		b.sandbox.tell(text)
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
